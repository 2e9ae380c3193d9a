// A tool call as the guard judges it. Everything that needs the machine (links, the folder, the home) is resolved before.
import type { Decision, Rule } from '../policy.ts';

export interface GuardedCall {
  /** Who makes it; null: nobody knows. */
  readonly agent: GuardedAgent | null;
  /** Main first; without the agent itself. Empty for main, and where they are not known. */
  readonly ancestors: readonly GuardedAgent[];
  readonly host: string;
  /** The project's folder, resolved. */
  readonly project: string | null;
  /** Where the call is made, and the person's home: what relative patterns and those with `~` stand on. */
  readonly cwd: string | null;
  readonly home: string | null;
  /** By the name it has in our rules (`Bash`, `Edit`, `mcp__x__y`), or `host:name`. */
  readonly tool: string;
  readonly input: unknown;
  readonly uses: CallUses;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The local clock is so many minutes before UTC's: 120 in Berlin in summer. */
  readonly offsetMinutes: number;
}

export interface GuardedAgent {
  readonly kind: string;
  readonly type: string | null;
  readonly name: string | null;
  readonly depth: number | null;
}

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

export interface Verdict {
  readonly decision: Decision;
  /** The rule that won; null: a default. */
  readonly rule: Rule | null;
  /** For the agent and for people. */
  readonly reason: string;
  /** The agent above the caller whom the rule that won binds; null: the rule is about the caller itself. */
  readonly ancestor: string | null;
  /** Of an ask: for how long troupe waits for an answer, and what holds without one. Null: the host asks. */
  readonly wait: Rule['wait'];
  /** Which rules were looked at, and what came of each: for `explain`. */
  readonly tried: readonly TriedRule[];
}

export interface TriedRule {
  readonly rule: string;
  /** What of the call it was held against: a command, a path, the call itself. */
  readonly part: string;
  /** Whose it is: the agent's own, or the ancestor's for whom it was asked. */
  readonly as: string;
  readonly isAncestors: boolean;
  readonly outcome: 'matched' | 'other agent' | 'other tool' | 'other argument' | 'other time' | 'not known enough';
}
