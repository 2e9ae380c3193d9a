import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import type { AgentEvent } from './events.ts';
import { mainAgentOf, toAgentId, toSessionId, toSourceId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';

const SESSION = toSessionId('test', 'session');
const MAIN = mainAgentOf(SESSION);
const CHILD = toAgentId('test', 'child');

type Told<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

const process = (alive: boolean): Told<AgentEvent> => ({ kind: 'process-seen', pid: 7, alive, startedAt: 1 });
const reply = (at: number): Told<AgentEvent> => ({
  kind: 'entry-added',
  agent: CHILD,
  entry: 'reply',
  end: 'tools',
  id: `r${at}`,
  at,
});

/** The state of the child, with everything that an agent at work would have. */
function stateAfter(...news: readonly Told<AgentEvent>[]): string {
  const ledger = createLedger(SESSION);
  const facts: readonly Told<AgentEvent>[] = [
    process(true),
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'tools', id: 'm', at: 5 },
    { kind: 'agent-linked', agent: CHILD, evidence: 'own-record', parent: MAIN },
    reply(10),
    ...news,
  ];
  facts.forEach((fact, offset) => {
    const place = { session: SESSION, origin: { source: toSourceId('s'), offset, length: 1 } };
    reduce(ledger, { ...fact, ...place } as AgentEvent);
  });
  const child = buildTree(ledger, { now: 100 }).agents.find(({ id }) => id === CHILD);
  return [child?.status, child?.waitingOn].filter(Boolean).join(' on ');
}

const asked = (id: string, at: number, about: 'permission' | 'input' = 'permission'): Told<AgentEvent> => ({
  kind: 'agent-asked',
  agent: CHILD,
  id,
  at,
  about,
});
const answered = (id: string): Told<AgentEvent> => ({ kind: 'agent-answered', agent: CHILD, id });

describe('a question with an id', () => {
  it('keeps its agent waiting until it is answered, whichever comes first', () => {
    expect(stateAfter()).toBe('running');
    expect(stateAfter(asked('q', 20))).toBe('waiting on permission');
    expect(stateAfter(asked('q', 20, 'input'))).toBe('waiting on input');
    expect(stateAfter(asked('q', 20), answered('q'))).toBe('running');
    expect(stateAfter(answered('q'), asked('q', 20))).toBe('running');
  });

  it('stays open beside answered ones, and when other calls of the agent end', () => {
    const result: Told<AgentEvent> = { kind: 'entry-added', agent: CHILD, entry: 'result', id: 'x', at: 30 };
    expect(stateAfter(asked('one', 20), asked('two', 21), answered('two'), result)).toBe('waiting on permission');
  });

  it('ends when the agent gets a new message, and with the process that asked', () => {
    const prompt: Told<AgentEvent> = { kind: 'entry-added', agent: CHILD, entry: 'prompt', id: 'p', at: 30 };
    expect(stateAfter(asked('q', 20), prompt)).toBe('running');
    expect(stateAfter(asked('q', 20), reply(30))).toBe('waiting on permission');
    expect(stateAfter(asked('q', 20), process(false))).toBe('unknown');
    const later: Told<AgentEvent> = { kind: 'process-seen', pid: 8, alive: true, startedAt: 50 };
    expect(stateAfter(asked('q', 20), process(false), later)).toBe('unknown');
  });
});
