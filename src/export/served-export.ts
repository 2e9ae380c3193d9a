import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type { Review, ReviewChoice, ReviewItem, ServedReview } from '../core/index.ts';
import { exportProcessFile } from '../lib/package.ts';
import { UserError } from '../lib/user-error.ts';
import { isAddress, type SessionScope } from '../sessions/index.ts';
import { type DecidedValues, keepDecisions, planChoices } from './decisions.ts';
import { createUserRedactor } from './redact-input.ts';
import { fileStem } from './write-file.ts';

/** What `export-process.ts` is told. */
export interface ExportOrder {
  readonly where: SessionScope;
  readonly session: string;
  readonly as: DownloadForm | 'review';
  readonly pii: boolean;
  /** What the person has decided for this export only. */
  readonly decided?: DecidedValues | undefined;
}

/** What it tells, where it could not. */
export type ExportTrouble = Pick<UserError, 'code' | 'message' | 'remedy'>;

/** Exports and reviews of one session at a time, each made by a process of its own. */
export function createServedExport(whereOf: (session: { readonly cwd: string | null }) => SessionScope): ServedExport {
  const reviews = new Map<string, KnownReview>();
  const find = (id: string, session: string): KnownReview => {
    const found = reviews.get(id);
    if (found?.session === session) return found;
    throw new UserError('review-expired', 'This review is not known any more.', 'Review the session again.');
  };
  return {
    // For a shell in another folder.
    whereOf: (session) => {
      const { roots, ...where } = whereOf(session);
      return { ...where, roots: roots.map((root) => (isAddress(root) ? root : path.resolve(root))) };
    },
    async begin({ session, as, pii, review }, signal) {
      const folder = session.cwd === null ? null : (await createUserRedactor(pii)).redactText(session.cwd);
      const decided = review === undefined ? undefined : find(review, session.id).decided;
      const order: ExportOrder = { where: whereOf(session), session: session.id, as, pii, decided };
      return { stem: fileStem(folder, session.id), bytes: await beginProcess(order, signal) };
    },
    async review({ session, pii }, signal) {
      const order: ExportOrder = { where: whereOf(session), session: session.id, as: 'review', pii };
      const chunks: Uint8Array[] = [];
      for await (const chunk of await beginProcess(order, signal)) chunks.push(chunk);
      const { items, projects, salt, problem }: Review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const id = randomBytes(12).toString('base64url');
      reviews.set(id, {
        ...{ session: session.id, projects, salt, decided: undefined },
        items: items.map(({ placeholder, kind, what, digests, choice }) => ({
          ...{ placeholder, kind, what, digests, choice },
        })),
      });
      for (const oldest of reviews.keys()) if (reviews.size > MAX_REVIEWS) reviews.delete(oldest);
      const noProject = projects.length === 0 ? 'Decisions cannot be kept: this session names no project.' : null;
      return { id, items: items.map(({ digests: _, ...item }) => item), projects, cannotKeep: problem ?? noProject };
    },
    async decide({ session, review, choices }, mayKeep) {
      const found = find(review, session.id);
      const { items, projects, salt } = found;
      const { keeping, now } = planChoices(items, choices);
      if (keeping.length > 0) {
        await mayKeep();
        await keepDecisions(projects, salt, keeping);
      }
      // What was kept now is how the value is kept when the next answer comes.
      const isKept = new Set<unknown>(keeping.map(({ item }) => item));
      const after = items.map((item) =>
        isKept.has(item) ? { ...item, choice: keptChoice(choices.get(item.placeholder)) } : item,
      );
      reviews.set(review, { ...found, items: after, decided: { salt, choices: now } });
      return { kept: keeping.length };
    },
  };
}

const keptChoice = (choice: ReviewChoice | undefined): ReviewChoice =>
  choice?.startsWith('always-') ? choice : 'redact';

/** Its output, once there is some: until then, what went wrong can still be said in words. */
async function beginProcess(order: ExportOrder, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const child = fork(exportProcessFile, [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
    signal,
    killSignal: 'SIGKILL',
  });
  const output = child.stdout?.[Symbol.asyncIterator]();
  if (!output) throw new Error('troupe: an export without output');
  const ended = endOf(child);
  // Whoever reads the output hears of it at its end; a process that is gone takes no order.
  ended.catch(() => {});
  child.send(order, () => {});
  const first = await output.next();
  if (first.done) await ended;
  return wholeOutput(first, output, ended);
}

/** Ends well only where the process did: half an export is none. */
async function* wholeOutput(
  first: IteratorResult<Uint8Array>,
  output: AsyncIterator<Uint8Array>,
  ended: Promise<void>,
): AsyncGenerator<Uint8Array> {
  for (let part = first; !part.done; part = await output.next()) yield part.value;
  await ended;
}

async function endOf(child: ChildProcess): Promise<void> {
  let trouble: ExportTrouble | undefined;
  child.once('message', (message) => {
    trouble = message as unknown as ExportTrouble;
  });
  // The last message may come behind the end of the process.
  const [[code, signal]] = await Promise.all([once(child, 'close'), once(child, 'disconnect')]);
  if (trouble) throw new UserError(trouble.code, trouble.message, trouble.remedy);
  if (code !== 0) throw new Error(`troupe: the process that made an export ended with ${signal ?? code}`);
}

/** `page`: one file that holds everything; `md`: the main agent's conversation; `json`: all conversations, for programs. */
export type DownloadForm = 'page' | 'md' | 'json';

export interface DownloadRequest {
  readonly session: { readonly id: string; readonly cwd: string | null };
  readonly as: DownloadForm;
  /** Also e-mail addresses and the like. Secrets are redacted in any case. */
  readonly pii: boolean;
  /** Id of a review of this session, whose choices hold. */
  readonly review?: string;
}

export interface ReviewAnswer extends Pick<DownloadRequest, 'session'> {
  readonly review: string;
  /** By placeholder. */
  readonly choices: ReadonlyMap<string, ReviewChoice>;
}

/** What is remembered of a review: none of its values. */
interface KnownReview extends Pick<Review, 'projects' | 'salt'> {
  readonly session: string;
  readonly items: readonly Pick<ReviewItem, 'placeholder' | 'kind' | 'what' | 'digests' | 'choice'>[];
  readonly decided: DecidedValues | undefined;
}

/** Pages that are open at once. */
const MAX_REVIEWS = 16;

/** What the server hands sessions out with. */
export interface ServedExport {
  /** When there is something to send. Throws a `UserError` where the person has to do something first. */
  begin(request: DownloadRequest, signal: AbortSignal): Promise<Download>;
  /** All that a download would redact, with its values and context, for the person who decides about them. */
  review(request: Pick<DownloadRequest, 'session' | 'pii'>, signal: AbortSignal): Promise<ServedReview>;
  /** Choices for the downloads that name the review. Calls `mayKeep`, which throws if they may not be, before some are kept for later exports. */
  decide(answer: ReviewAnswer, mayKeep: () => Promise<void>): Promise<{ readonly kept: number }>;
  /** Where `troupe export` finds the session: as this server was told, or as it was not. */
  whereOf(session: DownloadRequest['session']): SessionScope;
}

export interface Download {
  /** What to call the file: letters, digits and dashes. */
  readonly stem: string;
  /** Made as they are read. Throws where they could not be made to the end. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
