import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildTree, createOwnerOf, mainAgentOf, nativeId, selectPath, toToolCallId } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { readSession } from '../../sessions/index.ts';
import { MUCH_LATER } from '../testing/feed.ts';
import { callerOf } from './guard.ts';
import { claudeCode } from './index.ts';

const recordings = fileURLToPath(new URL('fixtures/', import.meta.url));
const hooks = fileURLToPath(new URL('hooks/fixtures/', import.meta.url));
const names = readdirSync(hooks)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace(/\.jsonl$/, ''));

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('caller');
});

function transcriptOf(root: string, session: string): string {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((file) =>
    file.endsWith(`${session}.jsonl`),
  );
  return path.join(root, found ?? '');
}

describe.each(names)('the files of %s', (name) => {
  const payloads = readFileSync(`${hooks}${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).payload)
    .filter((payload) => payload.hook_event_name === 'PreToolUse');

  it('tell who makes a call as the tree does, or nothing', async () => {
    const root = path.join(recordings, name);
    const session = payloads[0].session_id;
    const { sessions } = await claudeCode.locate(root);
    const located = sessions.find(({ id }) => nativeId(id) === session);
    if (!located) throw new Error(`no session ${session}`);
    const ledger = await readSession(claudeCode, located);
    const tree = buildTree(ledger, { now: MUCH_LATER });
    const ownerOf = createOwnerOf(ledger);
    let told = 0;
    for (const payload of payloads) {
      const { agent, ancestors } = callerOf({ ...payload, transcript_path: transcriptOf(root, session) });
      const call = ledger.calls.get(toToolCallId(payload.tool_use_id ?? ''));
      if (!agent || !call) continue;
      told++;
      const owner = ownerOf(call.agents) ?? mainAgentOf(ledger.id);
      const nodes = selectPath(tree, owner);
      expect(agent.id).toBe(nativeId(owner));
      expect(agent.kind).toBe(nodes.at(-1)?.kind);
      expect(ancestors[0]?.kind).toBe(nodes.length > 1 ? 'main' : undefined);
      // Before 2.1.250 a sidecar does not name the agent above: main is all that is sure.
      expect(nodes.map(({ id }) => nativeId(id))).toEqual(expect.arrayContaining(ancestors.map(({ id }) => id)));
    }
    if (!name.startsWith('1.0.60')) expect(told).toBeGreaterThan(0);
  });
});

it('goes up to main by the records beside the transcripts', () => {
  const root = path.join(folder, 'root');
  cpSync(path.join(recordings, '2.1.325-background'), root, { recursive: true });
  const session = readFileSync(`${hooks}2.1.325-background.jsonl`, 'utf8').match(/"session_id":"([^"]+)"/)?.[1] ?? '';
  const transcript = transcriptOf(root, session);
  const sidecar = (id: string, facts: object): void =>
    writeFileSync(
      path.join(transcript.replace('.jsonl', ''), 'subagents', `agent-${id}.meta.json`),
      JSON.stringify(facts),
    );
  sidecar('top', { agentType: 'planner', name: 'plan', spawnDepth: 1, toolUseId: 't' });
  sidecar('mid', { agentType: 'coder', spawnDepth: 2, parentAgentId: 'top' });
  sidecar('low', { agentType: 'tester', spawnDepth: 3, parentAgentId: 'mid' });
  const payload = { session_id: session, transcript_path: transcript, agent_id: 'low', agent_type: 'tester' };
  expect(callerOf(payload)).toEqual({
    agent: { id: 'low', kind: 'task', type: 'tester', name: null, depth: 3 },
    ancestors: [
      { id: session, kind: 'main', type: null, name: null, depth: 0 },
      { id: 'top', kind: 'task', type: 'planner', name: 'plan', depth: 1 },
      { id: 'mid', kind: 'task', type: 'coder', name: null, depth: 2 },
    ],
    project: '/home/dev/background',
  });
  sidecar('top', { agentType: 'planner', spawnDepth: 1, parentAgentId: 'low' });
  expect(callerOf(payload).ancestors.map(({ id }) => id)).toEqual([session, 'top', 'mid']);
  rmSync(path.join(transcript.replace('.jsonl', ''), 'subagents', 'agent-mid.meta.json'));
  expect(callerOf(payload)).toMatchObject({ reason: 'not all agents above it are known' });
});

it.each([
  null,
  7,
  {},
  { agent_id: '../../etc/passwd', session_id: 's', transcript_path: '/x.jsonl' },
  { transcript_path: '/' },
])('survives %j', (payload) => {
  expect(() => callerOf(payload)).not.toThrow();
});

it('the first call of a session is known before its first line is written, where the version tells by its payload', () => {
  const payloadsOf = (name: string) =>
    readFileSync(`${hooks}${name}.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payload)
      .filter((payload) => payload.hook_event_name === 'PreToolUse' && payload.agent_id === undefined);
  const callerAtOnce = (payload: object) =>
    callerOf({ ...payload, transcript_path: path.join(folder, 'none.jsonl') }).agent?.kind;
  expect(new Set(payloadsOf('2.1.325-failing').map(callerAtOnce))).toEqual(new Set(['main']));
  expect(new Set(payloadsOf('2.1.50-failing').map(callerAtOnce))).toEqual(new Set([undefined]));
});
