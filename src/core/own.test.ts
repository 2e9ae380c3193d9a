import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import type { AgentEvent } from './events.ts';
import { mainAgentOf, toSessionId, toSourceId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { NO_USAGE } from './usage.ts';

const SESSION = toSessionId('test', 'session');
const MAIN = mainAgentOf(SESSION);

type Told<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

const said = (id: string, at: number): readonly Told<AgentEvent>[] => [
  { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id, at },
  { kind: 'usage-counted', agent: MAIN, message: id, usage: { ...NO_USAGE, output: 1 }, final: false, at },
];
const total = (at: number, output: number): Told<AgentEvent> => ({
  kind: 'usage-totalled',
  agent: MAIN,
  at,
  byModel: [{ model: 'm', usage: { ...NO_USAGE, input: 9, output } }],
});

function mainAfter(...facts: readonly Told<AgentEvent>[]) {
  const ledger = createLedger(SESSION);
  facts.forEach((fact, offset) => {
    reduce(ledger, { ...fact, session: SESSION, origin: { source: toSourceId('s'), offset, length: 1 } } as AgentEvent);
  });
  const main = buildTree(ledger, { now: 1e12 }).agents[0];
  return {
    output: main?.usage?.output,
    atLeast: main?.usageIsLowerBound,
    models: main?.usageByModel.map(({ model }) => model),
  };
}

describe("the host's own sums", () => {
  it('replace those of its messages, by the last one only', () => {
    expect(mainAfter(...said('a', 1))).toEqual({ output: 1, atLeast: true, models: [] });
    const closed: Told<AgentEvent> = { kind: 'session-closed' };
    expect(mainAfter(...said('a', 1), total(2, 50), closed)).toEqual({ output: 50, atLeast: false, models: ['m'] });
    expect(mainAfter(total(4, 70), total(2, 50), ...said('a', 1), ...said('b', 3), closed)).toMatchObject({
      output: 70,
    });
  });

  it('are ignored when a message follows them', () => {
    expect(mainAfter(...said('a', 1), total(2, 50), ...said('b', 3))).toEqual({ output: 2, atLeast: true, models: [] });
  });
});
