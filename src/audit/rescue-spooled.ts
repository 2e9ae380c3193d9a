// Drafts of the spool whose process was killed. Only under the lock of whoever drains: two at once would meet.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';

export interface Rescued {
  /** Events like any other: all that was told is there. */
  readonly whole: number;
  /** Put aside in `bad`. */
  readonly broken: number;
}

/** Looks at drafts that nobody can be busy with any more. Killed at any moment, the next one goes on. */
export function rescueSpooled(folder: string, now: number): Rescued {
  const spool = path.join(folder, 'spool');
  const found = { whole: 0, broken: 0 };
  for (const draft of abandonedIn(spool, now)) {
    const place = path.join(spool, draft);
    if (draft.startsWith('.held-')) {
      rmSync(place, { force: true });
      continue;
    }
    const name = draft.slice('.new-'.length);
    const final = path.join(spool, `${name}.json`);
    if (existsSync(final)) continue;
    if (completeDraft(place)) {
      renameSync(place, final);
      found.whole += 1;
    } else {
      mkdirSync(path.join(spool, 'bad'), { recursive: true, mode: 0o700 });
      renameSync(place, path.join(spool, 'bad', `${name}.${Math.trunc(now)}`));
      found.broken += 1;
    }
  }
  return found;
}

/** No host waits longer for a hook, unless it was told to. */
const ABANDONED_MS = 15 * 60_000;

function abandonedIn(spool: string, now: number): readonly string[] {
  const names = existsSync(spool) ? readdirSync(spool) : [];
  return names.filter(
    (name) =>
      /^\.(?:new|held)-[a-z0-9-]+\.\d+\.\d+$/.test(name) &&
      now - (statSync(path.join(spool, name), { throwIfNoEntry: false })?.mtimeMs ?? now) > ABANDONED_MS,
  );
}

/** Gives a draft its last line where it has none. False where what was told is not all there. Its time stays. */
function completeDraft(place: string): boolean {
  const bytes = readFileSync(place);
  const lastLine = bytes.lastIndexOf('\n{');
  const isTold = isJson(bytes);
  const head = isTold ? bytes.length : lastLine;
  if (!isTold && !(lastLine > 0 && isJson(bytes.subarray(0, lastLine)))) return false;
  if (!isTold && bytes.at(-1) === NEWLINE && isJson(bytes.subarray(lastLine))) return true;
  const { atime, mtime } = statSync(place);
  truncateSync(place, head);
  appendFileSync(place, '\n{"rescued":true}\n');
  utimesSync(place, atime, mtime);
  return true;
}

const NEWLINE = 10;

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
