// Files that programs of every kind are told to write, by the options that most of them have in common.
import type { ShellWord } from './words.ts';

const OUTPUT =
  /^(?:-o|-out|--out(?:put)?(?:-?(?:file|dir|directory|document))?|--target-directory|--outFile|--outDir|--dest(?:ination)?)$/;
const IN_PLACE = /^(?:--write|--fix|--in-place|--inplace|-i|-w)$/;

/** The last of their words is where the others go, if there is more than one. */
const LAST_IS_WRITTEN = /^(?:ffmpeg|convert|magick|uniq|xxd|split|pandoc|rclone|sftp|gsutil|cwebp)$/;
/** The same behind a verb: `docker cp c:/a b`. */
const COPIES_BY_VERB = /^(?:docker|podman|kubectl|oc|aws|gcloud|az|rclone)$/;

/** `args`: without the program. */
export function outputsOf(name: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const plain = args.filter(({ form }) => !form.startsWith('-'));
  const last = plain.length > 1 ? plain.slice(-1) : [];
  const copies = COPIES_BY_VERB.test(name) && plain.some(({ form }) => /^(?:cp|copy|sync|mv)$/.test(form));
  return [
    ...args.flatMap((word, index) => outputIn(word, args[index + 1])),
    ...(args.some(({ form }) => IN_PLACE.test(form)) ? plain.filter(isPathLike) : []),
    ...(LAST_IS_WRITTEN.test(name) || copies ? last : []),
  ];
}

function outputIn({ form, text }: ShellWord, next: ShellWord | undefined): readonly ShellWord[] {
  if (OUTPUT.test(form)) return next !== undefined && (form !== '-o' || isPathLike(next)) ? [next] : [];
  const equals = form.indexOf('=');
  if (equals > 0 && OUTPUT.test(form.slice(0, equals))) return [{ form: form.slice(equals + 1), text }];
  const attached = { form: form.slice(2), text };
  return /^-[ot][^-=]/.test(form) && isPathLike(attached) ? [attached] : [];
}

function isPathLike({ form }: ShellWord): boolean {
  return /[/~]|^\.|\.[A-Za-z0-9]{1,8}$/.test(form) && !form.includes('://');
}
