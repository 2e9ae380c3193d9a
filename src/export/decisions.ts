// What the person has decided in reviews about values, kept for each project: STATE/redact-decisions.json. Of the values it holds
// salted digests only.

import { createHmac, randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { AppliedDecision, KeptDecision, ReviewChoice, ReviewItem } from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { replaceFile } from '../lib/edit-file.ts';
import { takeLock } from '../lib/lock-file.ts';
import { readRegular } from '../lib/regular-file.ts';
import { ensureStateFolder, inStateFolder, stateFolder } from '../lib/state-folder.ts';
import { codeOf, messageOf, UserError } from '../lib/user-error.ts';
import type { ValueDecision } from '../redact/index.ts';
import { thisMachine } from '../sessions/index.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DECISIONS = 5000;
const digestText = v.pipe(v.string(), v.regex(/^[\w-]{16}$/));
const shortText = v.pipe(v.string(), v.maxLength(4096));
const schema = v.strictObject({
  version: v.literal(1),
  salt: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)),
  decisions: v.pipe(
    v.array(
      v.strictObject({
        id: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
        project: shortText,
        decision: v.picklist(['show', 'everywhere']),
        kind: shortText,
        what: shortText,
        at: v.pipe(v.string(), v.isoTimestamp()),
        digests: v.pipe(v.array(digestText), v.minLength(1), v.maxLength(200)),
      }),
    ),
    v.maxLength(MAX_DECISIONS),
  ),
});

type Stored = v.InferOutput<typeof schema>;

/** Decisions about values, by their digests. Plain data, for other threads and processes. */
export interface DecidedValues {
  readonly salt: string;
  readonly choices: Readonly<Record<string, ValueDecision | 'redact'>>;
}

/** Answers what was decided about a value; where several say something, the first one counts. */
export class ValueDecisions {
  #layers: readonly DecidedValues[] = [];
  readonly #answers = new Map<string, ValueDecision | undefined>();

  adopt(layers: readonly DecidedValues[]): void {
    this.#layers = layers.filter(({ choices }) => Object.keys(choices).length > 0);
    this.#answers.clear();
  }

  layers(): readonly DecidedValues[] {
    return this.#layers;
  }

  readonly decide = (value: string): ValueDecision | undefined => {
    if (this.#layers.length === 0) return undefined;
    if (this.#answers.has(value)) return this.#answers.get(value);
    const answer = this.#look(value);
    if (this.#answers.size > 50_000) this.#answers.clear();
    this.#answers.set(value, answer);
    return answer;
  };

  #look(value: string): ValueDecision | undefined {
    for (const { salt, choices } of this.#layers) {
      const digest = digestValue(salt, value);
      const choice = Object.hasOwn(choices, digest) ? choices[digest] : undefined;
      if (choice) return choice === 'redact' ? undefined : choice;
    }
    return undefined;
  }
}

export function digestValue(salt: string, value: string): string {
  return createHmac('sha256', salt).update(value).digest('base64url').slice(0, 16);
}

export function digestWhole(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest('base64url');
}

const createSalt = (): string => randomBytes(32).toString('base64url');

/** What is kept, and why nothing is if the file cannot be read: then everything is redacted. */
export interface KeptDecisions {
  readonly salt: string;
  readonly decisions: Stored['decisions'];
  readonly problem: string | null;
}

const decisionsFile = (): string => path.join(stateFolder(thisMachine()), 'redact-decisions.json');

export async function readKept(): Promise<KeptDecisions> {
  try {
    return { ...((await load()) ?? { salt: createSalt(), decisions: [] }), problem: null };
  } catch (error) {
    return { salt: createSalt(), decisions: [], problem: messageOf(error) };
  }
}

/** The salt of this person, made if there is none yet; undefined if the file is damaged or cannot be written. */
export async function keepSalt(): Promise<string | undefined> {
  try {
    return ((await load()) ?? (await change((stored) => stored))).salt;
  } catch {
    return undefined;
  }
}

/** Of these projects together: a value is shown only if that was decided in each, and redacted everywhere if in one. */
export function decidedIn(
  { salt, decisions }: KeptDecisions,
  projects: ReadonlySet<string | undefined>,
): DecidedValues {
  const everywhere = new Set<string>();
  const shownIn = new Map<string, Set<string>>();
  for (const { project, decision, digests } of decisions) {
    if (!projects.has(project)) continue;
    for (const digest of digests)
      if (decision === 'everywhere') everywhere.add(digest);
      else shownIn.set(digest, (shownIn.get(digest) ?? new Set()).add(project));
  }
  const choices: Record<string, ValueDecision> = {};
  for (const [digest, where] of shownIn) if (where.size === projects.size) choices[digest] = 'show';
  for (const digest of everywhere) choices[digest] = 'everywhere';
  return { salt, choices };
}

type Decided = Pick<ReviewItem, 'kind' | 'what' | 'digests'>;

export interface DecisionChange {
  readonly item: Decided;
  readonly decision: ValueDecision | undefined;
}

/** In place of what was kept about the value in these projects; `undefined` forgets it. */
export async function keepDecisions(
  projects: readonly string[],
  salt: string,
  changes: readonly DecisionChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const touched = new Set(changes.flatMap(({ item }) => item.digests));
  await change((stored) => {
    if (stored.salt !== salt && stored.decisions.length > 0)
      throw new UserError(
        'decisions-changed',
        'The kept decisions were replaced meanwhile.',
        'Review the export again.',
      );
    const others = stored.decisions.filter(
      ({ project, digests }) => !projects.includes(project) || !digests.some((digest) => touched.has(digest)),
    );
    const at = new Date(systemClock()).toISOString();
    const added = projects.flatMap((project) =>
      changes.flatMap(({ item: { kind, what, digests }, decision }) =>
        decision === undefined
          ? []
          : [{ id: randomBytes(4).toString('hex'), project, decision, kind, what, at, digests: digests.slice(0, 200) }],
      ),
    );
    return { ...stored, salt, decisions: [...others, ...added] };
  });
}

/** Without the digests. Throws a `UserError` if the file cannot be read. */
export async function listDecisions(): Promise<readonly KeptDecision[]> {
  return ((await load())?.decisions ?? []).map(({ digests: _digests, ...rest }) => rest);
}

/** Gives those that were removed. */
export async function forgetDecisions(ids: readonly string[]): Promise<readonly KeptDecision[]> {
  const before = await listDecisions();
  const unknown = ids.filter((id) => !before.some((one) => one.id === id));
  if (unknown.length > 0)
    throw new UserError(
      'decision-not-found',
      `No kept decision has the ID ${unknown.join(', ')}.`,
      'List them with: troupe redact --decisions',
    );
  await change((stored) => ({ ...stored, decisions: stored.decisions.filter(({ id }) => !ids.includes(id)) }));
  return before.filter(({ id }) => ids.includes(id));
}

async function load(): Promise<Stored | undefined> {
  const file = decisionsFile();
  let text: string;
  try {
    text = (await readRegular(file, MAX_BYTES)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw damaged(file, messageOf(error));
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw damaged(file, 'it is not JSON');
  }
  const parsed = v.safeParse(schema, raw);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw damaged(file, `${v.getDotPath(issue) ?? 'its content'} is not what troupe wrote`);
}

function damaged(file: string, why: string): UserError {
  return new UserError(
    'decisions-damaged',
    `The kept decisions about redaction cannot be read from ${file}: ${why}. Until then everything is redacted.`,
    'Restore the file, or remove it to start without decisions.',
  );
}

const LOCK_TRIES = 200;
const LOCK_PAUSE_MS = 25;

async function change(update: (stored: Stored) => Stored): Promise<Stored> {
  const file = decisionsFile();
  const folder = path.dirname(file);
  await ensureStateFolder(folder);
  return inStateFolder(folder, async () => {
    for (let round = 0; round < LOCK_TRIES; round++) {
      const lock = await takeLock(`${file}.lock`);
      if (!lock) {
        await sleep(LOCK_PAUSE_MS);
        continue;
      }
      try {
        const next = update((await load()) ?? { version: 1, salt: createSalt(), decisions: [] });
        const excess = next.decisions.length - MAX_DECISIONS;
        if (excess > 0)
          throw new UserError(
            'too-many-decisions',
            `More than ${MAX_DECISIONS} decisions would be kept.`,
            'Remove some: troupe redact --forget ID',
          );
        replaceFile(file, `${JSON.stringify(next, null, 1)}\n`);
        return next;
      } finally {
        await lock.release();
      }
    }
    throw new UserError('decisions-busy', 'Another process is changing the kept decisions.', 'Try again.');
  });
}

/** What choices in a review come to: what is kept for later exports, and what holds for this one. */
export function planChoices(
  items: readonly Pick<ReviewItem, 'placeholder' | 'kind' | 'what' | 'digests' | 'choice'>[],
  choices: ReadonlyMap<string, ReviewChoice>,
) {
  const changed = items.filter((item) => (choices.get(item.placeholder) ?? item.choice) !== item.choice);
  const keeping = changed.flatMap((item): DecisionChange[] => {
    const choice = choices.get(item.placeholder);
    if (choice === 'always-show') return [{ item, decision: 'show' }];
    if (choice === 'always-everywhere') return [{ item, decision: 'everywhere' }];
    return item.choice.startsWith('always-') ? [{ item, decision: undefined }] : [];
  });
  const now: Record<string, 'show' | 'everywhere'> = {};
  const applied: AppliedDecision[] = [];
  for (const { placeholder, kind, what, digests } of items) {
    const choice = choices.get(placeholder);
    if (choice !== 'show' && choice !== 'everywhere') continue;
    for (const digest of digests) now[digest] = choice;
    applied.push({ decision: choice, kind, what, kept: false });
  }
  return { keeping, now, applied };
}
