import type { Node } from 'yaml';
import type { AgentSelector, Decision, Rule, TimeWindow, ToolPattern } from '../policy.ts';
import { flag, listOrOne, oneOf, readFields, tell, textOf, type Walk } from './fields.ts';
import { type FolderContext, readAgents } from './read-agents.ts';
import { readTool } from './read-tools.ts';
import { readWindow } from './read-window.ts';
import { DECISIONS, DURATION, LINE, MAX_TEXT } from './words.ts';

/** A rule without what its place in the whole gives it. */
export type OwnRule = Omit<Rule, 'id' | 'scope' | 'place'>;

export interface ReadRule {
  readonly rule: OwnRule;
  /** Where its words stand. */
  readonly keys: ReadonlyMap<string, number>;
}

/** Undefined where something is wrong with it: half a rule may say the opposite of the whole one. */
export function readRule(walk: Walk, node: Node, folders: FolderContext): ReadRule | undefined {
  const before = walk.problems.errors();
  const fields = readFields<RuleFields>(walk, node, 'a rule', {
    name: sentence,
    agents: readAgents(folders),
    tools: listOrOne(readTool),
    decision: oneOf(DECISIONS),
    reason: sentence,
    when: readWindow,
    wait: duration,
    otherwise: oneOf(['allow', 'deny']),
    despite_ancestors: flag,
    own_calls_only: flag,
    tell_identity: flag,
  });
  if (!fields) return undefined;
  const { values, keys } = fields;
  const { decision } = values;
  if (!keys.has('decision')) {
    const remedy = 'Add `decision: deny`, `ask`, `allow` or `none`.';
    tell(walk, { code: 'missing-key', offset: node.range?.[0] ?? 0, message: 'This rule decides nothing.', remedy });
  }
  if (decision) tellConflicts(walk, decision, keys);
  if (walk.problems.errors() !== before || !decision) return undefined;
  const rule = {
    name: values.name ?? null,
    agents: values.agents ?? null,
    tools: values.tools ?? [],
    decision,
    reason: values.reason ?? null,
    when: values.when ?? null,
    wait: values.wait === undefined ? null : { ms: values.wait, otherwise: values.otherwise ?? 'deny' },
    despiteAncestors: values.despite_ancestors ?? false,
    ...(values.own_calls_only ? { ownCallsOnly: true as const } : {}),
    tellsIdentity: values.tell_identity ?? false,
  };
  return { rule, keys };
}

type RuleFields = {
  name: string;
  agents: AgentSelector;
  tools: readonly ToolPattern[];
  decision: Decision;
  reason: string;
  when: TimeWindow;
  wait: number;
  otherwise: 'allow' | 'deny';
  despite_ancestors: boolean;
  own_calls_only: boolean;
  tell_identity: boolean;
};

/** Which decisions each of these has a meaning for. */
const GOES_WITH: Readonly<Record<string, readonly Decision[]>> = {
  wait: ['ask'],
  otherwise: ['ask'],
  despite_ancestors: ['allow'],
  own_calls_only: ['deny'],
  tell_identity: ['allow', 'ask', 'none'],
};

function tellConflicts(walk: Walk, decision: Decision, keys: ReadonlyMap<string, number>): void {
  for (const [key, decisions] of Object.entries(GOES_WITH)) {
    const offset = keys.get(key);
    if (offset === undefined || decisions.includes(decision)) continue;
    const message = `\`${key}\` goes with \`decision: ${decisions.join('` or `')}\` only.`;
    tell(walk, { code: 'conflict', offset, message, remedy: `Remove it, or change the decision.` });
  }
  const offset = keys.get('otherwise');
  if (offset === undefined || keys.has('wait') || decision !== 'ask') return;
  const remedy = 'Add `wait: 5m`, or remove `otherwise`: without `wait` the host asks.';
  tell(walk, { code: 'conflict', offset, message: '`otherwise` is for an answer that was waited for.', remedy });
}

/** Over several lines in the file, in one line elsewhere. */
export const sentence = textOf<string>((text) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_TEXT && LINE.test(line)
    ? line
    : { wrong: `must be at most ${MAX_TEXT} characters, all to be seen.` };
});

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** The host waits for its hook as long as it was told when the hook was installed, and no longer (docs/HOOKS.md). */
const MAX_WAIT_MS = UNIT_MS.h;

const duration = textOf<number>((text) => {
  const remedy = 'Write 30s, 5m or 1h; at most 1h: hosts wait no longer for a hook.';
  if (!DURATION.test(text)) return { wrong: `cannot be \`${text.slice(0, 60)}\`.`, remedy };
  const ms = Number.parseInt(text, 10) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS];
  return ms <= MAX_WAIT_MS ? ms : { wrong: 'is too long.', remedy };
});
