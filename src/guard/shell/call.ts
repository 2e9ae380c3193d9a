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
  /** The words as patterns are held against them: with marks (shell/marks.ts) for what is only known when it runs. */
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
}

export interface UsedPath {
  /** Absolute, without a slash at its end (but `/` itself). */
  readonly path: string;
  /** What is meant below `path`, with marks: all of it, or what a glob or a variable may come to. Null: the path alone. */
  readonly below: string | null;
  /** `> file`, an argument of `rm`, the input of `Edit` … */
  readonly via: string;
}
