// A tool call as the guard judges it. Everything that needs the machine (links, the folder, the home) is resolved before.
import type { Decision, Rule } from './policy.ts';

export interface GuardedCall {
  /** Who makes it; null: nobody knows. */
  readonly agent: GuardedAgent | null;
  /** Main first; without the agent itself. Empty for main, and where they are not known. */
  readonly ancestors: readonly GuardedAgent[];
  readonly host: string;
  /** The project's folder, resolved. */
  readonly project: string | null;
  /** By the name it has in our rules (`Bash`, `Edit`, `mcp__x__y`), or `host:name`. */
  readonly tool: string;
  readonly input: unknown;
  readonly uses: CallUses;
  /** Epoch milliseconds. */
  readonly at: number;
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
}

export interface SimpleCommand {
  /** The words, quotes taken away, as one line: what patterns like `git push:*` are held against. */
  readonly text: string;
  readonly words: readonly string[];
  /** A word of it is only known when it runs: `$(…)`, `$x`, `*`. */
  readonly isDynamic: boolean;
  /** Around it: `sudo`, `xargs`, `sh -c` … outermost first. */
  readonly wrappers: readonly string[];
}

export interface UsedPath {
  readonly path: string;
  /** `> file`, an argument of `rm`, the input of `Edit` … */
  readonly via: string;
}

export interface Verdict {
  readonly decision: Decision;
  /** The rule that won; null: a default. */
  readonly rule: Rule | null;
  /** For the agent and for people. */
  readonly reason: string;
  /** Which rules were looked at, and what came of each: for `explain`. */
  readonly tried: readonly TriedRule[];
}

export interface TriedRule {
  readonly rule: string;
  /** What of the call it was held against: a command, a path, the call itself. */
  readonly part: string;
  /** Whose it is: the agent's own, or the ancestor's for whom it was asked. */
  readonly as: string;
  readonly outcome: 'matched' | 'other agent' | 'other tool' | 'other argument' | 'other time' | 'not known enough';
}
