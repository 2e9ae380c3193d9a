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

// Files of the queue. The standalone hook starts with this: Node's own modules only.
//
// A call that the guard stub asks about is a pending file (`.new-…`). Whoever answers it, the server or the standalone hook, queues
// it with its decision (`settleSpooled`); only one of them can.

export const MAX_QUEUED_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

/**
 * The payload as the host gave it, then a line of ours: what we know beside it. Undefined if that is not JSON. The last line is ours only if there is a
 * payload before it: the host's own may span lines.
 */
export function parseQueued(bytes: Uint8Array): { readonly payload: unknown; readonly extra: JsonObject } | undefined {
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

/** The name of a pending file: `.new-<host>.<pid>.<n>`. */
export function isPendingOf(host: string, name: string): boolean {
  return /^\.new-([a-z0-9-]{1,64})\.\d{1,20}\.\d{1,9}$/.exec(name)?.[1] === host;
}

/**
 * Queues a pending call, with `extra` as its last line, and `ms` in it: how long the call was held. `since` is the start of that
 * in epoch milliseconds; without it, when the file was written. False if another process has queued it, or it is gone.
 */
export function queuePending(folder: string, draft: string, extra: object, since?: number): boolean {
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
    // Never creates the file again if it is gone.
    appendSync(place, `\n${JSON.stringify({ ...extra, ms })}\n`, 'append-existing');
    // Its time stays that of the hook's call, also if a person took long to answer.
    if (ms === null || ms > LONG_MS) utimesSync(place, atime, mtime);
    // The pending file reserves the name of its event.
    renameSync(place, path.join(spool, `${draft.slice('.new-'.length)}.json`));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    unlinkSync(claim);
  }
}

/** Within this time the file's own time is close enough. */
const LONG_MS = 500;

/** Twice the longest `wait`. */
const LONGEST_HELD_MS = 2 * 3_600_000;

/** Null if the clock was set meanwhile. Not by `performance`, which takes the standalone hook longer to load. */
function heldFor(since: number): number | null {
  const ms = Date.now() - since;
  return ms >= 0 && ms < LONGEST_HELD_MS ? Math.round(ms * 10) / 10 : null;
}

/** Far more than can wait under one process number. */
const MAX_TRIES = 1_000_000;

/** The last number that this process used: the next one is most likely free. */
let last = -1;

/**
 * Queues a hook's payload: the file appears under its name whole, or not at all. `extra` is what we know beside it
 * (`{"ppid":…}`, `{"decision":"none","ms":1.2}`). Throws if it cannot be written.
 *
 * Only the creator of `.new-X` may write `X.json`, so it can check first: a rename would silently replace the event of an
 * earlier process with the same number.
 */
export function queueEvent(folder: string, host: string, payload: Uint8Array, extra: object): void {
  const spool = `${folder}/spool`;
  const name = writePending(folder, host, Buffer.concat([payload, Buffer.from(`\n${JSON.stringify(extra)}\n`)]));
  const draft = `${spool}/${name}`;
  try {
    renameSync(draft, `${spool}/${name.slice('.new-'.length)}.json`);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Keeps the payload of a call until `settleSpooled` queues it with a decision. Returns the name of the file. */
export function writePending(folder: string, host: string, content: Uint8Array): string {
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

/** Undefined if it exists already. */
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
