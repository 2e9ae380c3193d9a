import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import { type Payload, recordedHooks } from '../../testing/recorded-hooks.ts';
import { hooks } from './index.ts';

// Recorded: main looks around, starts a sub-agent, and that one another. What Copilot had written by then was less than what it
// wrote in the end: `known` says how much of it a test leaves on the disk.

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const PROCESS = 4711;

let home: string;
beforeEach(() => {
  home = makeTemporaryFolder('copilot');
  vi.stubEnv('COPILOT_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Gives the session's id. */
function runSession(version: string, known: 'all' | 'nothing' = 'all', isRunning = true): string {
  cpSync(`${fixtures}${version}/session-state`, path.join(home, 'session-state'), { recursive: true });
  const [id = ''] = readdirSync(path.join(home, 'session-state'));
  const folder = path.join(home, 'session-state', id);
  if (known === 'nothing') rmSync(path.join(folder, 'events.jsonl'));
  if (isRunning) writeFileSync(path.join(folder, `inuse.${PROCESS}.lock`), '');
  return id;
}

const payloadsOf = (version: string): readonly Payload[] =>
  recordedHooks(`${fixtures}${version}/hooks.jsonl`).filter((payload) => hooks.read(payload)?.call);
const commandIn = (payload: Payload): string => JSON.stringify(payload['toolArgs']);
const leafOf = (version: string): Payload =>
  payloadsOf(version).find((one) => commandIn(one).includes('echo leaf')) ?? {};
const innerOf = (version: string): Payload =>
  payloadsOf(version).find((one) => commandIn(one).includes('Deeper')) ?? {};

describe.each(['1.0.65', '1.0.92', '1.0.102'])('Copilot %s', (version) => {
  it('main and sub-agents are told apart by the process, before anything of them is written', () => {
    const session = runSession(version, 'nothing');
    const [first = {}] = payloadsOf(version);
    expect(hooks.read(first, PROCESS)).toMatchObject({
      session: `copilot:${session}`,
      caller: { named: 'agent', agent: `copilot:${session}` },
      call: { tool: 'Bash', input: { command: 'true', description: 'd' }, subject: 'true' },
    });
    expect(hooks.callerOf(first, PROCESS)).toMatchObject({ agent: { kind: 'main', id: session }, ancestors: [] });
    for (const payload of [innerOf(version), leafOf(version)]) {
      const id = payload['sessionId'];
      expect(hooks.read(payload, PROCESS)).toMatchObject({
        session: `copilot:${session}`,
        caller: { named: 'agent', agent: `copilot:${id}` },
      });
      expect(hooks.callerOf(payload, PROCESS)).toMatchObject({ agent: { kind: 'task', id } });
    }
  });

  it('type and agents above are known by what is written, also when the process is gone', () => {
    const session = runSession(version, 'all', false);
    const { agent, ancestors, reason } = hooks.callerOf(leafOf(version), PROCESS);
    expect(agent).toMatchObject({ type: 'general-purpose' });
    expect(hooks.read(leafOf(version))?.session).toBe(`copilot:${session}`);
    // Before, nobody says who is above an agent.
    const isTold = version !== '1.0.65';
    expect(ancestors.map(({ kind }) => kind)).toEqual(isTold ? ['main', 'task'] : ['main']);
    expect([agent?.depth, reason]).toEqual(isTold ? [2, undefined] : [null, 'not all agents above it are known']);
  });
});

describe('without a session on the disk', () => {
  it('1.0.102 names its agents itself', () => {
    const caller = hooks.callerOf(innerOf('1.0.102'));
    expect(caller).toMatchObject({
      agent: { kind: 'task', type: 'general-purpose' },
      // The one above may be the session itself, or an agent.
      ancestors: [{ kind: 'main' }, { kind: 'task', type: null }],
      reason: 'not all agents above it are known',
    });
    expect(hooks.read(innerOf('1.0.102'))?.session).toBe(`copilot:${innerOf('1.0.102')['parentAgentId']}`);
  });

  it('an id like that of a session may be anybody', () => {
    for (const version of ['1.0.92', '1.0.102']) {
      const [first = {}] = payloadsOf(version);
      expect(hooks.callerOf(first)).toMatchObject({ agent: null, reason: 'its session is not in the data folder' });
      expect(hooks.read(first)?.caller).toEqual({ named: 'nobody' });
    }
  });
});

it('other events with a tool are no calls', () => {
  const all = recordedHooks(`${fixtures}1.0.102/hooks.jsonl`);
  const others = all.filter((payload) => ['toolResult', 'hookName', 'agentName'].some((key) => key in payload));
  expect(others).toHaveLength(3);
  for (const payload of others) expect(hooks.read(payload)).not.toHaveProperty('call');
  for (const payload of [undefined, null, 'x', {}]) expect(hooks.read(payload)).toBeUndefined();
});

it('answers in its own words', () => {
  const say = (decision: 'allow' | 'ask' | 'deny' | 'none', input?: unknown): string =>
    hooks.formatAnswer({ decision, reason: 'So.', ...(input !== undefined && { input }) });
  expect(say('none')).toBe('');
  expect(JSON.parse(say('deny'))).toEqual({ permissionDecision: 'deny', permissionDecisionReason: 'So.' });
  expect(JSON.parse(say('ask'))).toEqual({ permissionDecision: 'ask', permissionDecisionReason: 'So.' });
  expect(JSON.parse(say('none', { command: 'x' }))).toEqual({ modifiedArgs: { command: 'x' } });
  // What is typed into a shell is not what the tool takes.
  expect(say('none', { command: 'x', is_typed: true })).toBe('');
});
