// `apply_patch`: what models of OpenAI change files with, in a shell of theirs. The files stand in the patch itself.
import { filesInPatch } from '../../lib/patch-text.ts';
import { ANYTHING, isUnsure } from './marks.ts';
import type { Scene } from './scene.ts';
import type { ShellWord } from './words.ts';

/** Where the patch cannot be read, it may be any file. */
export function patchedFiles([argument]: readonly ShellWord[], { stdin }: Scene): readonly ShellWord[] {
  const text = argument?.form ?? (stdin.kind === 'text' ? stdin.text : ANYTHING);
  const files = filesInPatch(text);
  if (isUnsure(text) || files.length === 0) return [{ form: ANYTHING, text: 'a patch' }];
  return files.map((file) => ({ form: file, text: file }));
}
