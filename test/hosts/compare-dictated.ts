// What the script dictated, beside what troupe shows of it.

import { expect } from 'vitest';
import type { AgentReport, SessionDetail } from '../../src/core/index.ts';
import type { PromptedAgent } from './host-kit.ts';

/** Where a host is not as the script has it. */
export interface Comparison {
  /** What the script calls an agent that people see under a name of the host's. */
  dictatedName(agent: PromptedAgent): string | null;
  /** What people see; not given: the label of all but the main agent. */
  shownName?(agent: AgentReport): string | null;
  /** Calls of the host's own that the script does not know, or that it did not let an agent make. */
  callsOf?(agent: PromptedAgent): number;
  /** One token for each notice that an agent may get behind its last words, and answers. */
  readonly answersNotices?: true;
  /** Plays in which calls and tokens are not what the script has, and why. */
  readonly uncounted?: Readonly<Record<string, string>>;
  /** Nobody writes down that the program ended: for five minutes its main agent may go on. */
  readonly mainStaysOpen?: true;
  /** Agents of one moment come in any order. */
  readonly inAnyOrder?: true;
}

export function compareDictated(
  { main, subagents }: SessionDetail,
  dictated: readonly PromptedAgent[],
  play: string,
  comparison: Comparison,
): void {
  const { dictatedName, shownName = labelOf, callsOf = ({ toolCalls }) => toolCalls } = comparison;
  const agents: readonly AgentReport[] = [main, ...subagents];
  const shownNames = new Map(agents.map((agent) => [agent.id, shownName(agent)]));
  const dictatedNames = new Map(dictated.map((agent) => [agent.key, dictatedName(agent)]));
  const isCounted = comparison.uncounted?.[play] === undefined;
  const inOrder = <T extends { readonly name: string | null }>(list: readonly T[]): readonly T[] =>
    comparison.inAnyOrder ? list.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) : list;
  const outputOf = ({ key, outputTokens }: PromptedAgent): unknown => {
    if (!comparison.answersNotices) return outputTokens;
    const most = outputTokens + dictated.filter(({ parent }) => parent === key).length;
    return expect.toSatisfy((output: number) => output >= outputTokens && output <= most, `${outputTokens} to ${most}`);
  };
  const seen = agents.map((agent) => ({
    name: shownNames.get(agent.id) ?? null,
    parent: shownNames.get(agent.parentId ?? '') ?? null,
    depth: agent.depth,
    kind: agent.kind,
    status: statusOf(agent, comparison),
    ...(isCounted && { calls: agent.toolCallCount, output: agent.usage?.output }),
  }));
  const wanted = dictated.map((agent) => ({
    name: dictatedName(agent),
    parent: dictatedNames.get(agent.parent ?? '') ?? null,
    depth: agent.depth,
    kind: agent.kind,
    status: agent.endStatus,
    ...(isCounted && { calls: callsOf(agent), output: outputOf(agent) }),
  }));
  expect(inOrder(seen)).toEqual(inOrder(wanted));
}

const labelOf = ({ kind, label }: AgentReport): string | null => (kind === 'main' ? null : label);

function statusOf({ kind, status }: AgentReport, { mainStaysOpen }: Comparison): string {
  return mainStaysOpen && kind === 'main' && status === 'waiting' ? 'completed' : status;
}
