import {
  closeSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type JsonObject, parseJson, parseObject } from '../lib/json.ts';
import { appendSync, openNewSync } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';

/** What a hook was handed, and what we knew beside it. */
interface QueuedEvent {
  readonly payload: unknown;
  readonly extra: JsonObject;
}

export const MAX_SPOOL_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

/**
 * The payload as the host gave it, then a line of ours. Nothing where that is not JSON, and no guess at what it may have
 * been. The last line is ours only if there is a payload before it: the host's own may span lines.
 */
export function parseSpooled(bytes: Uint8Array): QueuedEvent | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = text.length;
  while (end > 0 && text[end - 1] === NEWLINE) end--;
  const cut = end === 0 ? -1 : text.lastIndexOf(NEWLINE, end - 1);
  const extra = cut === -1 ? undefined : parseObject(text.toString('utf8', cut, end));
  const payload = extra && parseJson(text.toString('utf8', 0, cut));
  if (extra && payload !== undefined) return { payload, extra };
  const whole = parseJson(text.toString('utf8', 0, end));
  return whole === undefined ? undefined : { payload: whole, extra: {} };
}

/** The name of a draft: `.new-<host>.<pid>.<n>`. */
export function isDraftOf(host: string, name: string): boolean {
  return /^\.new-([a-z0-9-]{1,64})\.\d{1,20}\.\d{1,9}$/.exec(name)?.[1] === host;
}

/**
 * Puts a draft into its place, with `extra` as its last line, and `ms` in it: how long the call was held. `since` is the
 * epoch milliseconds from when on; without it, since the draft was written. False where it is not to be had any more.
 */
export function settleSpooled(folder: string, draft: string, extra: object, since?: number): boolean {
  const spool = path.join(folder, 'spool');
  const place = path.join(spool, draft);
  const claim = path.join(spool, draft.replace('.new-', '.held-'));
  try {
    closeSync(openNewSync(claim));
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    const { mtimeMs, atime, mtime } = statSync(place);
    const ms = heldFor(since ?? mtimeMs);
    // To a file that is there: one that is gone is not made again.
    appendSync(place, `\n${JSON.stringify({ ...extra, ms })}\n`, 'append-existing');
    // Its time is when the hook was called, also where a person took long to answer.
    if (ms === null || ms > LONG_MS) utimesSync(place, atime, mtime);
    // The draft holds the name of its event: nobody else writes it as long as the draft is there.
    renameSync(place, path.join(spool, `${draft.slice('.new-'.length)}.json`));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    unlinkSync(claim);
  }
}

/** Within it, when a file was written last is as good as when it was made. */
const LONG_MS = 500;

/** An answer is waited for for an hour at most. */
const LONGEST_HELD_MS = 2 * 3_600_000;

/** Clocks are set: what cannot be is not said. Not by `performance`, which takes a hook that stands alone longer than this. */
function heldFor(since: number): number | null {
  const ms = Date.now() - since;
  return ms >= 0 && ms < LONGEST_HELD_MS ? Math.round(ms * 10) / 10 : null;
}

/** Far more than can ever wait under one process number. */
const MAX_TRIES = 1_000_000;

/** Where the last one of this process was put: the next is free in all likelihood. */
let last = -1;

/**
 * Hands a hook's payload over to whoever drains the spool: the file appears under its name whole, or not at all.
 * `extra` is what we know beside it (`{"ppid":…}`, `{"decision":"none","ms":1.2}`). Throws where it cannot be written.
 *
 * Whoever made `.new-X` is the only one that may put something at `X.json`, so it can look first: a rename would
 * silently replace the event of an earlier process with the same number.
 */
export function putSpoolFile(folder: string, host: string, payload: Uint8Array, extra: object): void {
  const spool = `${folder}/spool`;
  const name = putDraft(folder, host, Buffer.concat([payload, Buffer.from(`\n${JSON.stringify(extra)}\n`)]));
  const draft = `${spool}/${name}`;
  try {
    renameSync(draft, `${spool}/${name.slice('.new-'.length)}.json`);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Keeps the payload of a call until `settleSpooled` queues it with a decision. Returns the name of the file. */
export function putDraft(folder: string, host: string, content: Uint8Array): string {
  const spool = `${folder}/spool`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const name = `${host}.${process.pid}.${++last}`;
    const draft = `${spool}/.new-${name}`;
    const handle = openNew(spool, draft);
    if (handle === undefined) continue;
    try {
      if (existsSync(`${spool}/${name}.json`)) {
        rmSync(draft);
        continue;
      }
      writeFileSync(handle, content);
      return `.new-${name}`;
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
  }
  throw new Error(`troupe: no free name in ${spool}`);
}

/** Nothing where somebody has it already. */
function openNew(spool: string, draft: string): number | undefined {
  try {
    return openNewSync(draft);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    return openNewSync(draft);
  }
}
