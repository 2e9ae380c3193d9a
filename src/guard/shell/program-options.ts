// Programs whose options name code, programs, lists of files or files to write: one table for each. An option that is not in
// its table, or a cut one that could be two, makes the command opaque.

import { isUnsure, type OptionSpec, type ReadOptions, type ShellWord } from './words.ts';

export interface ProgramOptions extends OptionSpec {
  /** Their value is code for a shell. Letters, and long names with `=` as in `long`. */
  readonly code?: string;
  /** Their value is a file that holds names of files to read; `-` is what comes in. */
  readonly lists?: string;
  /** Their value is a file that is read, or written. */
  readonly reads?: string;
  readonly writes?: string;
}

export const PROGRAM_OPTIONS: Readonly<Record<string, ProgramOptions>> = {
  sed: {
    flags: 'nErsuzbh',
    values: 'efl',
    attached: 'i',
    long: 'quiet silent debug expression= file= follow-symlinks in-place line-length= posix regexp-extended separate sandbox unbuffered null-data zero-terminated binary help version',
  },
  make: {
    flags: 'bBdehikLmnpqrRsStvw',
    values: 'CEfIoW',
    attached: 'jlO',
    long: 'always-make directory= debug environment-overrides eval= file= makefile= help ignore-errors include-dir= jobs keep-going load-average max-load check-symlink-times just-print dry-run recon assume-old= old-file= output-sync print-data-base question no-builtin-rules no-builtin-variables shuffle silent quiet no-silent no-keep-going stop touch trace version print-directory no-print-directory what-if= new-file= assume-new= warn-undefined-variables jobserver-style=',
  },
  tar: {
    flags: 'cxtruAdzjJZakpPhSlmoOsiwWnBUGvR',
    values: 'fCTXIFbgHKLNV',
    long: 'create extract get list append update catenate concatenate delete diff compare gzip gunzip ungzip bzip2 xz lzma lzip lzop zstd compress uncompress auto-compress no-auto-compress keep-old-files skip-old-files keep-newer-files overwrite overwrite-dir unlink-first recursive-unlink remove-files preserve-permissions same-permissions same-owner no-same-owner no-same-permissions numeric-owner absolute-names dereference hard-dereference sparse one-file-system touch to-stdout verbose verify totals wildcards no-wildcards anchored no-anchored ignore-case no-ignore-case no-recursion recursion exclude-vcs exclude-vcs-ignores exclude-backups exclude-caches exclude-caches-all null no-null verbatim-files-from no-verbatim-files-from interactive confirmation preserve-order same-order multi-volume incremental no-xattrs xattrs acls no-acls selinux no-selinux show-transformed-names show-stored-names utc full-time help usage version delay-directory-restore warning= mode= mtime= clamp-mtime owner= group= owner-map= group-map= sort= format= posix old-archive portability file= directory= files-from= exclude= exclude-from= exclude-tag= exclude-ignore= use-compress-program= info-script= new-volume-script= to-command= rsh-command= rmt-command= checkpoint checkpoint-action= listed-incremental= blocking-factor= record-size= starting-file= newer= newer-mtime= after-date= strip-components= transform= xform= suffix= backup label= tape-length= index-file= one-top-level force-local no-check-device check-device ignore-failed-read ignore-zeros read-full-records occurrence quoting-style= quote-chars= no-quote-chars= level= atime-preserve keep-directory-symlink no-overwrite-dir restrict show-defaults show-omitted-dirs hole-detection= sparse-version= pax-option= volno-file= add-file= seek no-seek block-number',
    code: 'I use-compress-program= F info-script= new-volume-script= to-command= rsh-command= rmt-command= checkpoint-action=',
    lists: 'T files-from=',
    reads: 'X exclude-from= add-file=',
    writes: 'index-file= volno-file=',
  },
  sort: {
    flags: 'bdfgiMhnRrVcCmsuz',
    values: 'kotST',
    long: 'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source= reverse sort= version-sort batch-size= check compress-program= debug files0-from= key= merge output= stable buffer-size= field-separator= temporary-directory= parallel= unique zero-terminated help version',
    code: 'compress-program=',
    lists: 'files0-from=',
    writes: 'o output=',
  },
  wc: {
    flags: 'cmlLw',
    long: 'bytes chars lines files0-from= max-line-length words total= help version debug',
    lists: 'files0-from=',
  },
  du: {
    flags: '0abcDHhklLmPsSx',
    values: 'dtBX',
    long: 'null all apparent-size block-size= bytes total dereference-args max-depth= files0-from= si human-readable inodes count-links dereference no-dereference separate-dirs summarize threshold= time time-style= exclude-from= exclude= one-file-system help version',
    lists: 'files0-from=',
    reads: 'X exclude-from=',
  },
  awk: {
    flags: 'bcCgMNnOPrsStVhI',
    values: 'FvfeEil',
    attached: 'dDopLW',
    long: 'field-separator= assign= file= source= exec= include= load= characters-as-bytes traditional copyright dump-variables debug gen-pot help lint bignum use-lc-numeric non-decimal-data pretty-print optimize profile posix re-interval no-optimize sandbox lint-old version trace csv',
    reads: 'f file= i include= E exec=',
    writes: 'd dump-variables= o pretty-print= p profile=',
  },
};

/** Options that change nothing of what npm runs, or where that writes; behind `--` all words are those of the script. */
const NPM_HARMLESS =
  /^(?:-s|-d|-dd|-ddd|-q|--silent|--quiet|--verbose|--if-present|--no-color|--color(?:=always)?|--no-progress|--no-audit|--no-fund|--no-update-notifier|--loglevel(?:=\w+)?|--foreground-scripts|--json|--help|--ignore-scripts)$/;

/** Options, and words, that say which code a program runs, or make it write somewhere. */
const TELLING: Readonly<Record<string, RegExp>> = {
  yarn: /^--(?:cwd|use-yarnrc|cache-folder|modules-folder|global-folder|script-shell|mutex|require|top-level|inspect|binaries-only|registry)/,
  pnpm: /^(?:-C|-r|-w|-F)|^--(?:dir|prefix|filter|recursive|workspace|script-shell|shell-|node-|global|config|store|modules-dir|virtual-store|cache|state|reporter|npm-path|userconfig|use-)/,
  bun: /^(?:-r|-c|-F)|^--(?:cwd|preload|require|config|shell|filter|env-file|bun|inspect|eval|print|import|define|loader|tsconfig|reporter|coverage-dir)/,
  cargo:
    /^(?:-C|-Z|\+)|^--(?:config|manifest-path|target-dir|artifact-dir|out-dir|build-plan|lockfile-path|registry|index)/,
  go: /^--?(?:exec|toolexec|vettool|o|C|modfile|overlay|work|pkgdir|cpuprofile|memprofile|blockprofile|mutexprofile|trace|outputdir|coverprofile|test\.\w+|ldflags|gcflags|asmflags|gccgoflags|compiler|mod|fuzz|args)(?:=|$)/,
  git: /^--(?:o(?:u|ut|utp[\w-]*)?|ext[\w-]*|textc[\w-]*|no-ind[\w-]*|open-f[\w-]*|upload-p[\w-]*|receive-p[\w-]*|exec|conf[\w-]*|templ[\w-]*|separate-g[\w-]*|exec-path|git-dir|work-tree|edit[\w-]*)(?:=|$)|^-O/,
};

/** Where the last word is that changes what a program runs: an allow must name it. */
export function tellingWord(name: string, words: readonly ShellWord[]): number | undefined {
  const program = /^(?:gmake|make|npm)$/.test(name) ? name.replace('gmake', 'make') : name;
  const pattern = TELLING[program];
  if (pattern === undefined && program !== 'npm' && program !== 'make') return undefined;
  const end = words.findIndex(({ form }) => form === '--');
  const own = words.slice(0, end < 0 ? undefined : end);
  const at = own.findLastIndex(({ form }, index) => {
    if (index === 0) return false;
    if (program === 'npm') return form.startsWith('-') && !NPM_HARMLESS.test(form);
    // A further goal is another recipe, and a variable may be a part of any.
    if (program === 'make')
      return (
        index > 1 &&
        !/^(?:-[jknsBiw]+\d*|-j|\d+|--(?:silent|jobs(?:=\d+)?|keep-going|dry-run|no-print-directory|always-make))$/.test(
          form,
        )
      );
    return pattern?.test(form) ?? false;
  });
  return at < 0 ? undefined : at;
}

/** As `readOptions`, for programs that take options behind other words, and cut long ones. */
export function readMixedOptions(words: readonly ShellWord[], spec: OptionSpec): ReadOptions {
  const names = (spec.long ?? '').split(' ').filter((name) => name !== '');
  const options: { name: string; value: ShellWord | null }[] = [];
  const rest: ShellWord[] = [];
  let isSure = true;
  const take = (index: number, value: ShellWord | undefined): ShellWord | null => value ?? words[index + 1] ?? null;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as ShellWord;
    if (word.form === '--') return { options, rest: [...rest, ...words.slice(index + 1)], isSure };
    if (!word.form.startsWith('-') || word.form === '-') rest.push(word);
    else if (word.form.startsWith('--')) {
      const equals = word.form.indexOf('=');
      const said = equals < 0 ? word.form.slice(2) : word.form.slice(2, equals);
      const value = equals < 0 ? undefined : cut(word, equals + 1);
      const meant = names.includes(said) || names.includes(`${said}=`) ? [said] : startingWith(said, names);
      const [name = said] = meant;
      if (meant.length !== 1 || isUnsure(said)) isSure = false;
      const takesValue = names.includes(`${name}=`);
      options.push({ name, value: takesValue ? take(index, value) : (value ?? null) });
      if (takesValue && value === undefined) index++;
    } else {
      for (let at = 1; at < word.form.length; at++) {
        const letter = word.form[at] as string;
        const attached = at + 1 < word.form.length ? cut(word, at + 1) : undefined;
        const takesValue = spec.values?.includes(letter) ?? false;
        if (takesValue || spec.attached?.includes(letter)) {
          options.push({ name: letter, value: takesValue ? take(index, attached) : (attached ?? null) });
          if (takesValue && attached === undefined) index++;
          break;
        }
        if (!spec.flags?.includes(letter)) isSure = false;
        options.push({ name: letter, value: null });
      }
    }
  }
  return { options, rest, isSure };
}

function startingWith(said: string, names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name.startsWith(said)).map((name) => name.replace('=', '')))];
}

function cut(word: ShellWord, from: number): ShellWord {
  const form = word.form.slice(from);
  return { form, text: form };
}

/** `tar cIf program archive`: letters without a dash take the words behind them, one after the other. */
export function withDashes(args: readonly ShellWord[], spec: OptionSpec): readonly ShellWord[] {
  const [first, ...rest] = args;
  if (first === undefined || first.form.startsWith('-') || !/^[A-Za-z]+$/.test(first.form)) return args;
  const words: ShellWord[] = [];
  for (const letter of first.form) {
    words.push({ form: `-${letter}`, text: `-${letter}` });
    if (spec.values?.includes(letter)) words.push(...rest.splice(0, 1));
  }
  return [...words, ...rest];
}
