// The words of the language, and the forms that its texts have. schemas/policy.schema.json has the same: a test holds them together.
import type { Decision } from '../policy.ts';

export const DECISIONS = ['allow', 'ask', 'deny', 'none'] as const satisfies readonly Decision[];

/** A guard that fails must not let everything through. */
export const ON_ERROR = ['ask', 'deny', 'none'] as const satisfies readonly Decision[];

/** As in the tree. */
const SUB_AGENT_KINDS = ['task', 'fork', 'teammate', 'workflow', 'internal'] as const;

/** `subagent` is all of them but main. */
export const KINDS = ['main', 'subagent', ...SUB_AGENT_KINDS] as const;

export function expandKind(kind: (typeof KINDS)[number]): readonly string[] {
  return kind === 'subagent' ? SUB_AGENT_KINDS : [kind];
}

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** How many characters a text may have: names of types and tools, and sentences. */
export const MAX_TEXT = 1_000;

/** Something to be seen, and no control characters: a text that is shown in one line. */
export const LINE = /^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$/;

/**
 * `Bash`, `Bash(git push:*)`; `mcp__server`, `mcp__server__*`, `mcp__server__tool`; `opencode:todo`. Tools that have a name in
 * our rules begin with a capital, and they alone can be asked what they are used for.
 */
export const TOOL =
  /^(?:[A-Z][A-Za-z0-9]*(?:\([^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*\))?|mcp__[A-Za-z0-9_-]+\*?|[a-z][a-z0-9-]*:[A-Za-z0-9_.-]+)$/;

export const DEPTH = /^(?:(?:>=|<=|>|<)? ?[0-9]{1,3}|[0-9]{1,3} ?- ?[0-9]{1,3})$/;

export const DURATION = /^[1-9][0-9]{0,4} ?[smh]$/;

export const HOURS = /^(?:[01][0-9]|2[0-3]):[0-5][0-9] ?- ?(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/;

/** `mon`, `mon-fri`, `sat, sun`. */
export const DAYS_TEXT = new RegExp(`^(?:${DAYS.join('|')})(?: ?[-,] ?(?:${DAYS.join('|')}))*$`);

/** A day, or a moment; without an offset by the local clock. */
export const DATE =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{3})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$/;
