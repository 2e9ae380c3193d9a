import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeId, type SessionTree, selectTotalUsage, toSessionId } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { claudeCode } from './index.ts';
import { replyIdOf } from './record.ts';

// One session and its forks by `--fork-session`, of the real program: the original's agent was woken after the first fork.

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

const sessionsOf = (name: string) =>
  createSessions([{ adapter: claudeCode, root: path.resolve(fixtures, name), forced: false }], {
    clock: () => Date.UTC(2030, 0),
  });

const ownOutput = (tree: SessionTree): number => selectTotalUsage(tree).output - (tree.inheritedUsage?.output ?? 0);

async function readAll(name: string) {
  const sessions = sessionsOf(name);
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

it('links a branch of a branch to the branch, although all begin with the same line', async () => {
  const [first, second, third] = (await readAll('2.1.325-branch-of-branch')).map(({ id, forkedFrom }) => ({
    id,
    forkedFrom,
  }));
  expect([first?.forkedFrom, second?.forkedFrom, third?.forkedFrom]).toEqual([undefined, first?.id, second?.id]);
});

it('links a fork that was made in another worktree, with the agents of its original', async () => {
  const [fork, original, ...others] = (await readAll('2.1.325-fork-worktree')).toSorted((a) => (a.forkedFrom ? -1 : 1));
  expect(others).toEqual([]);
  expect([fork?.forkedFrom, original?.forkedFrom]).toEqual([original?.id, undefined]);
  // By the script: 501, 502 and its agent's 601 and 602 in the fork; all others in the original.
  expect([fork, original].map((tree) => tree && ownOutput(tree))).toEqual([2206, 5018]);
  expect(fork?.agents.map(({ status, toolCallCount }) => [status, toolCallCount])).toEqual([
    ['completed', 3],
    ['completed', 1],
    ['completed', 1],
    ['completed', 1],
  ]);
});

it('counts what forks have copied once, for main and every agent', async () => {
  const trees = await readAll('2.1.325-forks');
  const own = trees.map(ownOutput);
  // By the script: 92 of main and 57 of its agent; 13; 50 and 58 of its own agent; 31.
  expect(own.toSorted((a, b) => a - b)).toEqual([13, 31, 108, 149]);
});

// By the script, all output of the original and of the copy; the copy's agent had used 403 when it was made.
describe.each([
  { name: '2.1.325-fork-woken', how: '--fork-session within a second', own: [2413, 301] },
  { name: '2.1.161-inter-fork', how: '--fork-session in a terminal', own: [606, 1406] },
  { name: '2.1.325-inter-branch', how: '/branch', own: [607, 1407] },
  // With two warm-ups in either session.
  { name: '2.0.76-fork', how: '--fork-session with agents beside the transcripts', own: [620, 315] },
])('$how', ({ name, own }) => {
  it('links the copy to its original and counts what was copied once', async () => {
    const [original, copy, ...others] = (await readAll(name)).toSorted((a) => (a.forkedFrom === undefined ? -1 : 1));
    expect(others).toEqual([]);
    expect(original).not.toHaveProperty('inheritedUsage');
    expect(copy?.forkedFrom).toBe(original?.id);
    expect([original, copy].map((tree) => tree && ownOutput(tree))).toEqual(own);
    const priced = copy?.agents.flatMap(({ usageByModel }) => usageByModel) ?? [];
    expect(priced.reduce((sum, { usage }) => sum + usage.output, 0)).toBe(own[1]);
  });

  it('shows an agent of the original as it was when the copy was made', async () => {
    const copy = (await readAll(name)).find(({ forkedFrom }) => forkedFrom !== undefined);
    const agent = copy?.agents.find(({ description }) => description === 'Check one file 2');
    expect(agent).toMatchObject({ status: 'completed', toolCallCount: 1, inheritedUsage: { output: 403 } });
    expect(agent?.usage).toEqual(agent?.inheritedUsage);
    const inherited = copy?.agents.reduce((sum, { inheritedUsage }) => sum + (inheritedUsage?.output ?? 0), 0);
    expect(inherited).toBe(copy?.inheritedUsage?.output);
  });

  it('says the same in the list', async () => {
    const opened = await readAll(name);
    const { trees } = await sessionsOf(name).list({ limit: 10 });
    for (const { id, inheritedUsage } of trees)
      expect(inheritedUsage).toEqual(opened.find((tree) => tree.id === id)?.inheritedUsage);
  });
});

it('does not take a file whose lines are written in another order for a copy', async () => {
  const [tree] = await readAll('2.1.45-inter-unordered');
  expect(tree).not.toHaveProperty('inheritedUsage');
});

it('links a resumed session of 1.0.60, which begins a new file, and counts what was copied once', async () => {
  const [original, copy] = await readAll('1.0.60-resumed');
  expect(copy?.forkedFrom).toBe(original?.id);
  expect([original, copy].map((tree) => tree && ownOutput(tree))).toEqual([606, 1406]);
  const { trees } = await sessionsOf('1.0.60-resumed').list({ limit: 10 });
  expect(trees.map(ownOutput).toSorted((a, b) => a - b)).toEqual([606, 1406]);
});

it('does not show an agent at work in a fork that was made while it worked', async () => {
  const trees = await readAll('2.1.325-fork-busy');
  const statuses = trees.map(({ agents }) => agents.find(({ kind }) => kind === 'task')?.status);
  // The host tells the fork that the agent did not finish.
  expect(statuses.toSorted()).toEqual(['completed', 'failed']);
});

it.each(['its project', 'another project'])(
  'shows a teammate of its original in a fork that only names the team, in %s',
  async (place) => {
    const root = makeTemporaryFolder('forks');
    await cp(`${fixtures}2.1.287-team-fork`, root, { recursive: true });
    const [project = ''] = await readdir(path.join(root, 'projects'));
    const [fork, other] = [
      path.join(root, 'projects', project, '6fa88285-2041-4df7-b868-b57e706eb483.jsonl'),
      path.join(root, 'projects', `${project}-other`, '6fa88285-2041-4df7-b868-b57e706eb483.jsonl'),
    ];
    if (place === 'another project') {
      await mkdir(path.dirname(other));
      await rename(fork, other);
    }
    const trees = await readAll(root);
    const mates = trees.map(({ agents }) => agents.find(({ kind }) => kind === 'teammate'));
    const seen = mates.map((mate) => [
      mate?.status,
      mate?.toolCallCount,
      mate?.usage?.output,
      mate?.inheritedUsage?.output,
    ]);
    expect(seen.toSorted()).toEqual([
      ['completed', 1, 403, undefined],
      ['unknown', 1, 201, 201],
    ]);
  },
);

it('shows an agent that goes on beside a branch in the original, and what the branch has copied of it', async () => {
  const trees = await readAll('2.1.325-branch-busy');
  const agents = trees.map(({ forkedFrom, agents }) => {
    const { status, toolCallCount, usage, inheritedUsage } = agents.find(({ kind }) => kind === 'task') ?? {};
    return [forkedFrom !== undefined, status, toolCallCount, usage?.output, inheritedUsage?.output];
  });
  expect(agents.toSorted()).toEqual([
    [false, 'completed', 2, 606, undefined],
    [true, 'completed', 1, 201, 201],
  ]);
});

it('gives the work of an agent to the copy from the message on with which the copy wakes it', async () => {
  const trees = await readAll('2.1.325-branch-woken');
  const copy = trees.find(({ forkedFrom }) => forkedFrom !== undefined);
  const original = trees.find((tree) => tree !== copy);
  // By the script; the first half of the audit was over when the copy was made, the second one went on in the copy's folder.
  expect(original?.agents[1]).toMatchObject({ status: 'completed', toolCallCount: 2, usage: { output: 606 } });
  // Before it was woken.
  expect(original?.agents[1]?.completedAt).toBe(copy?.agents[1]?.runs[0]?.endedAt);
  const woken = { status: 'completed', toolCallCount: 2, usage: { output: 1204 }, inheritedUsage: { output: 201 } };
  expect(copy?.agents[1]).toMatchObject(woken);
  expect([original, copy].map((tree) => tree && ownOutput(tree))).toEqual([809, 2109]);
});

it('links a copy of a compacted session to it when the copied lines are far from its beginning', async () => {
  const name = '2.1.325-compact-fork';
  const root = makeTemporaryFolder('compact-fork');
  await cp(fixtures + name, root, { recursive: true });
  const [original] = (await readAll(name)).filter(({ forkedFrom }) => forkedFrom === undefined);
  const [project = ''] = await readdir(path.join(root, 'projects'));
  const file = path.join(
    root,
    'projects',
    project,
    `${nativeId(original?.id ?? toSessionId('claude-code', ''))}.jsonl`,
  );
  const [first, ...rest] = (await readFile(file, 'utf8')).split('\n');
  const heavy = JSON.stringify({ type: 'api-request-blob', message: 'x'.repeat(300_000) });
  await writeFile(file, [first, heavy, ...rest].join('\n'));
  const trees = await readAll(root);
  expect(trees.flatMap(({ forkedFrom }) => forkedFrom ?? [])).toEqual([original?.id]);
});

it('knows the lines of one reply by their request when a fork gave each of them an id of its own', () => {
  const line = (uuid: string, id: string) => ({ type: 'assistant', uuid, requestId: 'req_1', message: { id } });
  expect([line('u1', 'u1'), line('u2', 'u2')].map(replyIdOf)).toEqual(['req_1', 'req_1']);
  expect(replyIdOf(line('u1', 'msg_1'))).toBe('msg_1');
  expect(replyIdOf({ type: 'assistant', uuid: 'u1', message: { id: 'u1' } })).toBe('u1');
});

it('lists a fork with new ids for lines and replies as it shows it in the tree', async () => {
  const root = makeTemporaryFolder('rewritten');
  await cp(path.join(fixtures, '2.1.325-plain'), root, { recursive: true });
  const [project = ''] = await readdir(path.join(root, 'projects'));
  const [original = ''] = (await readdir(path.join(root, 'projects', project))).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const file = path.join(root, 'projects', project, original);
  const copy = '00000000-0000-4000-8000-000000000000';
  await writeFile(path.join(path.dirname(file), `${copy}.jsonl`), rewritten(await readFile(file, 'utf8'), copy));
  const opened = (await readAll(root)).toSorted((a) => (a.forkedFrom === undefined ? -1 : 1));
  expect(opened.map(({ forkedFrom }) => forkedFrom)).toEqual([undefined, opened[0]?.id]);
  // What it wrote itself: one line with the reply's 4 tokens.
  expect(ownOutput(opened[1] as SessionTree)).toBe(4);
  const { trees } = await sessionsOf(root).list({ limit: 10 });
  const inherited = (all: readonly SessionTree[]) => new Map(all.map((tree) => [tree.forkedFrom, tree.inheritedUsage]));
  expect(inherited(trees)).toEqual(inherited(opened));
});

/** As 2.1.45 did: the lines of the conversation, then one of its own. */
function rewritten(text: string, session: string): string {
  const lines = text
    .split('\n')
    .flatMap((line) => (/"type":"(?:user|assistant)"/.test(line) ? [JSON.parse(line)] : []));
  const copied = lines.map((line, index) => {
    const uuid = `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`;
    return { ...line, uuid, sessionId: session, message: { ...line.message, ...(line.requestId && { id: uuid }) } };
  });
  const last = copied.at(-1);
  const usage = { ...last.message.usage, output_tokens: 4 };
  const timestamp = new Date(Date.parse(last.timestamp) + 60_000).toISOString();
  const own = { ...last, uuid: 'own', requestId: 'own', timestamp, message: { ...last.message, id: 'own', usage } };
  return [...copied, own].map((line) => `${JSON.stringify(line)}\n`).join('');
}

it('keeps an agent file that was created after the session was listed out of other sessions', async () => {
  const [session] = (await claudeCode.locate(path.join(fixtures, '2.1.325-nested'))).sessions;
  const file = session?.sources.find(({ role }) => role === 'agent');
  if (!session || file?.agent === undefined) throw new Error('no agent');
  const before = { ...session, sources: session.sources.filter((source) => source !== file) };
  expect(before.sources.map(({ agent }) => agent)).toContain(file.agent);
  expect(await claudeCode.locateAgents?.(before, [file.agent])).toEqual([]);
});

// Its host was killed while main waited for the agent: the copy of the call has no result that names it.
it('shows an agent that main waited for, in the fork as it was then', async () => {
  const trees = await readAll('2.1.325-killed-forked');
  const fork = trees.find(({ forkedFrom }) => forkedFrom !== undefined);
  expect(fork?.agents.map(({ description, status }) => [description, status])).toEqual([
    [undefined, 'completed'],
    ['Wait for the model 2', 'unknown'],
    ['Check one file 4', 'completed'],
  ]);
  expect(fork?.agents[1]).toMatchObject({ toolCallCount: 1, usage: { output: 201 }, inheritedUsage: { output: 201 } });
});
