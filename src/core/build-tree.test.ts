import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import { type AgentEvent, WARM_UP } from './events.ts';
import { type AgentId, mainAgentOf, toAgentId, toSessionId, toSourceId, toToolCallId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { NO_USAGE } from './usage.ts';

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
  it('name main as the parent when a copy of its conversation holds the call as well', () => {
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

  it('is shown when it has no prompt and the transcript that may have requested it is missing', () => {
    expect(kindWhen(seen, spoken)).toBe('task');
  });
});

describe('a running agent', () => {
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

  it('stays running when its process moves to another session and main does not', () => {
    expect(statusesWhen(process)).toEqual(['waiting', 'running']);
    expect(statusesWhen({ ...process, movedTo: OTHER })).toEqual(['completed', 'running']);
    expect(statusesWhen({ ...process, alive: false, movedTo: OTHER })).toEqual(['completed', 'unknown']);
  });

  it('stays with the session that made it when a fork gives it another task, and main does not wait for it', () => {
    const woken: readonly Facts<AgentEvent>[] = [
      { kind: 'tool-ended', agent: MAIN, call: CALL, outcome: 'ok', at: at - 4 },
      { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'again', at: at - 1 },
      { ...process, startedAt: at - 2, endsWithTurn: true },
    ];
    const facts = working.filter(({ kind }) => kind !== 'tool-ended');
    const statuses = treeOf({ one: [...facts, ...woken] }).agents.map(({ status }) => status);
    expect(statuses).toEqual(['completed', 'running']);
    const inFork = treeOf({ one: [...facts, ...woken, { kind: 'agent-seen', agent: WORKER, isOthers: true }] });
    expect(inFork.agents.map(({ kind }) => kind)).toEqual(['main']);
  });

  it('leaves the end of main unknown when its process was lost with it, whether or not the record of that is still there', () => {
    expect(statusesWhen({ ...process, alive: false })).toEqual(['unknown', 'unknown']);
    expect(statusesWhen()).toEqual(['unknown', 'unknown']);
    expect(statusesWhen({ kind: 'session-closed', at })).toEqual(['completed', 'unknown']);
    expect(statusesWhen({ kind: 'session-forked', from: OTHER, replies: [], at })).toEqual(['completed', 'unknown']);
  });

  it('does not end when a process that resumed its session assumes so while its own process is alive', () => {
    const resumed: Facts<AgentEvent> = { kind: 'process-seen', pid: 8, alive: true, startedAt: at - 1 };
    const outcome = { signal: 'notification', outcome: 'stopped', isAssumed: true, at } as const;
    const assumed: Facts<AgentEvent> = { kind: 'run-ended', agent: WORKER, ...outcome };
    expect(statusesWhen({ ...process, movedTo: OTHER }, resumed, assumed)[1]).toBe('running');
    expect(statusesWhen({ ...process, alive: false, movedTo: OTHER }, resumed, assumed)[1]).toBe('stopped');
    expect(statusesWhen(resumed, assumed)[1]).toBe('stopped');
  });

  it('does not end when its process cannot be seen', () => {
    const hidden: Facts<AgentEvent> = { ...process, alive: false, isOutOfSight: true };
    expect(statusesWhen(hidden)).toEqual(['waiting', 'running']);
    const daysAgo = working.map((fact) => ('at' in fact && fact.at ? { ...fact, at: fact.at - 3e8 } : fact));
    const statusOf = (...facts: readonly Facts<AgentEvent>[]) =>
      treeOf({ one: [...daysAgo, ...facts] }).agents[1]?.status;
    expect(statusOf(hidden)).toBe('unknown');
    // Its record was written just now.
    expect(statusOf({ ...hidden, state: 'busy', stateAt: at })).toBe('running');
  });

  it('is not completed by its sidecar before its own last message is there', () => {
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

  it('is failed by its sidecar alone, although no message of its own says so', () => {
    const failed: Facts<AgentEvent> = { kind: 'run-ended', agent: WORKER, signal: 'sidecar', outcome: 'failed', at };
    const next: Facts<AgentEvent> = { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'n', at: at + 9 };
    expect(statusesWhen(process, failed)).toEqual(['waiting', 'failed']);
    expect(statusesWhen(process, failed, next)).toEqual(['waiting', 'running']);
  });
});

describe('a main agent whose process is alive', () => {
  const at = 1e12 - 1000;
  const process: Facts<AgentEvent> = { kind: 'process-seen', pid: 7, alive: true, startedAt: at - 100 };
  const turn: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: at - 9 },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id: 'r', at: at - 6 },
  ];
  const stateWhen = (...facts: readonly Facts<AgentEvent>[]) => {
    const [main] = treeOf({ one: facts }).agents;
    return [main?.status, main?.waitingOn];
  };

  it('runs when its turn is over and its process reports busy', () => {
    expect(stateWhen(...turn, { ...process, state: 'busy' })).toEqual(['running', undefined]);
    expect(stateWhen(...turn, { ...process, state: 'idle' })).toEqual(['waiting', 'input']);
    expect(stateWhen(...turn, process)).toEqual(['waiting', 'input']);
  });

  it('ends with its turn when the process gets no further prompt', () => {
    expect(stateWhen(...turn, { ...process, endsWithTurn: true })).toEqual(['completed', undefined]);
    expect(stateWhen(...turn.slice(0, 1), { ...process, endsWithTurn: true })).toEqual(['running', undefined]);
  });

  it('waits for its first prompt only when the process is its own and not busy', () => {
    const seen: Facts<AgentEvent> = { kind: 'agent-seen', agent: MAIN, at };
    expect(stateWhen(seen, process)).toEqual(['waiting', 'input']);
    expect(stateWhen(seen, { ...process, state: 'busy' })).toEqual(['running', undefined]);
    expect(stateWhen(seen, { ...process, isShared: true })).toEqual(['spawning', undefined]);
  });
});

it('is starting, not waiting, when its session is a copy without new messages', () => {
  const at = 1e12 - 1000;
  const copied: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: at - 9 },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id: 'r', at: at - 6 },
    {
      kind: 'usage-counted',
      agent: MAIN,
      message: 'r',
      usage: { ...NO_USAGE, output: 7 },
      model: 'm',
      final: true,
      at: at - 6,
    },
    { kind: 'session-forked', from: toSessionId('test', 'original'), replies: ['r'] },
  ];
  const stateOf = (facts: readonly Facts<AgentEvent>[]) => treeOf({ one: facts }).agents[0]?.status;
  expect(stateOf(copied)).toBe('spawning');
  expect(stateOf(copied.slice(0, 3))).toBe('waiting');
  expect(stateOf([...copied, { kind: 'process-seen', pid: 7, alive: true, state: 'idle' }])).toBe('waiting');
});

it('is starting when its process has a prompt and has written only copies', () => {
  const at = 1e12 - 1000;
  const terminal: Facts<AgentEvent> = { kind: 'process-seen', pid: 7, alive: true };
  const process: Facts<AgentEvent> = { ...terminal, endsWithTurn: true };
  const copied: readonly Facts<AgentEvent>[] = [
    { kind: 'session-copied', at },
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: at - 9 },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id: 'r', at: at - 6 },
  ];
  const own: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'q', at: at + 1 },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'turn', id: 's', at: at + 2 },
  ];
  const stateOf = (...facts: readonly Facts<AgentEvent>[]) => treeOf({ one: facts }).agents[0]?.status;
  expect(stateOf(...copied, process)).toBe('spawning');
  expect(stateOf(...copied.slice(0, 2), process)).toBe('spawning');
  expect(stateOf(...copied, ...own.slice(0, 1), process)).toBe('running');
  expect(stateOf(...copied, ...own, process)).toBe('completed');
  expect(stateOf(...copied, terminal)).toBe('waiting');
});

it('does not run in a copy of its session', () => {
  const at = 1e12 - 1000;
  const main: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at },
    { kind: 'tool-started', agent: MAIN, call: CALL, tool: 'agent', at },
    { kind: 'spawn-requested', agent: MAIN, call: CALL, background: true },
    { kind: 'agent-linked', agent: WORKER, evidence: 'result', call: CALL, parent: MAIN },
  ];
  const worker: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'wp', at: at + 3 },
  ];
  const copied: Facts<AgentEvent> = { kind: 'session-forked', from: toSessionId('test', 'original'), replies: [] };
  const stateOf = (own: readonly Facts<AgentEvent>[], its: readonly Facts<AgentEvent>[]) =>
    treeOf({ main: own, worker: its }).agents.find(({ id }) => id === WORKER)?.status;
  expect(stateOf(main, worker)).toBe('running');
  expect(stateOf([...main, copied], worker)).toBe('running');
  expect(stateOf([...main, copied], [...worker, { kind: 'source-borrowed' }])).toBe('unknown');
});

describe('a main agent without a process record', () => {
  const at = 1e12 - 10_000;
  const main: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at },
    { kind: 'tool-started', agent: MAIN, call: CALL, tool: 'agent', at: at + 1 },
    { kind: 'spawn-requested', agent: MAIN, call: CALL, background: true },
    { kind: 'tool-ended', agent: MAIN, call: CALL, outcome: 'ok', launched: true, at: at + 2 },
    { kind: 'agent-linked', agent: WORKER, evidence: 'result', call: CALL, parent: MAIN },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', id: 'r', end: 'turn', at: at + 4 },
  ];
  const worker: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'wp', at: at + 3 },
  ];
  const done: Facts<AgentEvent> = {
    ...{ kind: 'run-ended', agent: WORKER, signal: 'notification', outcome: 'completed' },
    at: at + 9,
  };
  const waitsOn = (facts: readonly Facts<AgentEvent>[]) =>
    treeOf({ main, worker: facts }).agents.find(({ id }) => id === MAIN)?.waitingOn;

  it('waits for its background agent, whose end will wake it', () => {
    expect(waitsOn(worker)).toBe('child');
    expect(waitsOn([...worker, done])).toBe('input');
  });
});

describe('a parent whose host records calls after their end', () => {
  const at = 1e12 - 10_000;
  const main: readonly Facts<AgentEvent>[] = [
    { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at },
    { kind: 'entry-added', agent: MAIN, entry: 'reply', id: 'r', at: at + 1 },
  ];
  const worker: readonly Facts<AgentEvent>[] = [
    { kind: 'agent-seen', agent: WORKER, agentKind: 'task', awaited: true, at: at + 2 },
    { kind: 'agent-linked', agent: WORKER, evidence: 'folder', parent: MAIN },
    { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'wp', at: at + 2 },
  ];
  const done: Facts<AgentEvent> = {
    ...{ kind: 'run-ended', agent: WORKER, signal: 'transcript', outcome: 'completed' },
    at: at + 5,
  };
  const call: readonly Facts<AgentEvent>[] = [
    { kind: 'tool-started', agent: MAIN, call: CALL, tool: 'invoke_agent', at: at + 1 },
    { kind: 'spawn-requested', agent: MAIN, call: CALL },
    { kind: 'tool-ended', agent: MAIN, call: CALL, outcome: 'ok', at: at + 5 },
    { kind: 'agent-linked', agent: WORKER, evidence: 'result', call: CALL, parent: MAIN },
  ];
  const stateWith = (more: Readonly<Record<string, readonly Facts<AgentEvent>[]>>) => {
    const found = treeOf({ main, ...more }).agents.find(({ id }) => id === MAIN);
    return [found?.status, found?.waitingOn];
  };

  it('waits for its agent until that ends, then runs until the call is recorded', () => {
    expect(stateWith({})).toEqual(['waiting', 'input']);
    expect(stateWith({ worker })).toEqual(['waiting', 'child']);
    expect(stateWith({ worker: [...worker, done] })).toEqual(['running', undefined]);
    const last: Facts<AgentEvent> = { kind: 'entry-added', agent: MAIN, entry: 'reply', id: 'r2', at: at + 7 };
    expect(stateWith({ worker: [...worker, done], main: [...main, ...call, last] })).toEqual(['waiting', 'input']);
  });
});
