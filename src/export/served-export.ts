import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { exportProcessFile } from '../lib/package.ts';
import { UserError } from '../lib/user-error.ts';
import { isAddress, type SessionScope } from '../sessions/index.ts';
import { createUserRedactor } from './run-export.ts';
import { fileStem } from './write-file.ts';

/** What `export-process.ts` is told. */
export interface ExportOrder extends Pick<DownloadRequest, 'as' | 'pii'> {
  readonly where: SessionScope;
  readonly session: string;
}

/** What it tells, where it could not. */
export type ExportTrouble = Pick<UserError, 'code' | 'message' | 'remedy'>;

/** Exports of one session at a time, each made by a process of its own. */
export function createServedExport(whereOf: (session: { readonly cwd: string | null }) => SessionScope): ServedExport {
  return {
    // For a shell in another folder.
    whereOf: (session) => {
      const { roots, ...where } = whereOf(session);
      return { ...where, roots: roots.map((root) => (isAddress(root) ? root : path.resolve(root))) };
    },
    async begin({ session, as, pii }, signal) {
      const folder = session.cwd === null ? null : (await createUserRedactor(pii)).redactText(session.cwd);
      const order: ExportOrder = { where: whereOf(session), session: session.id, as, pii };
      return { stem: fileStem(folder, session.id), bytes: await beginProcess(order, signal) };
    },
  };
}

/** Its output, once there is some: until then, what went wrong can still be said in words. */
async function beginProcess(order: ExportOrder, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const child = fork(exportProcessFile, [JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
    signal,
    killSignal: 'SIGKILL',
  });
  const output = child.stdout?.[Symbol.asyncIterator]();
  if (!output) throw new Error('troupe: an export without output');
  const ended = endOf(child);
  // Whoever reads the output hears of it at its end.
  ended.catch(() => {});
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
}

/** What the server hands sessions out with. */
export interface ServedExport {
  /** When there is something to send. Throws a `UserError` where the person has to do something first. */
  begin(request: DownloadRequest, signal: AbortSignal): Promise<Download>;
  /** Where `troupe export` finds the session: as this server was told, or as it was not. */
  whereOf(session: DownloadRequest['session']): SessionScope;
}

export interface Download {
  /** What to call the file: letters, digits and dashes. */
  readonly stem: string;
  /** Made as they are read. Throws where they could not be made to the end. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
