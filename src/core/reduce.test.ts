import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../lib/testing/seed.ts';
import { buildTree } from './build-tree.ts';
import { type AgentEvent, EVIDENCE, type EventOrigin, type EvidenceSource } from './events.ts';
import { mainAgentOf, toAgentId, toSessionId, toSourceId, toToolCallId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { readSnapshot, writeSnapshot } from './testing/snapshot.ts';
import type { SessionTree } from './tree.ts';
import { addUsage, largestUsage, NO_USAGE, type Usage } from './usage.ts';

const SESSION = toSessionId('test', 'session');
const MAIN = mainAgentOf(SESSION);
const NOW = 1_000_000;

/** Few ids, so that facts meet: agents that name each other, calls in several files, messages that repeat. */
const agents = fc.constantFrom(MAIN, ...['a', 'b', 'c', 'd'].map((name) => toAgentId('test', name)));
const calls = fc.constantFrom(...['k1', 'k2', 'k3', 'k4'].map(toToolCallId));
const messages = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5');
const times = fc.integer({ min: 1, max: 1000 });
const evidences = fc.constantFrom(...(Object.keys(EVIDENCE) as EvidenceSource[]));
const usages: fc.Arbitrary<Usage> = fc.record({
  input: fc.nat(50),
  output: fc.nat(50),
  cacheRead: fc.nat(50),
  cacheWrite: fc.nat(50),
  cacheWrite5m: fc.nat(5),
  cacheWrite1h: fc.nat(5),
});

type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

const facts: fc.Arbitrary<WithoutPlace<AgentEvent>> = fc.oneof(
  fc.record({ kind: fc.constant('agent-seen' as const), agent: agents, at: times, type: fc.constantFrom('x', 'y') }),
  fc.record({ kind: fc.constant('agent-linked' as const), agent: agents, evidence: evidences, call: calls }),
  fc.record({ kind: fc.constant('agent-linked' as const), agent: agents, evidence: evidences, parent: agents }),
  fc.record({
    kind: fc.constant('spawn-requested' as const),
    agent: agents,
    call: calls,
    prompt: fc.constant({ head: 'p', digest: 'p' }),
  }),
  fc.record({
    kind: fc.constant('agent-prompted' as const),
    agent: agents,
    prompt: fc.constant({ head: 'p', digest: 'p' }),
    at: times,
  }),
  fc.record({
    kind: fc.constant('agent-asked' as const),
    agent: agents,
    id: messages,
    at: times,
    about: fc.constantFrom('permission' as const, 'input' as const),
  }),
  fc.record({
    kind: fc.constant('messages-removed' as const),
    messages: fc.array(messages, { maxLength: 2 }),
    calls: fc.array(calls, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('agent-answered' as const), agent: agents, id: messages }),
  fc.record({ kind: fc.constant('run-resumed' as const), agent: agents, id: calls, call: calls, at: times }),
  fc.record({
    kind: fc.constant('run-ended' as const),
    agent: agents,
    signal: fc.constantFrom('notification' as const, 'stop-call' as const, 'transcript' as const, 'sidecar' as const),
    outcome: fc.constantFrom('completed' as const, 'failed' as const, 'stopped' as const),
    at: times,
    reason: fc.constantFrom('one', 'two'),
  }),
  fc.record({
    kind: fc.constant('entry-added' as const),
    agent: agents,
    entry: fc.constantFrom(
      'prompt' as const,
      'reply' as const,
      'result' as const,
      'interruption' as const,
      'note' as const,
    ),
    id: messages,
    at: times,
  }),
  fc.record({
    kind: fc.constant('usage-counted' as const),
    agent: agents,
    message: messages,
    usage: usages,
    model: fc.constantFrom('model', 'other'),
    at: times,
    final: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('tool-started' as const),
    agent: agents,
    call: calls,
    tool: fc.constantFrom('T', 'U'),
    at: times,
  }),
  fc.record({
    kind: fc.constant('tool-ended' as const),
    agent: agents,
    call: calls,
    outcome: fc.constantFrom('ok' as const, 'error' as const, 'refused' as const),
    at: times,
    reason: fc.constantFrom('one', 'two'),
    launched: fc.boolean(),
  }),
);

/** Each fact has a place of its own, as every line of every file does. */
const inPlaces = (list: readonly WithoutPlace<AgentEvent>[]): readonly AgentEvent[] =>
  list.map((fact, index) => {
    const origin: EventOrigin = { source: toSourceId(`file-${index % 3}`), offset: index * 10, length: 9 };
    return { ...fact, session: SESSION, origin } as AgentEvent;
  });

const histories: fc.Arbitrary<readonly AgentEvent[]> = fc.array(facts, { maxLength: 40 }).map(inPlaces);
const COUNTED: ReadonlySet<AgentEvent['kind']> = new Set([
  'entry-added',
  'usage-counted',
  'tool-started',
  'tool-ended',
]);
const countedHistories: fc.Arbitrary<readonly AgentEvent[]> = fc
  .array(
    facts.filter(({ kind }) => COUNTED.has(kind)),
    { minLength: 15, maxLength: 40 },
  )
  .map(inPlaces);

function treeOf(events: readonly AgentEvent[]): SessionTree {
  const ledger = createLedger(SESSION);
  for (const event of events) reduce(ledger, event);
  return buildTree(ledger, { now: NOW });
}

describe('reduce', () => {
  it('gives the same tree when facts come in any order, and twice', () => {
    fc.assert(
      fc.property(
        histories.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray([...events], { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          expect(treeOf([...shuffled, ...shuffled])).toEqual(treeOf(events));
        },
      ),
      { numRuns: runsOf(400) },
    );
  });

  it('gives the tree of the facts so far when it is built after every fact', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const ledger = createLedger(SESSION);
        for (const [index, event] of events.entries()) {
          reduce(ledger, event);
          expect(buildTree(ledger, { now: NOW })).toEqual(treeOf(events.slice(0, index + 1)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps running sums equal to a fresh count when lines of an agent come in any order', () => {
    fc.assert(
      fc.property(
        countedHistories.chain((events) =>
          fc.shuffledSubarray(events.map(inSourcesOfItsOwn), { minLength: events.length }),
        ),
        (events) => {
          const ledger = createLedger(SESSION);
          for (const [index, event] of events.entries()) {
            reduce(ledger, event);
            expect(buildTree(ledger, { now: NOW })).toEqual(treeOf(events.slice(0, index + 1)));
          }
        },
      ),
      { numRuns: runsOf(400) },
    );
  });

  it('makes no cycle, and gives each agent one parent that is in the tree', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const tree = treeOf(events);
        const byId = new Map(tree.agents.map((agent) => [agent.id, agent]));
        expect(byId.size).toBe(tree.agents.length);
        for (const agent of tree.agents) {
          const path = new Set([agent.id]);
          for (let up = agent.link.parent; up !== undefined; up = byId.get(up)?.link.parent) {
            expect(path.has(up)).toBe(false);
            expect(byId.has(up)).toBe(true);
            path.add(up);
          }
          if (agent.link.parent !== undefined) {
            const depth = byId.get(agent.link.parent)?.depth;
            expect(agent.depth).toBe(depth === undefined ? undefined : depth + 1);
          }
        }
      }),
      { numRuns: runsOf(400) },
    );
  });

  it('counts every message once unless it was taken back, with its largest numbers, whichever file repeats it', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const largest = new Map<string, Usage>();
        const removed = events.flatMap((event) => (event.kind === 'messages-removed' ? event.messages : []));
        for (const event of events) {
          if (event.kind !== 'usage-counted' || removed.includes(event.message)) continue;
          largest.set(event.message, largestUsage(largest.get(event.message) ?? NO_USAGE, event.usage));
        }
        const tree = treeOf([...events, ...everyAgentSpeaks()]);
        const total = tree.agents.reduce((sum, agent) => addUsage(sum, agent.usage ?? NO_USAGE), NO_USAGE);
        expect(total).toEqual([...largest.values()].reduce(addUsage, NO_USAGE));
        const roots = tree.agents.filter((agent) => agent.link.parent === undefined);
        expect(roots.reduce((sum, agent) => addUsage(sum, agent.subtreeUsage), NO_USAGE)).toEqual(total);
      }),
      { numRuns: runsOf(400) },
    );
  });

  it('survives a snapshot', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const ledger = createLedger(SESSION);
        for (const event of events) reduce(ledger, event);
        const { ledgers, takenAt } = readSnapshot(writeSnapshot([ledger], NOW));
        expect(ledgers.map((one) => buildTree(one, { now: takenAt }))).toEqual([buildTree(ledger, { now: NOW })]);
      }),
      { numRuns: 100 },
    );
  });
});

/** Two agents, and no id is said in the sources of both: the usual case. */
function inSourcesOfItsOwn(fact: AgentEvent): AgentEvent {
  const event = { ...fact, ...('agent' in fact && fact.agent !== MAIN && { agent: toAgentId('test', 'a') }) };
  if (event.kind === 'entry-added') return { ...event, id: `${event.agent} ${event.id}` };
  if (event.kind === 'usage-counted') return { ...event, message: `${event.agent} ${event.message}` };
  if (event.kind === 'tool-started' || event.kind === 'tool-ended')
    return { ...event, call: toToolCallId(`${event.agent} ${event.call}`) };
  return event;
}

/** Usage counts for agents that are known to exist; one line each makes them known. */
function everyAgentSpeaks(): readonly AgentEvent[] {
  return ['session', 'a', 'b', 'c', 'd'].map((name, index) => ({
    kind: 'entry-added',
    session: SESSION,
    origin: { source: toSourceId(`own-${name}`), offset: index, length: 1 },
    agent: toAgentId('test', name),
    entry: 'prompt',
    id: `said-by-${name}`,
  }));
}
