// What an agent is called in a line. Three of one session may have been asked for in the same words, and are still three.

import type { AgentReport } from '../../core/index.ts';
import { bracketName } from './quote.ts';
import type { Piece } from './rich-text.ts';

/** The label between brackets; a number behind it where others before it are called the same. */
export type NameOf = (agent: Pick<AgentReport, 'id' | 'label'>) => readonly Piece[];

/** Pictures of a session are never changed, and each is asked many times. */
const known = new WeakMap<readonly AgentReport[], ReadonlyMap<string, number>>();

/** Names within one session: the first of those that are called the same keeps the name as it is, whenever the others come. */
export function namesIn(agents: readonly AgentReport[]): NameOf {
  const numbers = known.get(agents) ?? numbersIn(agents);
  known.set(agents, numbers);
  return ({ id, label }) => {
    const number = numbers.get(id) ?? 1;
    return ['[', { code: bracketName(label) }, number === 1 ? ']' : `] #${number}`];
  };
}

function numbersIn(agents: readonly AgentReport[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const { id, label } of agents.toSorted((a, b) => order(begunAt(a), begunAt(b)) || order(a.id, b.id))) {
    const name = bracketName(label);
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    numbers.set(id, number);
  }
  return numbers;
}

/** Times are ISO 8601, UTC. One without is the newest. */
function begunAt({ runs, startedAt }: AgentReport): string {
  return runs[0]?.startedAt ?? startedAt ?? '~';
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `[a], [b]` */
export function listNames(agents: readonly AgentReport[], nameOf: NameOf): readonly Piece[] {
  return agents.flatMap((agent, index) => [...(index === 0 ? [] : [', ']), ...nameOf(agent)]);
}
