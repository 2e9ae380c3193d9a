import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import { type AgentEvent, WARM_UP } from './events.ts';
import { type AgentId, mainAgentOf, toAgentId, toSessionId, toSourceId, toToolCallId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';

const SESSION = toSessionId('test', 'z-session');
const MAIN = mainAgentOf(SESSION);
const COPY = toAgentId('test', 'acompact-1');
const WORKER = toAgentId('test', 'worker');
const CALL = toToolCallId('call');

type Facts<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

function treeOf(sources: Readonly<Record<string, readonly Facts<AgentEvent>[]>>) {
  const ledger = createLedger(SESSION);
  for (const [source, facts] of Object.entries(sources))
    facts.forEach((fact, offset) => {
      const origin = { source: toSourceId(source), offset, length: 1 };
      reduce(ledger, { ...fact, session: SESSION, origin } as AgentEvent);
    });
  return buildTree(ledger, { now: 1e12 });
}

/** The conversation of main, as it stands in main's file and in each copy. */
const conversation = (agent: AgentId): readonly Facts<AgentEvent>[] => [
  { kind: 'entry-added', agent, entry: 'prompt', id: 'p', at: 1 },
  { kind: 'entry-added', agent, entry: 'reply', id: 'r', end: 'tools', at: 2 },
  { kind: 'tool-started', agent, call: CALL, tool: 'Agent', at: 2 },
  { kind: 'spawn-requested', agent, call: CALL },
  { kind: 'tool-ended', agent, call: CALL, outcome: 'ok', at: 9 },
  { kind: 'agent-linked', agent: WORKER, evidence: 'result', call: CALL, parent: agent },
];

describe('links', () => {
  it('name main as the parent when a copy of its conversation tells of the call as well', () => {
    const { agents } = treeOf({
      main: conversation(MAIN),
      copy: [{ kind: 'agent-seen', agent: COPY, internal: 'compact' }, ...conversation(COPY)],
      worker: [{ kind: 'entry-added', agent: WORKER, entry: 'reply', id: 'w', end: 'turn', at: 5 }],
    });
    const worker = agents.find(({ id }) => id === WORKER);
    // The copy's id comes first in the alphabet.
    expect(COPY < MAIN).toBe(true);
    expect(worker?.link).toMatchObject({ parent: MAIN, rank: 'exact', evidence: 'result', call: CALL });
  });
});

describe('a warm-up', () => {
  const spoken: Facts<AgentEvent> = { kind: 'entry-added', agent: WORKER, entry: 'reply', id: 'w', end: 'turn', at: 5 };
  const seen: Facts<AgentEvent> = { kind: 'agent-seen', agent: WORKER, internal: WARM_UP };
  const prompted: Facts<AgentEvent> = {
    kind: 'agent-prompted',
    agent: WORKER,
    prompt: { head: 'Warmup', digest: 'd' },
  };
  const called: Facts<AgentEvent> = { kind: 'tool-started', agent: WORKER, call: CALL, tool: 'Bash', at: 5 };
  const main: Facts<AgentEvent> = { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: 1 };
  const kindWhen = (...facts: readonly Facts<AgentEvent>[]) =>
    treeOf({ one: facts }).agents.find(({ id }) => id === WORKER)?.kind;

  it('is hidden when it only said that it is ready', () => {
    expect(kindWhen(main, seen, prompted, spoken)).toBe('internal');
    expect(kindWhen(seen, prompted, spoken)).toBe('internal');
    expect(kindWhen(main, seen, spoken)).toBe('internal');
  });

  it('is shown when it used tools', () => {
    expect(kindWhen(main, seen, prompted, spoken, called)).toBe('task');
  });

  it('is shown when it has no prompt and the transcript that may have asked for it is gone', () => {
    expect(kindWhen(seen, spoken)).toBe('task');
  });
});

describe('an agent at work', () => {
  const OTHER = toSessionId('test', 'other');
  const at = 1e12 - 1000;
  const working: readonly Facts<AgentEvent>[] = [
    { kind: 'session-seen', keepsProcessRecords: true },
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: at - 9 },
    { kind: 'tool-started', agent: MAIN, call: CALL, tool: 'Agent', at: at - 8 },
    { kind: 'spawn-requested', agent: MAIN, call: CALL },
    { kind: 'tool-ended', agent: MAIN, call: CALL, outcome: 'ok', launched: true, at: at - 7 },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id: 'r', at: at - 6 },
    { kind: 'agent-linked', agent: WORKER, evidence: 'sidecar', call: CALL, parent: MAIN },
    { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'w', at: at - 7 },
  ];
  const process: Facts<AgentEvent> = { kind: 'process-seen', pid: 7, alive: true, startedAt: at - 100 };
  const statusesWhen = (...facts: readonly Facts<AgentEvent>[]) =>
    treeOf({ one: [...working, ...facts] }).agents.map(({ status }) => status);

  it('goes on when its process has left the session for another one, and main does not', () => {
    expect(statusesWhen(process)).toEqual(['waiting', 'running']);
    expect(statusesWhen({ ...process, movedTo: OTHER })).toEqual(['completed', 'running']);
    expect(statusesWhen({ ...process, alive: false, movedTo: OTHER })).toEqual(['completed', 'unknown']);
    expect(statusesWhen()).toEqual(['completed', 'unknown']);
  });

  it('is not called dead when its process is out of sight', () => {
    expect(statusesWhen({ ...process, alive: false, isOutOfSight: true })).toEqual(['waiting', 'running']);
  });

  it('is not called completed by its sidecar before its own last words are there', () => {
    const finished: Facts<AgentEvent> = { kind: 'run-ended', agent: WORKER, signal: 'sidecar', outcome: 'completed' };
    const failed: readonly Facts<AgentEvent>[] = [
      { kind: 'entry-added', agent: WORKER, entry: 'failure', id: 'f', at },
      { kind: 'run-ended', agent: WORKER, signal: 'transcript', outcome: 'failed', at },
    ];
    const said: Facts<AgentEvent> = { kind: 'entry-added', agent: WORKER, entry: 'reply', end: 'turn', id: 'x', at };
    expect(statusesWhen(process, finished)).toEqual(['waiting', 'running']);
    expect(statusesWhen(process, finished, ...failed)).toEqual(['waiting', 'failed']);
    expect(statusesWhen(process, finished, said)).toEqual(['waiting', 'completed']);
    expect(statusesWhen(finished)).toEqual(['completed', 'completed']);
  });
});
