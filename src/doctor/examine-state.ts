import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Finding } from '../reports/doctor-shapes.ts';
import { counted, findingsOf, wordsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('state');

const DAY_MS = 86_400_000;

/** Our own folder: whether it is ours alone, and what waits in it. */
export async function* examineState(folder: string, clock: Clock): AsyncGenerator<Finding> {
  try {
    const { mode, uid } = await stat(folder);
    if (process.getuid && uid !== process.getuid())
      yield problem('state-foreign', `${folder} belongs to somebody else.`, 'Name another with TROUPE_HOME.');
    else if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      yield warning('state-open', `Others on this machine may look into ${folder}.`, `chmod 700 ${folder}`);
    else yield good('state-own', `${folder} is yours alone`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      yield problem(
        'state-unreadable',
        `${folder} cannot be used: ${wordsOf(error)}`,
        'Name another with TROUPE_HOME.',
      );
    else yield note('state-none', `${folder} is not there yet: troupe has kept nothing so far.`);
    return;
  }
  yield* examineSpool(path.join(folder, 'spool'), clock);
  yield* examineErrors(path.join(folder, 'hook-errors.log'));
  yield* examineErrors(path.join(folder, 'hook-failure'));
}

async function* examineSpool(spool: string, clock: Clock): AsyncGenerator<Finding> {
  const names = await readdir(spool).catch(() => undefined);
  if (!names) return;
  const bad = await readdir(path.join(spool, 'bad')).catch(() => []);
  const waiting = names.filter((name) => name.endsWith('.json'));
  if (waiting.length === 0) yield good('spool-empty', 'Nothing waits in the spool of hooks');
  else yield note('spool-waiting', `Waiting in the spool: ${counted(waiting.length, 'event')} of hooks (${spool})`);
  const drafts = names.filter((name) => name.startsWith('.new-'));
  const ages = await Promise.all(drafts.map((name) => stat(path.join(spool, name)).catch(() => undefined)));
  const old = ages.filter((file) => file && clock() - file.mtimeMs > DAY_MS).length;
  if (old > 0)
    yield note(
      'spool-drafts',
      `Never finished, because their programs were ended in the middle: ${counted(old, 'event')}`,
    );
  if (bad.length > 0)
    yield warning(
      'spool-bad',
      `Not understood, and kept in ${path.join(spool, 'bad')}: ${counted(bad.length, 'event')}`,
      'Look at them; a newer troupe may know them. Then remove them.',
    );
}

async function* examineErrors(file: string): AsyncGenerator<Finding> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const last = text.split('\n').findLast((line) => /^\d{4}-\d\d-\d\dT/.test(line));
  if (last === undefined) return;
  yield warning(
    'hook-errors',
    `A hook had trouble, last: ${last.slice(0, 200)}`,
    `See ${file}, and remove it when you are done.`,
  );
}
