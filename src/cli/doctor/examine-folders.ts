import type { Finding } from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import { findSessions, isAddress, type Place } from '../../sessions/index.ts';
import { counted, findingsOf, wordsOf } from './finding.ts';

const { good, note, problem } = findingsOf('folders');

/** Where sessions are looked for, and whether any are found. */
export async function* examineFolders(places: readonly Place[]): AsyncGenerator<Finding> {
  for (const place of places) {
    const { root, adapter } = place;
    if (!isAddress(root) && !(await isFolder(root))) {
      yield note('folder-missing', `${root} (${adapter.title}) is not there yet. troupe looks at it as soon as it is.`);
      continue;
    }
    try {
      const { sessions, ignoredFiles, problems } = await findSessions([place]);
      yield good('folder-read', `${root} (${adapter.title}): ${counted(sessions.length, 'session')}`);
      for (const text of problems)
        yield problem('folder-part-unreadable', text, 'Everything else there is shown. See the README of the host.');
      if (ignoredFiles.size > 0)
        yield note('folder-ignored', `Of no use to troupe there: ${counted(ignoredFiles.size, 'file')}`);
    } catch (error) {
      yield problem('folder-unreadable', `${root} cannot be read: ${wordsOf(error)}`, 'Make it readable for you.');
    }
  }
}
