// Which arguments of the usual commands are files, read or written. A small table; of all other commands, arguments that
// look like paths count as read.

import { byName, wordSet } from '../../lib/group.ts';
import { filesInPatch } from '../../lib/patch-text.ts';
import { isShell } from './interpreters.ts';
import { baseName, extentOf, joinPath, readListed, unpack, usePath, writtenText } from './paths.ts';
import { inside, type Scene } from './scene.ts';
import { ANYTHING, GLOB_ONE, GLOB_STAR, isUnsure, type ShellWord } from './words.ts';
import { isWrapper } from './wrappers.ts';

const NO_FILES = wordSet(
  'basename dirname echo printf true false : test [ exit return break continue shift wait set unset export declare typeset local readonly read kill sleep which type hash jobs fg bg ulimit umask cd pushd popd pwd find xargs git eval trap alias ssh',
);
const READERS =
  'cat head tail less more bat nl tac wc sort uniq cut paste od xxd hexdump strings file stat ls tree du df diff cmp comm md5sum sha1sum sha256sum sha512sum cksum base64 base32 column fold fmt rev zcat bzcat xzcat readlink realpath open code iconv expand tr source . gpg openssl mail nc socat';
/** Their first word is a pattern or a program, unless an option gives that. */
const SEARCHERS = 'grep egrep fgrep zgrep rg ag ack jq yq sed gsed awk gawk mawk';
const WRITERS =
  'touch mkdir tee truncate mkfifo mknod mktemp dos2unix unix2dos black isort rustfmt crudini sqlite3 sponge nano vi vim nvim emacs ed ex gzip gunzip bzip2 xz zstd';
/** With all that is below. */
const REMOVERS = 'rm rmdir unlink shred trash srm';
const MODE_CHANGERS = 'chmod chown chgrp chattr setfacl xattr';
/** The last word is where the others go. */
const COPIERS = 'cp install ln rsync scp ditto';

/** Whoever copies a program, or gives it another name, may run it under that: denies hold the copying for the program. */
const GIVES_NAMES = wordSet('cp install ln mv ditto dd cat rsync');

type Use = (list: readonly ShellWord[], extent?: 'all') => void;

/** The words of a command, and what it may do with the files among them. */
interface FileCommand {
  readonly name: string;
  /** Without the program. */
  readonly args: readonly ShellWord[];
  /** Without options. */
  readonly plain: readonly ShellWord[];
  readonly scene: Scene;
  readonly read: Use;
  readonly readWhole: Use;
  readonly write: Use;
  /** With all that is below, which is not there any more afterwards. */
  readonly remove: (list: readonly ShellWord[]) => void;
}

const HERE: ShellWord = { form: '.', text: '.' };

const USES = byName<(command: FileCommand) => void>({
  [READERS]: useRead,
  [SEARCHERS]: useSearched,
  [WRITERS]: ({ plain, write }) => write(plain),
  [REMOVERS]: ({ plain, remove }) => remove(plain),
  // `chmod -x file` has its mode among the options.
  [MODE_CHANGERS]: ({ name, args, plain, write, remove }) => {
    const hasDash = args.some(({ form }) => /^-[rwxXst]+$|^--ref/.test(form));
    const files = hasDash ? plain : plain.slice(1);
    const takesAway = name !== 'chmod' || hasDash || /^0?[0-3]|[ua]?[-=](?!.*[rw])|-[rwx]/.test(plain[0]?.form ?? '');
    if (takesAway) remove(files);
    else write(files, 'all');
  },
  [COPIERS]: useCopied,
  mv: ({ args, plain, read, write, remove }) => {
    const hasTarget = args.some(({ form }) => /^-[a-zA-Z]*t|^--t/.test(form));
    remove(hasTarget ? plain : plain.slice(0, -1));
    write(plain, 'all');
    write(intoFolder(plain), 'all');
    read(plain.slice(0, -1), 'all');
  },
  // A fingerprint is no secret.
  'ssh-keygen': (command) => {
    if (!command.args.some(({ form }) => /^-[a-zA-Z]*l/.test(form))) useOther(command);
  },
  // It prints what is in its files.
  aws: (command) => {
    const [verb, what] = command.plain.map(({ form }) => form);
    const secret =
      command.scene.home === null ? `${ANYTHING}/.aws/credentials` : `${command.scene.home}/.aws/credentials`;
    if (verb === 'configure' && /^(?:get|list|export-credentials)$/.test(what ?? ''))
      command.read([{ form: secret, text: what ?? '' }]);
    useOther(command);
  },
  patch: ({ args, plain, scene, read, write }) => {
    write(plain.slice(0, 1));
    const input = [...plain.slice(1), ...valuesAfter(args, /^(?:-\w*i|--input)$/), ...valuesOf(args, /^--input=/)];
    read(input);
    write(patchedBy(input, scene).map((form) => ({ form, text: 'a patch' })));
  },
  'apply_patch applypatch': ({ args, scene, write }) => write(patchedFiles(args, scene)),
  'mount umount': ({ plain, remove }) => remove(plain.slice(-1)),
  dd: ({ args, read, write }) => {
    write(valuesOf(args, /^of=/));
    read(valuesOf(args, /^if=/));
  },
  'tar bsdtar': useArchive,
  unzip: ({ args, plain, scene, read, write }) => {
    const folder = valuesAfter(args, /^-d$/);
    if (!args.some(({ form }) => /^-\w*[pltvZ]/.test(form)) && plain.length - folder.length < 2)
      unpack(folder[0] ?? HERE, 'unzip', scene);
    write(folder.length > 0 ? folder : [HERE], 'all');
    // With -p, the names of what is shown.
    read(args.some(({ form }) => /^-\w*[pc]/.test(form)) ? plain : plain.slice(0, 1));
  },
  zip: ({ args, plain, scene, read, write, remove }) => {
    write(plain.slice(0, 1));
    if (args.some(({ form }) => /^-[a-zA-Z]*m|^--move$/.test(form))) remove(plain.slice(1));
    read(plain.slice(1), isRecursive(args) ? 'all' : undefined);
    const isToOutput = args.some(({ form }) => form === '-');
    if (isRecursive(args)) readListed(isToOutput ? plain : plain.slice(1), 'zip', scene, args);
    if (args.some(({ form }) => /^-\w*@|^--names-stdin$/.test(form))) useGivenNames('zip -@', scene);
  },
  'cpio pax': (command) => {
    const { args, plain, name, scene } = command;
    useOther(command);
    if (
      !args.some(({ form }) => /^-\w*i|^--extract/.test(form)) &&
      plain.every(({ form }) => !/^[./~\w]/.test(form) || name === 'cpio')
    )
      useGivenNames(name, scene);
  },
  '7z 7za 7zr ack cpp cc gcc g++ clang clang++': (command) => {
    useOther(command);
    const { name, args, scene } = command;
    const takesNames = name === 'ack' ? /^-\w*x$/ : /^-$/;
    if (args.some(({ form }) => takesNames.test(form))) useGivenText(name, scene);
    // What is in a list of arguments is not known.
    if (args.some(({ form }) => /^@./.test(form))) usePath('read', ANYTHING, `${name} @`, scene);
  },
  'csplit split': ({ args, plain, read, write }) => {
    const prefix = [
      ...valuesAfter(args, /^(?:-\w*f|--prefix)$/),
      ...valuesOf(args, /^(?:-f|--prefix=)(?=.)/),
      ...plain.slice(1),
    ];
    read(plain);
    write(prefix.map(({ form, text }) => ({ form: form + GLOB_STAR, text })));
  },
  curl: ({ args, read, write }) => {
    write([
      ...valuesAfter(args, /^(?:-[a-zA-Z]*o|--output|--dump-header|-D|-c|--cookie-jar|--trace)$/),
      ...valuesOf(args, /^--output=/),
    ]);
    if (args.some(({ form }) => /^(?:-[a-zA-Z]*O|--remote-name(?:-all)?)$/.test(form))) write([HERE], 'all');
    read(valuesAfter(args, /^(?:-T|--upload-file|-[a-zA-Z]*K|--config|-b|--cookie|-E|--cert|--key|--netrc-file)$/));
    read(valuesOf(args, /^--(?:upload-file|config|cookie|cert|key|netrc-file)=|^-[TKbE](?=.)/));
    // Settings hold addresses, files to send and files to write.
    if (
      args.some(
        ({ form }, index) =>
          /^(?:-[a-zA-Z]*K|--config)$/.test(args[index - 1]?.form ?? '') || /^(?:-[a-zA-Z]*K.|--config=)/.test(form),
      )
    )
      read([{ form: ANYTHING, text: '-K' }]);
    // -d @file, -d@file, -F x=@file, -F x=<file, --data-urlencode x@file
    read(valuesOf(args, /^(?!\w+:\/\/)[^@<\s]*(?:@|=<)(?=.)/));
  },
  wget: ({ args, read, write }) => {
    const output = [
      ...valuesAfter(args, /^(?:-O|--output-document|-P|--directory-prefix|-o|--output-file|-a)$/),
      ...valuesOf(args, /^--(?:output-document|directory-prefix|output-file)=|^-[OPoa](?=.)/),
    ];
    write(output.length > 0 ? output : [HERE], 'all');
    read(valuesOf(args, /^--(?:post|body|input)-file=|^-i(?=.)/));
    read(valuesAfter(args, /^(?:--(?:post|body|input)-file|-i)$/));
  },
});

/** Is it one of the usual commands, which take their words for files and texts? */
export function hasFileUses(name: string): boolean {
  return USES.has(name) || NO_FILES.has(name);
}

export function useFiles(name: string, words: readonly ShellWord[], scene: Scene): void {
  // What a shell or a wrapper is given is looked at by itself.
  if (NO_FILES.has(name) || isShell(name) || isWrapper(name)) return;
  const args = words.slice(1);
  const using =
    (kind: 'read' | 'write'): Use =>
    (list, extent) => {
      for (const { form, text } of list) usePath(kind, form, `${name} ${text}`, scene, extent);
    };
  const [read, write] = [using('read'), using('write')];
  const remove = (list: readonly ShellWord[]): void => {
    for (const { form, text } of list) usePath('write', form, `${name} ${text}`, scene, 'all', false, true);
  };
  const readWhole: Use = (list) => {
    for (const word of list) read([word], extentOf(word.form, scene));
  };
  const use = USES.get(name) ?? useOther;
  if (use !== useSearched) write(outputsOf(name, args).map(asFolder), 'all');
  if (args.some(({ form }) => form.toLowerCase().includes('file:')))
    read(valuesOf(args, /^(?:[^\s=]*=)?file:(?:\/\/(?:localhost(?=\/))?)?/i).flatMap(decoded));
  // `date -f.env`
  if (!/grep$/.test(name)) read(valuesOf(args, /^-[a-zA-Z]{1,3}(?=~\/|\.{0,2}\/|\.[A-Za-z])/));
  if (name === 'yq') read(plainOf(args).slice(0, 1));
  if (name === 'sqlite3')
    write(valuesOf(args, /^file:(?:\/\/)?/).map(({ form, text }) => ({ form: form.replace(/\?.*$/s, ''), text })));
  if (GIVES_NAMES.has(name)) suspectPrograms(name, args, scene);
  use({ name, args, plain: plainOf(args), scene, read, readWhole, write, remove });
}

/** Names of files that come in, one a line: `cpio -o`, `zip -@`. */
export function useGivenNames(via: string, scene: Scene): void {
  const { stdin } = scene;
  if (stdin.kind === 'none') return;
  const text = stdin.kind === 'text' ? stdin.text : stdin.kind === 'unknown' ? (stdin.hint ?? '') : '';
  for (const file of text === '' ? [ANYTHING] : text.trim().split(/[\n\0]/)) usePath('read', file, via, scene, 'all');
}

/** Source code that comes in may include files. */
function useGivenText(name: string, scene: Scene): void {
  const { stdin } = scene;
  const text = stdin.kind === 'text' ? stdin.text : stdin.kind === 'unknown' ? (stdin.hint ?? '') : '';
  if (stdin.kind !== 'none' && (text === '' || /include|embed|incbin/.test(text) || name === 'ack'))
    usePath('read', ANYTHING, name, scene);
}

/** `eslint lib/*` is `eslint lib` to those who look for a file that may lie anywhere. */
export function asFolder(word: ShellWord): ShellWord {
  const [, folder] =
    /^((?:\.\/)*(?:[\w@-][\w.@-]*\/)+)(?:[\w\uE002-][\w.\uE002-]*\/)*(?!\.)[\w.\uE002-]*\uE002$/.exec(word.form) ?? [];
  return folder === undefined ? word : { form: folder, text: word.text };
}

function useOther({ args, plain, scene, readWhole }: FileCommand): void {
  readWhole(lookingLikePaths(args).map(asFolder));
  // Outside of the project every word may name a file there.
  if (extentOf('.', scene) === 'all') readWhole(plain);
}

/** They tell of a file, not what is in it: one that nobody can name before it runs is no reason to ask. */
const TELLS_ABOUT = wordSet('wc ls stat file du df md5sum sha1sum sha256sum sha512sum cksum readlink realpath tree');

function useRead({ name, args, plain: all, scene, read, readWhole, write }: FileCommand): void {
  const plain = TELLS_ABOUT.has(name)
    ? all.filter((word) => !/[\uE000-\uE002\uE010-\uE04F]\/?$/.test(word.form) && !isSomeFileOf(word, scene))
    : all;
  write(valuesAfter(args, /^(?:-o|--output)$/));
  if (name === 'diff' && readsFolders(args)) readListed(plain, name, scene, args);
  if (name === 'diff' && readsFolders(args)) readWhole(plain);
  else read(plain);
  read(optionPaths(args));
  // `strings @list`: which files, is in the list.
  if (name === 'strings' && args.some(({ form }) => /^@./.test(form))) read([{ form: ANYTHING, text: '@' }]);
  read(valuesOf(args, /^@(?=.)/));
}

function useCopied({ name, args, plain, scene, read, write, remove }: FileCommand): void {
  if (name === 'rsync' && args.some(({ form }) => /^--(?:remove-s|del)/.test(form))) remove(plain);
  const target = [
    ...valuesAfter(args, /^(?:-[a-zA-Z]*t|--t[a-z-]*)$/),
    ...valuesOf(args, /^--t[a-z-]*=|^-[a-zA-Z]*?t(?=.)/),
  ];
  write(target.length > 0 ? target : plain.slice(-1), 'all');
  write(intoFolder(plain, target[0]), 'all');
  // A link to a folder is a way to all that is in it.
  const isWhole = name === 'ln' || isRecursive(args);
  const sources = target.length > 0 ? plain : plain.slice(0, -1);
  read(sources, isWhole ? 'all' : undefined);
  if (isRecursive(args)) readListed(sources, name, scene, args);
}

/** `cp -r x/.claude .` writes `./.claude`. */
function intoFolder(plain: readonly ShellWord[], folder = plain.at(-1)): readonly ShellWord[] {
  const sources = folder === plain.at(-1) ? plain.slice(0, -1) : plain;
  if (folder === undefined) return [];
  return sources.flatMap(({ form, text }) => {
    const name = baseName(form.replace(/\/+$/, ''));
    return /^[\w.-]*[A-Za-z][\w.-]*$/.test(name) ? [{ form: `${folder.form}/${name}`, text }] : [];
  });
}

function suspectPrograms(name: string, args: readonly ShellWord[], scene: Scene): void {
  for (const { form } of args) {
    const [, program] = /^(?:if=)?\/(?:\S*\/)?s?bin\/([\w.+-]+)$/.exec(form) ?? [];
    if (isUnsure(form) && /^(?:if=)?\/(?:\S*\/)?s?bin\/[^/]*$/.test(form))
      scene.gathering.lose(`which program ${name} gives another name is only known when it runs`);
    if (program === undefined) continue;
    const word = { form: program, text: program };
    scene.gathering.copiedPrograms.add(program);
    scene.gathering.alsoKnownAs(() => scene.runner.runWords([word], inside(scene, name, -1)));
  }
}

/** A file that find found below a folder of the project. */
function isSomeFileOf({ form }: ShellWord, scene: Scene): boolean {
  const [, folder] = /^([^\uE000-\uE04F]+)\/\uE001$/.exec(form) ?? [];
  return folder !== undefined && extentOf(folder, scene) === undefined;
}

/** `-uu`, `--hidden`: otherwise they leave out files that begin with a dot. */
const LOOKS_AT_HIDDEN = /^(?:--hidden|--unrestricted|--all-types|-\w*\.|-\w*u\w*u\w*|-[a-zA-Z]*[ua])$/;

/** `--arg name value`: a text. */
function isJqValue(args: readonly ShellWord[], word: ShellWord): boolean {
  const at = args.indexOf(word);
  return [1, 2].some((back) => /^--arg(?:json)?$/.test(args[at - back]?.form ?? ''));
}

function useSearched({ name, args, plain: given0, scene, read, readWhole, write }: FileCommand): void {
  let plain = given0;
  const given = /^(?:-[a-zA-Z]*[ef]|--regexp|--file|--expression|--from-file)$/;
  const isGiven = /^(?:-[a-zA-Z]*[ef]|--regexp|--file|--expression|--from-file)(?:=|$)/;
  const hasProgram = args.some(({ form }) => isGiven.test(form) && !/^-[a-zA-Z]*i/.test(form));
  const programs = valuesAfter(args, given);
  if (name === 'jq') plain = plain.filter((word) => !isJqValue(args, word));
  const files = hasProgram ? plain.filter((word) => !programs.includes(word)) : plain.slice(1);
  read([...valuesAfter(args, /^(?:-\w*f|--file|--from-file)$/), ...valuesOf(args, /^-f(?=.)/), ...optionPaths(args)]);
  if (
    /^(?:rg|ag)$/.test(name) &&
    args.some(
      ({ form }) =>
        LOOKS_AT_HIDDEN.test(form) && (name === 'ag' || !/^-[a-zA-Z]*[ua]$/.test(form) || /u.*u/.test(form)),
    )
  )
    read([{ form: `${files[0]?.form ?? '.'}/.${ANYTHING}`, text: 'hidden files' }]);
  // Only files of such names are looked at.
  for (const { form, text } of [...valuesOf(args, /^--include=/), ...valuesAfter(args, /^--include$/)])
    if (!/^[*\uE002]\.\w+$/.test(form))
      read([{ form: `${ANYTHING}/${form.replace(/^\*(?!\.)/, ANYTHING).replace(/\*/g, GLOB_STAR)}`, text }]);
  if (/sed$|^yq$/.test(name) && args.some(({ form }) => /^(?:-[a-zA-Z]*i|--in-?place)/.test(form))) write(files);
  else if (/awk$/.test(name) && args.some(({ form }) => form === 'inplace')) write(files);
  if (/grep$/.test(name) && readsFolders(args)) readListed(files.length > 0 ? files : [HERE], name, scene, args);
  if (/^(?:rg|ag|ack)$/.test(name) || readsFolders(args)) readWhole(files);
  // `find src -exec grep x {} +` is `grep -r x src`.
  else for (const word of files) read(/grep$/.test(name) && isSomeFileOf(word, scene) ? [] : [word]);
}

function useArchive({ args, scene, read, write, remove }: FileCommand): void {
  const [mode] = args;
  const bundle = mode === undefined ? '' : mode.form.replace(/^-/, '');
  const isLong = mode?.form.startsWith('--') ?? true;
  const has = (letter: string, long: string) =>
    (!isLong && bundle.includes(letter)) ||
    args.some(({ form }) => form === long || new RegExp(`^-[a-zA-Z]*${letter}`).test(form));
  const archive = [...valuesAfter(args, /^(?:-?[a-zA-Z]*f|--file)$/), ...valuesOf(args, /^--file=/)];
  const folder = valuesAfter(args, /^(?:-C|--directory)$/);
  if (has('x', '--extract')) {
    const inFolder = valuesOf(args, /^--one-top-level=/);
    const members = plainOf(args.slice(isLong ? 0 : 1)).filter(
      (word) => !archive.includes(word) && !folder.includes(word),
    );
    const isFlat = args.every(({ form }) => !/^--one-top-level$/.test(form));
    if (members.length === 0 && isFlat && !has('O', '--to-stdout'))
      unpack(inFolder[0] ?? folder[0] ?? HERE, 'tar', scene);
    write(folder.length > 0 ? folder : [HERE], 'all');
    read(archive);
    // With -O, the names of what is shown.
    if (has('O', '--to-stdout')) read(plainOf(args.slice(1)));
  } else if (has('t', '--list')) read(archive);
  else {
    const packed = plainOf(args.slice(1)).filter((word) => !archive.includes(word));
    write(archive);
    if (args.some(({ form }) => /^--rem/.test(form))) remove(packed);
    read(packed, 'all');
    readListed(packed, 'tar', scene, args);
    read(optionPaths(args));
  }
}

/** `--files0-from=path`; what is left out is not read. */
function optionPaths(args: readonly ShellWord[]): readonly ShellWord[] {
  return lookingLikePaths(args.filter(({ form }) => /^--(?!exclude|ignore)[\w-]+=/.test(form)));
}

/** `grep -r`, `diff -r`. */
function readsFolders(args: readonly ShellWord[]): boolean {
  return args.some(({ form }) => /^-[a-zA-Z]*[rR]|^--(?:deref[a-z]*-)?recu|^--dir[a-z]*=rec|^recurse$/.test(form));
}

function isRecursive(args: readonly ShellWord[]): boolean {
  return args.some(({ form }) => /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)$/.test(form));
}

/** Words that are no options; behind `--` all of them. */
function plainOf(args: readonly ShellWord[]): readonly ShellWord[] {
  const dashes = args.findIndex(({ form }) => form === '--');
  const before = dashes < 0 ? args : args.slice(0, dashes);
  const plain = before.filter(({ form }) => !form.startsWith('-') || form === '-');
  return (dashes < 0 ? plain : [...plain, ...args.slice(dashes + 1)]).filter(({ form }) => form !== '-');
}

function valuesAfter(args: readonly ShellWord[], option: RegExp): readonly ShellWord[] {
  return args.flatMap((word, index) => {
    const value = args[index + 1];
    return option.test(word.form) && value !== undefined ? [value] : [];
  });
}

/** `%65` in an address. */
function decoded({ form, text }: ShellWord): readonly ShellWord[] {
  // curl reads `[a-z]` and `{a,b}` in addresses by itself.
  const plain = form
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\[[^\]]*\]/g, GLOB_ONE);
  const [braces, choices = ''] = /\{([^{}]*)\}/.exec(plain) ?? [];
  const chosen = choices
    .split(',')
    .map((one) => plain.replace(braces ?? '', () => one).replace(/\{[^}]*\}/g, ANYTHING));
  return (braces === undefined ? [plain] : chosen).map((one) => ({ form: one, text }));
}

function valuesOf(args: readonly ShellWord[], prefix: RegExp): readonly ShellWord[] {
  return args.flatMap(({ form, text }) => (prefix.test(form) ? [{ form: form.replace(prefix, ''), text }] : []));
}

/** Also inside of `--config=path`, `-v path:path` and `src=path,dst=path`. */
function lookingLikePaths(args: readonly ShellWord[]): readonly ShellWord[] {
  const pieces = args
    .filter(({ form }) => !form.includes('://') && !/\s/.test(form))
    .flatMap(({ form, text }) => [form, ...form.split(/[=:,@]/)].map((piece) => ({ form: piece, text })));
  const seen = new Set<string>();
  return pieces.filter(({ form }) => {
    if (seen.has(form) || form.startsWith('-') || (isUnsure(form[0] ?? '') && form.length === 1)) return false;
    seen.add(form);
    return /^[.~/]|\/|\.[A-Za-z0-9]{1,8}$/.test(form);
  });
}

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
  const last = plain.length > 1 || (name === 'xxd' && args.some(({ form }) => form === '-')) ? plain.slice(-1) : [];
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

/** `--- a/x`, `+++ b/x`, `rename to x`: the files of a patch whose text is known, by the names it gives them. */
export function patchedBy(words: readonly ShellWord[], scene: Scene): readonly string[] {
  const { stdin, context, cwds } = scene;
  const given = stdin.kind === 'text' ? stdin.text : stdin.kind === 'unknown' ? (stdin.hint ?? '') : '';
  const files = words.map(({ form }) => form).filter((form) => !form.startsWith('-') && !isUnsure(form));
  const inFiles = files.flatMap((form) => [
    writtenText(form, scene) ?? '',
    ...(cwds ?? []).map((cwd) => context.readScript?.(joinPath(cwd, form)) ?? ''),
  ]);
  const [folder = ''] = valuesOf(words, /^--directory=/).map(({ form }) => `${form}/`);
  return [given, ...inFiles].flatMap((text) =>
    [...text.replaceAll('\\n', '\n').matchAll(/^(?:---|\+\+\+|rename (?:to|from)|copy to) ([^\t\n]+)/gm)].flatMap(
      ([, name = '']) => {
        const plain = name.trim().replace(/^"|"$/g, '');
        return plain === '/dev/null' ? [] : [plain, plain.replace(/^[^/]+\//, '')].map((path) => folder + path);
      },
    ),
  );
}

/** Where the patch cannot be read, it may be any file. */
export function patchedFiles([argument]: readonly ShellWord[], { stdin }: Scene): readonly ShellWord[] {
  const text = argument?.form ?? (stdin.kind === 'text' ? stdin.text : ANYTHING);
  const files = filesInPatch(text);
  if (isUnsure(text) || files.length === 0) return [{ form: ANYTHING, text: 'a patch' }];
  return files.map((file) => ({ form: file, text: file }));
}
