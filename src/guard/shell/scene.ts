// Where in a command the walk is: the folder, what is around, what comes in. Inner parts get changed copies of it.
import type { SimpleCommand } from './call.ts';
import type { Gathering } from './gathering.ts';
import type { ShellWord, WordPlaces } from './words.ts';

/** Of the machine, handed in: this room asks nothing of it. */
export interface ShellContext {
  readonly cwd: string | null;
  readonly home: string | null;
  readonly projectDir: string | null;
  /** An absolute path → the same with links followed, as far as it exists. May throw. */
  resolve(path: string): string;
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
  readonly stdin: Stdin;
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
  | { readonly kind: 'file' }
  | { readonly kind: 'unknown' };

/** The two ways into a command that stands inside another one. */
export interface Runner {
  runWords(words: readonly ShellWord[], scene: Scene, sets?: readonly string[]): void;
  runCode(code: string, scene: Scene): void;
}

const MAX_CWDS = 8;

export function placesOf(scene: Scene): WordPlaces {
  const only = scene.cwds?.length === 1 ? (scene.cwds[0] ?? null) : null;
  return { home: scene.home, pwd: only, variables: scene.variables };
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
