// A call that the guard stub has written down and asks about lies in the spool as a draft. Whoever answers, the server or
// the standalone hook, settles it; only one of them can. Node's own modules only: the standalone hook starts with it.

import { closeSync, renameSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { appendSync, openNewSync } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';

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
