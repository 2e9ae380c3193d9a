import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import { type AgentEvent, COMPACTION } from './events.ts';
import { mainAgentOf, toAgentId, toSessionId, toSourceId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { selectIsLowerBound, selectTotalUsage, selectUnattributedUsage } from './tree.ts';
import { NO_USAGE } from './usage.ts';

const SESSION = toSessionId('test', 'session');
const MAIN = mainAgentOf(SESSION);

type Told<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

const used = (output: number) => ({ ...NO_USAGE, output });

const reply = (id: string, at: number, output: number, agent = MAIN): readonly Told<AgentEvent>[] => [
  { kind: 'entry-added', agent, entry: 'reply', end: 'turn', id, at },
  { kind: 'usage-counted', agent, message: id, usage: used(output), model: 'm', final: true, at },
];

const total = (from: number, at: number, output: number, model = 'm'): Told<AgentEvent> => ({
  kind: 'session-totalled',
  from,
  at,
  byModel: [{ model, usage: used(output) }],
});

function totalsAfter(...facts: readonly Told<AgentEvent>[]) {
  const ledger = createLedger(SESSION);
  [...facts, { kind: 'session-closed' } as const].forEach((fact, offset) => {
    reduce(ledger, { ...fact, session: SESSION, origin: { source: toSourceId('s'), offset, length: 1 } } as AgentEvent);
  });
  const tree = buildTree(ledger, { now: 1e12 });
  return {
    output: selectTotalUsage(tree).output,
    unattributed: selectUnattributedUsage(tree)?.output,
    isLowerBound: selectIsLowerBound(tree),
    problems: tree.diagnostics.map(({ code }) => code),
  };
}

const NOTHING = { unattributed: undefined, isLowerBound: false, problems: [] };

describe("the host's own total of a session", () => {
  it('adds requests that no message holds', () => {
    expect(totalsAfter(...reply('a', 10, 5), total(1, 20, 12))).toEqual({ ...NOTHING, output: 12, unattributed: 7 });
  });

  it('adds nothing when the messages hold all of it', () => {
    expect(totalsAfter(...reply('a', 10, 5), total(1, 20, 5))).toEqual({ ...NOTHING, output: 5 });
  });

  it('is replaced by a later total of the same span, in any order', () => {
    const facts = [...reply('a', 10, 5), ...reply('b', 30, 5), total(1, 40, 17), total(1, 20, 12)];
    expect(totalsAfter(...facts)).toEqual({ ...NOTHING, output: 17, unattributed: 7 });
  });

  it('is compared with the messages of its span only', () => {
    // Killed at 10, begun again at 20, and resumed at 40 without an end.
    const facts = [...reply('a', 10, 100), ...reply('b', 25, 5), ...reply('c', 45, 50), total(20, 30, 12)];
    expect(totalsAfter(...facts)).toEqual({ ...NOTHING, output: 162, unattributed: 7 });
  });

  it('is added to totals of other spans', () => {
    const facts = [...reply('a', 10, 5), total(1, 15, 8), ...reply('b', 25, 5), total(20, 30, 9)];
    expect(totalsAfter(...facts)).toEqual({ ...NOTHING, output: 17, unattributed: 7 });
  });

  it("keeps our sum when the host's is less, and reports it", () => {
    const shown = totalsAfter(...reply('a', 10, 5), total(1, 20, 3));
    expect(shown).toEqual({ ...NOTHING, output: 5, problems: ['total-below-sum'] });
  });

  it('counts no message twice when the host gives its model another name', () => {
    const shown = totalsAfter(...reply('a', 10, 5), total(1, 20, 6, 'm-20260101'));
    expect(shown).toEqual({ ...NOTHING, output: 6, unattributed: 1 });
  });

  it('does not add what an agent of another session used', () => {
    const elsewhere = { kind: 'usage-elsewhere', message: 'x', usage: used(6), model: 'm', at: 12 } as const;
    const shown = totalsAfter(...reply('a', 10, 5), elsewhere, elsewhere, total(1, 20, 12));
    expect(shown).toEqual({ ...NOTHING, output: 6, unattributed: 1 });
  });

  it('of a fork counts from there when it continues that of its original', () => {
    const forked = { kind: 'session-forked', from: toSessionId('test', 'original'), replies: ['a'] } as const;
    const facts = [...reply('a', 10, 5), { kind: 'session-copied', at: 20 } as const, ...reply('b', 25, 5)];
    const known = totalsAfter(
      ...facts,
      { ...forked, totals: [{ from: 1, byModel: [{ model: 'm', usage: used(9) }] }] },
      total(1, 30, 17),
    );
    expect(known).toEqual({ ...NOTHING, output: 13, unattributed: 3 });
    expect(totalsAfter(...facts, forked, total(1, 30, 17))).toEqual({ ...NOTHING, output: 10 });
  });

  it('of a fork holds what an agent did after the last line of main', () => {
    const before = { from: 1, byModel: [{ model: 'm', usage: used(5) }], durationMs: 15 };
    const facts: readonly Told<AgentEvent>[] = [
      ...reply('a', 10, 5),
      { kind: 'session-copied', at: 1_000 },
      { kind: 'session-forked', from: toSessionId('test', 'original'), replies: ['a'], totals: [before] },
      ...reply('b', 1_005, 5),
      ...reply('c', 1_010, 6, toAgentId('test', 'agent')),
      { ...total(1, 1_005, 16), durationMs: 35 } as Told<AgentEvent>,
    ];
    expect(totalsAfter(...facts)).toMatchObject({ output: 16, unattributed: undefined, problems: [] });
    const later = reply('d', 1_030, 7, toAgentId('test', 'agent'));
    const cleared = totalsAfter(...facts, ...later, { kind: 'session-emptied', at: 1_015 });
    expect(cleared).toMatchObject({ output: 23, unattributed: undefined, problems: [] });
  });
});

describe('a request that is in no conversation', () => {
  const compacted = (at: number): Told<AgentEvent> => ({ kind: 'request-hidden', purpose: COMPACTION, at });

  it('makes the usage a lower bound when no total holds it', () => {
    expect(totalsAfter(...reply('a', 10, 5), compacted(15))).toEqual({ ...NOTHING, output: 5, isLowerBound: true });
    expect(totalsAfter(...reply('a', 10, 5), compacted(15), total(1, 20, 6)).isLowerBound).toBe(false);
    expect(totalsAfter(...reply('a', 10, 5), total(1, 20, 6), compacted(25)).isLowerBound).toBe(true);
  });

  it('is counted when an agent of the host made it', () => {
    const agent = toAgentId('test', 'acompact-1');
    const made: readonly Told<AgentEvent>[] = [
      { kind: 'agent-seen', agent, internal: COMPACTION },
      ...reply('s', 14, 3, agent),
      { kind: 'run-ended', agent, signal: 'transcript', outcome: 'completed', at: 14 },
    ];
    const shown = totalsAfter(...reply('a', 10, 5), ...made, compacted(15));
    expect(shown).toEqual({ ...NOTHING, output: 8 });
    expect(totalsAfter(...made, compacted(15), compacted(18)).isLowerBound).toBe(true);
  });

  it('belongs to the original when it was sent before the session was copied', () => {
    const facts = [...reply('a', 10, 5), compacted(12), { kind: 'session-copied', at: 20 } as const];
    expect(totalsAfter(...facts).isLowerBound).toBe(false);
  });
});
