// Where in a command the walk is: the folder, what is around, what comes in. Inner parts get changed copies of it.

import { FIRST_CHOICE, MAX_CHOICES, type ShellWord, type WordPlaces } from './words.ts';

/** Of the machine, handed in: this room asks nothing of it. */
export interface ShellContext {
  readonly cwd: string | null;
  readonly home: string | null;
  readonly projectDir: string | null;
  /** An absolute path → the same with links followed, as far as it exists. May throw. */
  resolve(path: string): string;
  /** The text of a script that is there now; null: none, or no text. Left out: files are not looked into. */
  readScript?(path: string): string | null;
  /** Files below a folder, by names that begin there, up to some number. Left out, or empty: nobody looked. */
  listFolder?(path: string): readonly string[];
  /** Files that git keeps of the repository around a folder, by their absolute paths; null: its index cannot be read. */
  listTracked?(path: string): readonly string[] | null;
  /** Those that are being looked into. */
  readonly scripts?: readonly string[];
}

export interface Scene {
  readonly gathering: Gathering;
  readonly context: ShellContext;
  readonly runner: Runner;
  /** That the positions of the syntax tree count in. */
  readonly source: string;
  /** All that is run in one shell: what assigns a variable is looked for in there. */
  readonly code: string;
  /** Variables whose few values are known, by their marks. */
  variables: ReadonlyMap<string, string>;
  /** Where it may be run. Null: anywhere. */
  cwds: readonly string[] | null;
  /** Functions that are there by now, whatever happened before. */
  functions: ReadonlySet<string>;
  readonly wrappers: readonly string[];
  /** The command that is being looked at, where it is one that runs others. */
  readonly self: number | null;
  readonly within: SimpleCommand['within'];
  stdin: Stdin;
  /** On another machine or in a container: its files are not ours. */
  readonly isElsewhere: boolean;
  readonly home: string | null;
  /** The shell is the plain one: what only bash and zsh know means something else in it. */
  readonly isPosix: boolean;
  readonly depth: number;
}

export type Stdin =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly form: string }
  /** `hint`: what comes in, as far as a text that stands there says so (`echo x |`); `found`: names of such files. */
  | { readonly kind: 'unknown'; readonly hint?: string; readonly found?: string };

/** The two ways into a command that stands inside another one. */
export interface Runner {
  runWords(words: readonly ShellWord[], scene: Scene, sets?: readonly string[]): void;
  runCode(code: string, scene: Scene): void;
  analyse(command: string, context: ShellContext): CallUses;
  /** The names of files that a script in a word prints, as a form; null: it may print anything. */
  foundBy(script: unknown, scene: Scene): string | null;
}

const MAX_CWDS = 8;

export function placesOf(scene: Scene): WordPlaces {
  const only = scene.cwds?.length === 1 ? (scene.cwds[0] ?? null) : null;
  const foundBy = (script: unknown): string | null => scene.runner.foundBy(script, scene);
  return { home: scene.home, pwd: only, variables: scene.variables, foundBy };
}

/**
 * Functions are gone in there: `command git` and `bash -c git` run the program, whatever function has that name.
 * `at`: how many words stand before the command that is inside; -1 where it stands in a text.
 */
export function inside(scene: Scene, wrapper: string, at: number, changes: Partial<Scene> = {}): Scene {
  const within = scene.self === null ? null : { index: scene.self, at };
  return {
    ...scene,
    wrappers: [...scene.wrappers, wrapper],
    within,
    functions: new Set(),
    depth: scene.depth + 1,
    ...changes,
  };
}

export function eitherFolder(one: Scene['cwds'], other: Scene['cwds']): Scene['cwds'] {
  if (one === null || other === null) return null;
  const all = [...new Set([...one, ...other])];
  return all.length > MAX_CWDS ? null : all;
}

/** Runs it in a copy: what it does to the folder is told, and stays there. */
export function apart(scene: Scene, run: (copy: Scene) => void, changes: Partial<Scene> = {}): Scene['cwds'] {
  const copy = { ...scene, ...changes };
  run(copy);
  return copy.cwds;
}

// A tool call as the guard judges it. Everything that needs the machine (links, the folder, the home) is resolved before.

/** What a call does, as far as it can be known before it runs. */
export interface CallUses {
  readonly commands: readonly SimpleCommand[];
  /** Files by their resolved, absolute paths; with `via` how they come into it. */
  readonly reads: readonly UsedPath[];
  readonly writes: readonly UsedPath[];
  readonly hosts: readonly string[];
  /** Why not all of it is known: no pattern may allow such a call. Null: all is known. */
  readonly unknown: string | null;
  /** The command that cannot be understood, as it is written. */
  readonly unknownText: string | null;
  /** What is not known may run, read and write anything: every deny holds against it, whatever it names. */
  readonly mayBeAnything: boolean;
  /**
   * Why a shell might run more than `commands`: no pattern may allow such a call. Unlike `unknown`, it changes nothing where a rule
   * denies or asks. Null: it is proven that nothing else runs.
   */
  readonly unproven: string | null;
}

export interface SimpleCommand {
  /** The words, quotes taken away, as one line: what patterns like `git push:*` are held against. */
  readonly text: string;
  readonly words: readonly string[];
  /** A word of it is only known when it runs: `$(…)`, `$x`, `*`. */
  readonly isDynamic: boolean;
  /** Around it: `sudo`, `xargs`, `sh -c` … outermost first. */
  readonly wrappers: readonly string[];
  /** The words as patterns are held against them: with marks (words.ts) for what is only known when it runs. */
  readonly form: string;
  /** It does nothing but run the commands inside it, which are judged: an allow need not name it. */
  readonly isTransparent: boolean;
  /**
   * The command it is an argument of (`rm` of `sudo rm`): which of `commands`, and how many words stand before it there;
   * -1 where it stands in a text (`sh -c 'rm x'`). A pattern that names it there allows it.
   */
  readonly within: { readonly index: number; readonly at: number } | null;
  /** Variables that are set for it alone: `NODE_ENV` of `NODE_ENV=test npm test`. */
  readonly sets: readonly string[];
  /** Which of its words is the last that changes what it runs, or where that writes: `--prefix` of npm. An allow must name it. */
  readonly telling?: number;
  /** Words that a program may run, or may take for something else: `rm x` of `some-launcher rm x`. */
  readonly isSuspected?: true;
}

export interface UsedPath {
  /** Absolute, without a slash at its end (but `/` itself). */
  readonly path: string;
  /** What is meant below `path`, with marks: all of it, or what a glob or a variable may come to. Null: the path alone. */
  readonly below: string | null;
  /** `> file`, an argument of `rm`, the input of `Edit` … */
  readonly via: string;
  /** Which file it is depends on something that is only known when it runs: `cat "$f"`. */
  readonly isGuess?: true;
  /** It is one of these, or each of them: what is in a folder of the project now. */
  readonly among?: readonly string[];
  /** A program may open it, or may take it for something else: only rules that name files are held against it. */
  readonly isSuspected?: true;
  /** It is taken away, or is named otherwise afterwards: with it, all that is below. */
  readonly isGone?: true;
}

/** Whether it is transparent is only known after what is inside it was looked at. */
export type FoundCommand = { -readonly [Key in keyof SimpleCommand]: SimpleCommand[Key] };

/** Beyond so many commands or paths nothing is told apart any more. */
const MAX_FOUND = 1000;

/** What they write is text of another kind than what a build makes. */
const WRITES_TEXT = /^(?:script|curl|wget|sort|split|csplit|sponge|openssl|gpg|xxd|base64|base32|gdb|code for \S+) /;

/** They change no text of a file, or that is followed. */
const KEEPS_TEXT = /^(?:ch(?:mod|own|grp)|rm|touch|tee|mv|cp|ln|install|dd) /;

/** `x.git`, and what is in it. */
export const IN_BARE_REPOSITORY = /[\w-]\.git(?:\/|$)/;

/** For what does the same. */
export const PUSH: readonly ShellWord[] = ['git', 'push'].map((word) => ({ form: word, text: word }));

/** Where git finds hooks and aliases. */
export const GIT_CODE = /\/\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$)|\/\.gitconfig$|\/git\/config$/;

/** Some host, and nobody can say which. */
export const SOME_HOST = '*';

/** The words before the first that is only known when it runs; null: nothing is known. */
function knownPart(command: SimpleCommand): FoundCommand | null {
  const [known = ''] = command.form.split(/[\uE000-\uE0FF]/u);
  if (known.length === command.form.length) return { ...command };
  const form = known.replace(/(?:^|\s)\S*$/, '');
  return form === '' ? null : { ...command, form, isDynamic: false };
}

/** What is found on the way through a command. */
export class Gathering {
  readonly #commands: FoundCommand[] = [];
  readonly #paths: Readonly<Record<'read' | 'write', UsedPath[]>> = { read: [], write: [] };
  readonly #hosts = new Set<string>();
  readonly #choices: (readonly string[])[] = [];
  readonly #listings = new Set<string>();
  readonly #texts = new Map<string, FoundCommand>();
  /** Programs that the call copies or links to other names. */
  readonly copiedPrograms = new Set<string>();
  /** Files that the call has written by now, with the text if it stands there. */
  readonly written = new Map<string, string | null>();
  /** Links that the call makes, and the places they lead to. */
  readonly links = new Map<string, readonly string[]>();
  /** Files that the call has copied from others that were there before. */
  readonly placed = new Map<string, string>();
  /** What the words of programs say that goes into files: `sed -i s/a/b/ x`. */
  readonly said = new Map<string, string>();
  #unknown: { readonly why: string; readonly text: string | null } | null = null;
  #text: string | null = null;
  #mayBeAnything = false;
  #unproven: string | null = null;
  #isSuspecting = false;

  /** Which one it is: its place in `commands`. */
  addCommand(command: FoundCommand): number {
    if (!this.isFull()) this.#commands.push(command);
    return this.#commands.length - 1;
  }

  addPath(kind: 'read' | 'write', path: UsedPath): void {
    if (this.#isSuspecting || this.isFull()) return;
    this.#paths[kind].push(path);
    if (kind !== 'write' || path.isSuspected) return;
    const { path: place, via } = path;
    // `sed -i` changes what was written.
    if (/^[<>&]/.test(via)) return;
    if (this.written.has(place) && !KEEPS_TEXT.test(via)) this.written.set(place, null);
    else if (WRITES_TEXT.test(via)) this.written.set(place, null);
    else if (GIT_CODE.test(place) && !/^(?:ch(?:mod|own)|rm|touch) /.test(via))
      this.written.set(place, this.written.get(place) ?? null);
  }

  /**
   * What a script does that is there already. What cannot be known of it changes nothing: a script is run as any other program, and an
   * allow need not name what is in it.
   */
  addScript({ commands, reads, writes, hosts }: CallUses, name: string, wrappers: readonly string[]): void {
    for (const command of commands) {
      if (command.isSuspected) continue;
      const known = command.words.length > 0 ? knownPart(command) : null;
      if (known !== null)
        this.addCommand({ ...known, wrappers: [...wrappers, name], within: null, isTransparent: true });
    }
    for (const [kind, paths] of [
      ['read', reads],
      ['write', writes],
    ] as const)
      for (const used of paths)
        if (!used.isGuess && !used.isSuspected && !this.#isSuspecting && !this.isFull())
          this.#paths[kind].push({ ...used, via: `${name}: ${used.via}` });
    for (const host of hosts) if (host !== SOME_HOST) this.addHost(host);
  }

  addHost(host: string): void {
    if (!this.#isSuspecting) this.#hosts.add(host);
  }

  /** Something cannot be known, but what it is about stands there to be read: code of another language. */
  miss(why: string): void {
    if (!this.#isSuspecting) this.#unknown ??= { why, text: this.#text };
  }

  /** Something cannot be known at all: it may be anything. */
  lose(why: string): void {
    if (this.#isSuspecting) return;
    // The worst is told first: it is the reason that people see.
    if (!this.#mayBeAnything) this.#unknown = { why, text: this.#text };
    this.#mayBeAnything = true;
  }

  /** A shell might run more than the commands that are found. */
  markUnproven(why: string): void {
    if (!this.#isSuspecting) this.#unproven ??= why;
  }

  /** Who asks and is told so looks no further: what was not looked at may be anything, whatever it is suspected of. */
  isFull(): boolean {
    const { read, write } = this.#paths;
    const is = this.#commands.length + read.length + write.length + this.#hosts.size > MAX_FOUND;
    if (is && !this.#mayBeAnything) this.#unknown = { why: 'it does too much to be looked through', text: null };
    this.#mayBeAnything ||= is;
    return is;
  }

  /** What is found in there may be run, or may be no more than a text: denies look at its commands, and nothing else does. */
  suspect(run: () => void): void {
    for (const command of this.#findUnproven(run)) command.isSuspected = true;
  }

  /** A text among the words of a program, which may run it. */
  suspectCommand(form: string, wrappers: readonly string[]): void {
    if (this.#isSuspecting || this.#texts.has(form)) return;
    this.#texts.set(form, {
      text: form,
      words: form.split(' '),
      form,
      isDynamic: false,
      wrappers,
      isTransparent: true,
      within: null,
      sets: [],
      isSuspected: true,
    });
  }

  /** What is found in there is another name for the command at hand: denies look at it, and allows do not. */
  alsoKnownAs(run: () => void): void {
    this.#findUnproven(run);
  }

  #findUnproven(run: () => void): readonly FoundCommand[] {
    if (this.#isSuspecting) return [];
    const from = this.#commands.length;
    this.#isSuspecting = true;
    try {
      run();
    } finally {
      this.#isSuspecting = false;
    }
    const found = this.#commands.slice(from);
    for (const command of found) command.isTransparent = true;
    return found;
  }

  /** What is found in there belongs to this command. */
  within(text: string, run: () => void): void {
    const before = this.#text;
    this.#text = text;
    try {
      run();
    } finally {
      this.#text = before;
    }
  }

  /** A mark for one of these texts; null: there are too many of them. */
  addChoice(values: readonly string[]): string | null {
    if (this.#choices.length === MAX_CHOICES) return null;
    this.#choices.push(values);
    return String.fromCharCode(FIRST_CHOICE + this.#choices.length - 1);
  }

  /** A mark for files that are there, by their absolute paths. */
  addListing(files: readonly string[]): string | null {
    const mark = this.addChoice(files);
    if (mark !== null) this.#listings.add(mark);
    return mark;
  }

  listingOf(form: string): readonly string[] | null {
    return this.#listings.has(form) ? this.choicesOf(form) : null;
  }

  choicesOf(mark: string): readonly string[] {
    return this.#choices[mark.charCodeAt(0) - FIRST_CHOICE] ?? [];
  }

  uses(): CallUses {
    return {
      commands: [...this.#commands, ...this.#texts.values()],
      reads: this.#paths.read,
      writes: this.#paths.write,
      hosts: [...this.#hosts],
      unknown: this.#unknown?.why ?? null,
      unknownText: this.#unknown?.text ?? null,
      mayBeAnything: this.#mayBeAnything,
      unproven: this.#unproven,
    };
  }
}
