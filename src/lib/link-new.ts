import { link } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from './user-error.ts';

/** Gives the draft a second name; false where that name is taken. Of any number that try at once, one succeeds. */
export async function linkNew(draft: string, place: string): Promise<boolean> {
  try {
    await link(draft, place);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return false;
    if (!WITHOUT_LINKS.has(code)) throw error;
    throw new UserError(
      'state-folder',
      `The file system of ${path.dirname(place)} has no hard links, which troupe needs there.`,
      'Name a folder on another one with TROUPE_HOME.',
      { cause: error },
    );
  }
}

const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
