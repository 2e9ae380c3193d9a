import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { GuardedAgent } from '../guarded-call.ts';
import type { AgentSelector } from '../policy.ts';
import { readPolicyFile } from './read-policy-file.ts';
import { toToolPattern } from './tool-text.ts';

/** A rule that allows, before anybody wrote it down. */
export interface AllowRule {
  readonly name?: string;
  readonly agents: AgentSelector;
  readonly tools: readonly string[];
  readonly despiteAncestors?: boolean;
}

/** As they stand below `rules:`, without an indentation. */
export function writeRules(rules: readonly AllowRule[]): string {
  return stringify(
    rules.map(({ name, agents, tools, despiteAncestors }) => ({
      ...(name === undefined ? {} : { name }),
      agents: Object.fromEntries(Object.entries(agents).map(([key, value]) => [key, alone(value)])),
      tools,
      decision: 'allow',
      ...(despiteAncestors ? { despite_ancestors: true } : {}),
    })),
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/** Agents like this one; undefined where nobody knows who it is, or where its type would be read as a pattern. */
export function selectorFor(agent: GuardedAgent | null): AgentSelector | undefined {
  if (agent === null || agent.type?.includes('*')) return undefined;
  return agent.kind === 'main' || agent.type === null ? { kind: [agent.kind] } : { type: [agent.type] };
}

/** Why there may be no pattern for something that is known: in words that fit behind a colon. */
export const UNNAMEABLE = 'it is too long, or has characters that a policy file cannot hold';

/** Whether a policy file that holds the rule is read as exactly this rule. */
export function canBeWritten(rule: AllowRule): boolean {
  const content = new TextEncoder().encode(`version: 1\nrules:\n${writeRules([rule])}`);
  const source = { scope: 'user', file: '', root: null, content } as const;
  const { rules, error } = readPolicyFile(source, { home: '', resolve: (folder) => folder });
  const read = rules[0]?.rule;
  return (
    error === null &&
    isDeepStrictEqual(read?.agents, rule.agents) &&
    isDeepStrictEqual(read?.tools, rule.tools.map(toToolPattern))
  );
}

function alone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
