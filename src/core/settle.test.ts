import { describe, expect, it } from 'vitest';
import { buildTree } from './build-tree.ts';
import { type AgentEvent, TITLE } from './events.ts';
import { mainAgentOf, toAgentId, toSessionId, toSourceId, toToolCallId } from './ids.ts';
import { createLedger } from './ledger.ts';
import { reduce } from './reduce.ts';
import { ORPHAN_MS, SETTLE_MS, Settling } from './settle.ts';

const SESSION = toSessionId('test', 'session');
const MAIN = mainAgentOf(SESSION);
const WORKER = toAgentId('test', 'worker');
const CALL = toToolCallId('call');
const BEGIN = 1e12;

type Facts<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** A session that is followed by a clock that only moves when it is told to. */
function follow(...first: readonly Facts<AgentEvent>[]) {
  const ledger = createLedger(SESSION);
  const settling = new Settling();
  let now = BEGIN;
  let offset = 0;
  let dueAt: number | undefined;
  const show = (): readonly string[] | undefined => {
    const settled = settling.settle(buildTree(ledger, { now }), ledger, now);
    dueAt = settled.dueAt;
    return settled.tree?.agents.map(({ status, waitingOn, link }) =>
      [status, waitingOn, link.parent === undefined ? undefined : 'child'].filter(Boolean).join(' '),
    );
  };
  const read = (...facts: readonly Facts<AgentEvent>[]): readonly string[] | undefined => {
    for (const fact of facts) {
      const origin = { source: toSourceId('agent' in fact ? fact.agent : 'beside'), offset: offset++, length: 1 };
      reduce(ledger, { ...fact, session: SESSION, origin } as AgentEvent);
    }
    return show();
  };
  const shown = read(...first);
  return {
    shown,
    read,
    /** After this time in which nothing came. */
    after(ms: number) {
      now += ms;
      return show();
    },
    due: () => (dueAt === undefined ? undefined : dueAt - now),
  };
}

const running: Facts<AgentEvent> = { kind: 'process-seen', pid: 7, alive: true, startedAt: BEGIN - 9_000 };
const gone: Facts<AgentEvent> = { ...running, alive: false };
const prompt: Facts<AgentEvent> = { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'p', at: BEGIN - 100 };
const call: readonly Facts<AgentEvent>[] = [
  { kind: 'entry-added', agent: MAIN, entry: 'reply', end: 'tools', id: 'c', at: BEGIN - 90 },
  { kind: 'tool-started', agent: MAIN, call: CALL, tool: 'Agent', at: BEGIN - 90 },
  { kind: 'spawn-requested', agent: MAIN, call: CALL },
];
const linked: Facts<AgentEvent> = { kind: 'agent-linked', agent: WORKER, evidence: 'sidecar', call: CALL };
const asked: Facts<AgentEvent> = { kind: 'entry-added', agent: WORKER, entry: 'prompt', id: 'w', at: BEGIN - 80 };
const said: Facts<AgentEvent> = {
  kind: 'entry-added',
  agent: WORKER,
  entry: 'reply',
  end: 'turn',
  id: 'x',
  at: BEGIN - 10,
};
const result: Facts<AgentEvent> = { kind: 'tool-ended', agent: MAIN, call: CALL, outcome: 'ok', at: BEGIN - 5 };
const failure: readonly Facts<AgentEvent>[] = [
  { kind: 'entry-added', agent: WORKER, entry: 'failure', id: 'f', at: BEGIN - 4 },
  { kind: 'run-ended', agent: WORKER, signal: 'transcript', outcome: 'failed', at: BEGIN - 4 },
];
const turnOver: Facts<AgentEvent> = {
  kind: 'entry-added',
  agent: MAIN,
  entry: 'reply',
  end: 'turn',
  id: 'r',
  at: BEGIN - 3,
};
const woken: Facts<AgentEvent> = { kind: 'entry-added', agent: MAIN, entry: 'prompt', id: 'q', at: BEGIN - 2 };

describe('an end', () => {
  it('is not shown when the agent turns out to have failed', () => {
    const session = follow(running, prompt, ...call, linked, asked);
    expect(session.shown).toEqual(['waiting child', 'running child']);
    expect(session.read(result)).toEqual(['running', 'running child']);
    session.after(SETTLE_MS - 1);
    expect(session.read(...failure)).toEqual(['running', 'running child']);
    expect(session.after(1)).toEqual(['running', 'failed child']);
  });

  it('is shown at once when the agent wrote its last message and its parent has the result', () => {
    const session = follow(running, prompt, ...call, linked, asked, said);
    expect(session.shown).toEqual(['waiting child', 'running child']);
    expect(session.read(result)).toEqual(['running', 'completed child']);
    expect(session.due()).toBeUndefined();
  });

  it('is shown after the settling time when no second signal comes', () => {
    const session = follow(running, prompt, ...call, linked, asked);
    session.read(result);
    expect(session.due()).toBe(SETTLE_MS);
    expect(session.after(SETTLE_MS - 1)).toEqual(['running', 'running child']);
    expect(session.after(1)).toEqual(['running', 'completed child']);
    expect(session.due()).toBeUndefined();
  });

  it('is not shown when only the turn is over and a background agent is running', () => {
    const helper = toAgentId('test', 'helper');
    const session = follow(running, prompt, ...call, { ...result, launched: true, at: BEGIN - 85 }, linked, asked);
    session.read(
      { kind: 'agent-linked', agent: helper, evidence: 'sidecar', parent: WORKER },
      { ...asked, agent: helper, id: 'h' },
    );
    session.read(said, {
      kind: 'run-ended',
      agent: WORKER,
      signal: 'transcript',
      outcome: 'completed',
      at: BEGIN - 10,
    });
    expect(session.after(SETTLE_MS)).toEqual(['running', 'waiting child child', 'running child']);
    const told = session.read({
      kind: 'run-ended',
      agent: WORKER,
      signal: 'notification',
      outcome: 'completed',
      at: BEGIN - 2,
    });
    expect(told).toEqual(['running', 'completed child', 'running child']);
  });
});

describe('a main agent', () => {
  it('does not wait for input when a message wakes it within the settling time', () => {
    const session = follow(running, prompt);
    expect(session.read(turnOver)).toEqual(['running']);
    session.after(SETTLE_MS - 1);
    expect(session.read(woken)).toEqual(['running']);
    expect(session.due()).toBeUndefined();
  });

  it('waits for input when nothing wakes it', () => {
    const session = follow(running, prompt);
    session.read(turnOver);
    expect(session.after(SETTLE_MS)).toEqual(['waiting input']);
    expect(session.read(woken)).toEqual(['running']);
  });

  it('does not wait for input when a program resumes its session with a prompt', () => {
    const session = follow(gone, prompt, turnOver, { kind: 'session-closed' });
    expect(session.shown).toEqual(['completed']);
    expect(session.read(running)).toEqual(['completed']);
    expect(session.read(woken)).toEqual(['running']);
  });

  it('is not unknown when its last line is read after the end of its process', () => {
    const session = follow(running, prompt);
    expect(session.read(gone)).toEqual(['running']);
    expect(session.read(turnOver, { kind: 'session-closed' })).toEqual(['completed']);
  });

  it('is unknown when its process ended and no line follows', () => {
    const session = follow(running, prompt);
    session.read(gone);
    expect(session.after(SETTLE_MS)).toEqual(['unknown']);
  });
});

describe('a session', () => {
  const keepsRecords: Facts<AgentEvent> = { kind: 'session-seen', keepsProcessRecords: true };

  it('is not shown before its process record when its file comes first', () => {
    const session = follow(keepsRecords, prompt);
    expect(session.shown).toBeUndefined();
    expect(session.read(running)).toEqual(['running']);
  });

  it('is shown at once when its last line is old', () => {
    expect(follow(keepsRecords, { ...prompt, at: BEGIN - 60_000 }).shown).toEqual(['unknown']);
  });
});

describe('an agent without a parent', () => {
  it('is not shown when the call that spawned it follows', () => {
    const session = follow(running, prompt);
    expect(session.read(linked, asked)).toEqual(['running']);
    session.after(ORPHAN_MS - 1);
    expect(session.read(...call)).toEqual(['waiting child', 'running child']);
  });

  it('is shown with all agents below it when no call follows', () => {
    const below = toAgentId('test', 'below');
    const session = follow(running, prompt);
    session.read(
      linked,
      asked,
      { kind: 'agent-linked', agent: below, evidence: 'folder', parent: WORKER },
      { ...asked, agent: below, id: 'b' },
    );
    expect(session.due()).toBe(ORPHAN_MS);
    expect(session.after(ORPHAN_MS - 1)).toEqual(['running']);
    expect(session.after(1)).toEqual(['running', 'running', 'running child']);
    expect(session.due()).toBeUndefined();
  });

  it('is shown after the settling time when its session is over', () => {
    const session = follow(gone, prompt, turnOver, { kind: 'session-closed' });
    session.read(linked, asked);
    expect(session.due()).toBe(SETTLE_MS);
    expect(session.after(SETTLE_MS)?.length).toBe(2);
  });
});

describe('a main agent whose process record is late', () => {
  const ended: Facts<AgentEvent> = {
    kind: 'entry-added',
    agent: MAIN,
    entry: 'reply',
    end: 'turn',
    id: 'e',
    at: BEGIN - 70,
  };
  const idle: Facts<AgentEvent> = { ...running, state: 'idle', stateAt: BEGIN - 8_000 };
  const busy: Facts<AgentEvent> = { ...running, state: 'busy', stateAt: BEGIN - 8_000 };
  const begun: Facts<AgentEvent> = { kind: 'agent-seen', agent: MAIN, at: BEGIN - 200 };
  const moved: Facts<AgentEvent> = { ...busy, hasMoved: true };
  const titled: Facts<AgentEvent> = { kind: 'request-hidden', purpose: TITLE };

  it('waits for its agent, not for input, when the record is from before the prompt', () => {
    const session = follow(idle, prompt, ...call, linked, asked, ended);
    expect(session.after(SETTLE_MS)).toEqual(['waiting child', 'running child']);
    expect(session.read({ ...idle, stateAt: BEGIN - 60 })?.[0]).toBe('waiting child');
    expect(session.after(SETTLE_MS)?.[0]).toBe('waiting input');
  });

  it('does not wait for input once the host has requested a title', () => {
    expect(follow(idle, titled).shown).toEqual(['spawning']);
    expect(follow(idle).after(SETTLE_MS)).toEqual(['waiting input']);
  });

  it('is not completed when its session is a copy that was written before the record', () => {
    const copied = [{ kind: 'session-seen', keepsProcessRecords: true }, prompt, ended] as const;
    const session = follow(...copied);
    expect(session.shown).toBeUndefined();
    expect(session.read({ ...idle, stateAt: BEGIN })).toBeUndefined();
    expect(session.after(SETTLE_MS)).toEqual(['waiting input']);
    expect(follow(...copied).after(SETTLE_MS)).toEqual(['completed']);
  });

  it("does not run because of its process's activity in the session before", () => {
    expect(follow(moved, begun).after(SETTLE_MS)).toEqual(['waiting input']);
    expect(follow(moved, begun, prompt).shown).toEqual(['running']);
    expect(follow(moved, begun, prompt, ended).after(SETTLE_MS)).toEqual(['waiting input']);
    // `/clear` right after the last change of state.
    expect(follow({ ...moved, stateAt: BEGIN - 201 }, begun).after(SETTLE_MS)).toEqual(['waiting input']);
    const continued: Facts<AgentEvent> = { kind: 'session-cleared' };
    const killed = follow(continued, { ...busy, alive: false }, begun, prompt, ended);
    expect(killed.after(SETTLE_MS)).toEqual(['completed']);
    // `/branch` copies older lines, and writes its own right after the last change of state.
    const branch = (at: number): Facts<AgentEvent> => ({
      kind: 'session-forked',
      from: toSessionId('test', 'old'),
      replies: [],
      at,
    });
    const copying: Facts<AgentEvent> = { ...busy, stateAt: BEGIN - 101 };
    expect(follow(copying, begun, branch(BEGIN - 100), prompt, ended).after(SETTLE_MS)).toEqual(['waiting input']);
    expect(follow(copying, begun, branch(BEGIN - 102), prompt, ended).shown).toEqual(['running']);
    const since: Facts<AgentEvent> = { ...moved, stateAt: BEGIN };
    expect(follow(since, begun).shown).toEqual(['running']);
    // Without a session before, its process was busy with this one as it began.
    expect(follow(busy, begun, prompt, ended).shown).toEqual(['running']);
  });
});
