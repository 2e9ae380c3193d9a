import { access, constants, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, type FindingArea, plural } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { kindOfFile, readText } from '../../lib/regular-file.ts';
import { isSystemError, messageOf } from '../../lib/user-error.ts';

type Say = (code: string, text: string, remedy?: string) => Finding;

/** The four ways to say something about an area. */
export function findingsOf(area: FindingArea): Record<Finding['level'], Say> {
  const at =
    (level: Finding['level']): Say =>
    (code, text, remedy) => ({ area, code, level, text, remedy: remedy ?? null });
  return { good: at('good'), note: at('note'), warning: at('warning'), problem: at('problem') };
}

const { good, note, warning, problem } = findingsOf('state');

const DAY_MS = 86_400_000;
const FOLDERS = ['audit', 'hooks', 'bin', 'backups'];
const FILES = ['address.json', 'daemon.json', 'hook-address', 'hook-errors.log', 'hook-failure', 'server.log'];

/** The state folder: whether others can read it, and what is queued in it. */
export async function* examineState(folder: string, clock: Clock): AsyncGenerator<Finding> {
  try {
    const { mode, uid } = await stat(folder);
    await assertUsable(folder);
    if (process.getuid && uid !== process.getuid())
      yield problem('state-foreign', `${folder} belongs to somebody else.`, 'Name another with TROUPE_HOME.');
    else if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      yield warning('state-open', `Others on this machine may look into ${folder}.`, `chmod 700 ${folder}`);
    else yield good('state-own', `${folder} is yours alone`);
  } catch (error) {
    yield isGone(error)
      ? note('state-none', `${folder} is not there yet: troupe has kept nothing so far.`)
      : unusable(folder, error, 'or name another with TROUPE_HOME');
    return;
  }
  for (const name of FOLDERS) yield* examineFolder(path.join(folder, name));
  for (const name of FILES) yield* examineFile(path.join(folder, name));
  yield* examineSpool(path.join(folder, 'spool'), clock);
  yield* examineErrors(path.join(folder, 'hook-errors.log'));
  yield* examineFailure(path.join(folder, 'hook-failure'));
}

/** Reports only folders that cannot be used. */
async function* examineFolder(folder: string): AsyncGenerator<Finding> {
  try {
    await assertUsable(folder);
  } catch (error) {
    if (!isGone(error)) yield unusable(folder, error, 'or move it away');
  }
}

/** With a FIFO as hook-address, for example, no hook reaches the server. */
async function* examineFile(file: string): AsyncGenerator<Finding> {
  const stats = await stat(file).catch(() => undefined);
  if (stats && !stats.isFile())
    yield problem('state-file', `${file} is ${kindOfFile(stats)}, not a regular file.`, `Remove ${file}.`);
}

async function assertUsable(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder');
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function unusable(folder: string, error: unknown, otherwise: string): Finding {
  return problem(
    'state-unusable',
    `${folder} cannot be used: ${messageOf(error)}`,
    `Make it a folder that you may write to (chmod u+rwx), ${otherwise}.`,
  );
}

function isGone(error: unknown): boolean {
  return isSystemError(error) && error.code === 'ENOENT';
}

async function* examineSpool(spool: string, clock: Clock): AsyncGenerator<Finding> {
  let names: readonly string[];
  try {
    await assertUsable(spool);
    names = await readdir(spool);
  } catch (error) {
    if (!isGone(error))
      yield problem(
        'spool-unusable',
        `What hooks tell is lost: ${spool} cannot be used: ${messageOf(error)}`,
        'Make it a folder that you may write to, or move it away.',
      );
    return;
  }
  const waiting = names.filter((name) => name.endsWith('.json'));
  if (waiting.length === 0) yield good('spool-empty', 'Nothing waits in the spool of hooks');
  else yield note('spool-waiting', `Waiting in the spool: ${plural(waiting.length, 'event')} of hooks (${spool})`);
  const drafts = names.filter((name) => name.startsWith('.new-'));
  const ages = await Promise.all(drafts.map((name) => stat(path.join(spool, name)).catch(() => undefined)));
  const old = ages.filter((file) => file && clock() - file.mtimeMs > DAY_MS).length;
  if (old > 0)
    yield note(
      'spool-drafts',
      `Never finished, because their programs were ended in the middle: ${plural(old, 'event')}`,
    );
  const folder = path.join(spool, 'bad');
  yield* examineFolder(folder);
  const bad = (await readdir(folder).catch(() => [])).length;
  yield* onBad(bad, folder);
  yield* onBad(names.filter((name) => name.startsWith('bad-')).length, path.join(spool, 'bad-*'));
}

function* onBad(count: number, where: string): Generator<Finding> {
  if (count > 0)
    yield warning(
      'spool-bad',
      `Not understood, and kept in ${where}: ${plural(count, 'event')}`,
      'Look at them; a newer troupe may know them. Then remove them.',
    );
}

async function* examineErrors(file: string): AsyncGenerator<Finding> {
  const text = await readText(file).catch(() => '');
  const last = text.split('\n').findLast((line) => /^\d{4}-\d\d-\d\dT/.test(line));
  if (last === undefined) return;
  yield warning(
    'hook-errors',
    `A hook had trouble, last: ${last.slice(0, 200)}`,
    `See ${file}, and remove it when you are done.`,
  );
}

/** Shell scripts write it; on a full disk it is empty. Its existence is what counts. */
async function* examineFailure(file: string): AsyncGenerator<Finding> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return;
  const words = (await readText(file).catch(() => '')).trim() || 'there was not even room to say why';
  yield warning(
    'hook-failure',
    `A hook could not do its work, last on ${found.mtime.toISOString()}; what it was told may be lost: ${words.slice(0, 200)}`,
    `Mend what it says, then remove ${file}.`,
  );
}
