import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId, selectTotalUsage } from '../../core/index.ts';
import { createSessions } from '../../sessions/index.ts';
import { claudeCode } from './index.ts';
import { replyIdOf } from './record.ts';

// One session and its forks by `--fork-session`, of the real program: the original's agent was woken after the first fork.

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

async function readAll(name: string) {
  const root = fixtures + name;
  const sessions = createSessions([{ adapter: claudeCode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
  const { trees } = await sessions.list({ limit: 10 });
  const opened = await Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
  return opened.toSorted((a, b) => (a.agents[0]?.lastActivityAt ?? 0) - (b.agents[0]?.lastActivityAt ?? 0));
}

describe.each(['2.1.325-forks', '2.1.45-forks'])('%s', (name) => {
  it('names the session that wrote the copied lines first', async () => {
    const trees = await readAll(name);
    const original = trees.find(({ forkedFrom }) => forkedFrom === undefined);
    const others = trees.filter((tree) => tree !== original);
    expect(others.map(({ forkedFrom }) => forkedFrom)).toEqual([original?.id, original?.id, original?.id]);
  });

  it('shows the agents of a fork as they were when it was made', async () => {
    const trees = await readAll(name);
    const first = trees.find(({ agents }) => agents[0]?.toolCallCount === 1);
    const agent = first?.agents.find(({ description }) => description === 'Original check');
    expect(agent).toMatchObject({ status: 'completed', toolCallCount: 1, inheritedUsage: agent?.usage });
    expect(agent?.runs).toHaveLength(1);
  });
});

it('counts what forks have copied once, for main and every agent', async () => {
  const trees = await readAll('2.1.325-forks');
  const own = trees.map((tree) => selectTotalUsage(tree).output - (tree.inheritedUsage?.output ?? 0));
  // By the script: 92 of main and 57 of its agent; 13; 50 and 58 of its own agent; 31.
  expect(own.toSorted((a, b) => a - b)).toEqual([13, 31, 108, 149]);
});

it('knows the lines of one reply by their request when a fork gave each of them an id of its own', () => {
  const line = (uuid: string, id: string) => ({ type: 'assistant', uuid, requestId: 'req_1', message: { id } });
  expect([line('u1', 'u1'), line('u2', 'u2')].map(replyIdOf)).toEqual(['req_1', 'req_1']);
  expect(replyIdOf(line('u1', 'msg_1'))).toBe('msg_1');
  expect(replyIdOf({ type: 'assistant', uuid: 'u1', message: { id: 'u1' } })).toBe('u1');
});
