import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { linkNew } from './edit-file.ts';
import { makeFolders } from './folders.ts';
import { asAmount, asText, known, parseObject } from './json.ts';
import { isProcessAlive, isRunning, linuxStart, type ProcessMark } from './processes.ts';
import { createFile, isWrongFile, readText } from './regular-file.ts';
import { codeOf, messageOf, UserError } from './user-error.ts';

export interface Lock {
  /** Takes the file away. */
  release(): Promise<void>;
}

/** Only others that try in the same moment bring about another round. */
const MAX_ROUNDS = 50;

/**
 * One process at a time: of any number that try at once, one gets the lock. Nothing where a living process has it (this
 * very one included). That of a dead one is taken over.
 */
export async function takeLock(file: string, clock: Clock = systemClock): Promise<Lock | undefined> {
  await makeFolders(path.dirname(file), 0o700);
  const draft = `${file}.${process.pid}.${randomBytes(9).toString('hex')}.draft`;
  const own = JSON.stringify({ ...(await describeOwn(clock)), name: path.basename(draft) });
  await createFile(draft, own);
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await tryOnce(file, draft);
      if (outcome === 'held') return undefined;
      if (outcome === 'again') continue;
      // Leftovers are in nobody's way: if they cannot be removed now, the next one will.
      await sweepLeftovers(file).catch(() => undefined);
      return {
        async release() {
          if ((await readIfThere(file)) === own) await rm(file, { force: true });
        },
      };
    }
    return undefined;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether somebody has it, or died with it. */
export async function isLocked(file: string): Promise<boolean> {
  return (await readIfThere(file)) !== undefined;
}

async function tryOnce(file: string, draft: string): Promise<'ours' | 'held' | 'again'> {
  if (await linkNew(draft, file)) return 'ours';
  const stale = await readIfThere(file);
  if (stale === undefined) return 'again';
  if (await isHeld(stale)) return 'held';
  const claim = await becomeSuccessor(file, stale, draft);
  if (claim === undefined) return 'held';
  try {
    // It may have been taken over before we could.
    if ((await readIfThere(file)) !== stale) return 'again';
    await rename(draft, file);
    return 'ours';
  } finally {
    await rm(claim, { force: true });
  }
}

/**
 * A dead process's lock must not simply be removed: between our look at it and its removal another one may have put its
 * own in its place. So every lock has one successor at most, and the system decides which: whoever first links its
 * record under a name that is made of the old one. A successor that died has a successor in its turn. Gives our claim.
 */
async function becomeSuccessor(file: string, stale: string, draft: string): Promise<string | undefined> {
  for (let last = stale; ; ) {
    const place = `${file}.${createHash('sha256').update(last).digest('hex').slice(0, 24)}.next`;
    if (await linkNew(draft, place)) return place;
    const successor = await readIfThere(place);
    if (successor === undefined || (await isHeld(successor))) return undefined;
    // One that a power cut left empty would otherwise be its own successor.
    last = place + successor;
  }
}

async function isHeld(text: string): Promise<boolean> {
  const mark = parseMark(text);
  return mark !== undefined && isProcessAlive(mark);
}

/** What dead processes left. Only while we have the lock: before, a dead successor may still say who comes next. */
async function sweepLeftovers(file: string): Promise<void> {
  const folder = path.dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const place = path.join(folder, name);
    const [, pid] = /\.(\d+)\.[0-9a-f]+\.draft$/.exec(name) ?? [];
    const mark = parseMark((await readIfThere(place)) ?? '');
    // A draft that is still being written has no mark yet, and its number may belong to another process by now.
    const isAlive = mark ? await isProcessAlive(mark) : pid !== undefined && isRunning(Number(pid));
    if ((pid !== undefined || name.endsWith('.next')) && !isAlive) await rm(place, { force: true });
  }
}

async function describeOwn(clock: Clock): Promise<ProcessMark> {
  const startedAt = Math.round(clock() - process.uptime() * 1000);
  return { pid: process.pid, startedAt, ...known({ procStart: await linuxStart(process.pid) }) };
}

function parseMark(text: string): ProcessMark | undefined {
  const raw = parseObject(text);
  const pid = asAmount(raw?.['pid']);
  if (pid === undefined) return undefined;
  return { pid, ...known({ procStart: asText(raw?.['procStart']), startedAt: asAmount(raw?.['startedAt']) }) };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readText(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (!isWrongFile(error)) throw error;
    const what = `troupe cannot use its lock: ${messageOf(error)}.`;
    throw new UserError('lock-unusable', what, 'Remove it.', { cause: error });
  }
}
