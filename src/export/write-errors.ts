import { codeOf, UserError } from '../lib/user-error.ts';

/** What goes wrong while pages are written, in words, for those that a person can do something about. */
export function explainWriteError(
  folder: string,
  remedyAfterwards?: string,
): <T>(write: () => Promise<T>) => Promise<T> {
  return async (write) => {
    try {
      return await write();
    } catch (error) {
      const known = WORDS[String(codeOf(error))];
      if (!known) throw error;
      const [what, remedy] = known;
      throw new UserError('export-write', `${folder} cannot be written: ${what}.`, remedyAfterwards ?? remedy, {
        cause: error,
      });
    }
  };
}

const AS_BEFORE = 'What was there before is as it was.';
const ELSEWHERE = `Name another folder with --out-dir. ${AS_BEFORE}`;

const WORDS: { readonly [code: string]: readonly [what: string, remedy: string] } = {
  ENOSPC: ['there is no space left on the disk', `Make room and run it again. ${AS_BEFORE}`],
  EDQUOT: ['your share of the disk is used up', `Make room and run it again. ${AS_BEFORE}`],
  EFBIG: ['a file may not become that large there', ELSEWHERE],
  EACCES: ['it is not permitted', ELSEWHERE],
  EPERM: ['it is not permitted', ELSEWHERE],
  EROFS: ['its disk can only be read', ELSEWHERE],
  ENOENT: ['no folder can be made there', ELSEWHERE],
  ENOTDIR: ['a part of its path is a file', ELSEWHERE],
  ENAMETOOLONG: ['its name is too long', ELSEWHERE],
  EISDIR: ['a folder lies where a page has to go', ELSEWHERE],
  EIO: ['the disk reports an error', ELSEWHERE],
};
