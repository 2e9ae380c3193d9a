import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildTree, nativeId, type SessionTree, selectTotalUsage } from '../../core/index.ts';
import { startWriter } from '../../lib/testing/databases.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions, readSession } from '../../sessions/index.ts';
import { checkSource, checkTruth } from '../testing/check-source.ts';
import { opencode } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

async function treesThrough(name: string, doors: readonly string[]): Promise<readonly SessionTree[]> {
  const root = makeTemporaryFolder('door');
  for (const door of doors) cpSync(path.join(fixtures, name, door), path.join(root, door), { recursive: true });
  expect(await opencode.mayHold(root)).toBe(true);
  const { sessions } = await opencode.locate(root);
  return Promise.all(
    sessions.map(async (session) => buildTree(await readSession(opencode, session), { now: Date.UTC(2030, 0) })),
  );
}

describe('recordings of the real program', () => {
  for (const name of readdirSync(fixtures).filter((entry) => !/\.md$|-(?:forks|reverted-all)$/.test(entry))) {
    it(name, async () => {
      const trees = await checkSource(opencode, fixtures + name);
      expect(trees).toHaveLength(1);
      checkTruth(fixtures + name, trees);
      for (const agent of trees[0]?.agents.slice(1) ?? []) expect(agent.link.rank).toBe('exact');
    });
  }

  const second = readdirSync(fixtures).filter((name) => /^2\.0\.15-(?!.*(?:forks|reverted-all)$)/.test(name));
  for (const name of second) {
    for (const door of ['opencode.db', 'events.jsonl', 'export'].filter((one) =>
      existsSync(path.join(fixtures, name, one)),
    ))
      it(`${name} is the same through ${door} alone`, async () => {
        const [tree] = await treesThrough(name, [door]);
        checkTruth(fixtures + name, tree ? [tree] : []);
        // The request for a title is in no message; of a copy of OpenCode 1's session, the sum is that of OpenCode 1.
        if (name === '2.0.15-upgraded') return expect(tree?.unattributed).toBeUndefined();
        expect(tree?.unattributed).toMatchObject([{ usage: { output: 1 } }]);
        if (name !== '2.0.15-hang-server-sigkill') expect(tree?.unattributed?.[0]?.billed?.nanoUsd).toBeGreaterThan(0);
      });
    if (existsSync(path.join(fixtures, name, 'stream.jsonl')))
      it(`${name} has the same agents in what was printed`, async () => {
        const [[whole], [printed]] = [
          await treesThrough(name, ['opencode.db']),
          await treesThrough(name, ['stream.jsonl']),
        ];
        const top = whole?.agents.filter(({ depth }) => (depth ?? 0) < 2) ?? [];
        const [main, own] = [whole?.agents[0], printed?.agents[0]];
        expect(printed?.agents.map(({ id }) => id).toSorted()).toEqual(top.map(({ id }) => id).toSorted());
        const endings = new Map(top.map(({ id, status }) => [id, status]));
        for (const agent of printed?.agents ?? []) {
          // `run` ends before agents in the background do, and mostly before it prints that its last step has ended.
          const isCut = agent === own ? own.usageIsLowerBound : name.endsWith('background');
          expect(agent.status).toBe(isCut ? 'unknown' : endings.get(agent.id));
        }
        if (own?.usageIsLowerBound) expect(own.usage?.output).toBeLessThan(main?.usage?.output ?? 0);
        else expect(own?.usage?.output).toBe(main?.usage?.output);
      });
  }

  it('knows no end of a run of OpenCode 2 that was killed between a text and its next call', async () => {
    const printed = readFileSync(path.join(fixtures, '2.0.15-failing', 'stream.jsonl'), 'utf8').split('\n');
    const isText = (line: string): boolean => line.startsWith('{"type":"text"');
    for (const last of printed.flatMap((line, at) => (isText(line) ? [at] : [])).concat(0)) {
      const root = makeTemporaryFolder('killed');
      writeFileSync(path.join(root, 'stream.jsonl'), `${printed.slice(0, last + 1).join('\n')}\n`);
      const { sessions } = await opencode.locate(root);
      const facts = await Promise.all(sessions.map((session) => readSession(opencode, session)));
      const [tree] = facts.map((ledger) => buildTree(ledger, { now: Date.UTC(2030, 0) }));
      expect(tree?.agents[0]?.status).toBe('unknown');
    }
  });

  it('shows no agent when a fork of OpenCode 2 is refused the agent of its original', async () => {
    const [tree, ...others] = await treesThrough('2.0.15-refused-forks', ['stream.jsonl']);
    expect(others).toEqual([]);
    expect(tree?.agents.map(({ kind, toolCallCount }) => [kind, toolCallCount])).toEqual([['main', 1]]);
  });

  it('counts what forks have copied once', async () => {
    const root = `${fixtures}1.18.33-forks`;
    const sessions = createSessions([{ adapter: opencode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
    const { trees } = await sessions.list({ limit: 10 });
    const opened = await Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
    const [original, fork, second] = opened.toSorted(
      (a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || selectTotalUsage(a).output - selectTotalUsage(b).output,
    );
    // By the script: each of the three had an agent of its own.
    const own = [original, fork, second].map(
      (tree) => tree && selectTotalUsage(tree).output - (tree.inheritedUsage?.output ?? 0),
    );
    expect(own).toEqual([606, 1406, 2206]);
    expect(original).not.toHaveProperty('inheritedUsage');
    expect([fork?.forkedFrom, second?.forkedFrom]).toEqual([original?.id, fork?.id]);
  });

  it.each(['opencode.db', 'events.jsonl', 'export'])('knows forks of forks of OpenCode 2 by %s alone', async (door) => {
    const trees = await treesThrough('2.0.15-more-forks', [door]);
    const byId = new Map(trees.map((tree) => [nativeId(tree.id), tree]));
    const seen = [
      'ses_e0e651866fferlAvshsrNSFkiJ',
      'ses_e0e64fd6affez5qh9x6MRWsLNa',
      'ses_e0e64f0d0ffeGEy5ICnWATPIuC',
    ].map((id) => {
      const tree = byId.get(id);
      return {
        from: tree?.forkedFrom && nativeId(tree.forkedFrom),
        agents: tree?.agents.map(({ description, status, toolCallCount }) => [description, status, toolCallCount]),
        output: tree?.agents.map(({ usage }) => usage?.output),
        inherited: tree?.inheritedUsage?.output,
      };
    });
    expect(seen).toEqual([
      {
        from: undefined,
        agents: [
          [undefined, 'completed', 1],
          ['Count TODO comments', 'completed', 2],
        ],
        output: [90, 58],
        inherited: undefined,
      },
      {
        from: 'ses_e0e651866fferlAvshsrNSFkiJ',
        agents: [
          [undefined, 'completed', 2],
          ['Clean up', 'completed', 2],
        ],
        output: [127, 55],
        inherited: 77,
      },
      {
        from: 'ses_e0e64fd6affez5qh9x6MRWsLNa',
        agents: [
          [undefined, 'completed', 4],
          ['Inspect source files', 'completed', 1],
          ['Write a note', 'completed', 2],
        ],
        output: [233, 34, 49],
        inherited: 127,
      },
    ]);
  });

  it.each([['opencode.db'], ['events.jsonl'], ['export'], ['opencode.db', 'events.jsonl', 'export']])(
    'forgets what a person took back, but for its agents and its tokens, by %s %s %s',
    async (...doors) => {
      const trees = await treesThrough('2.0.15-reverted-forks', doors);
      const fork = trees.find(({ forkedFrom }) => forkedFrom !== undefined);
      const seen = fork?.agents.map(({ depth, description, status, link, toolCallCount, usage }) => [
        `${depth} ${description ?? 'main'} ${status}`,
        link.call?.split('/')[0],
        toolCallCount,
        usage?.output,
      ]);
      expect(seen).toEqual([
        ['0 main completed', undefined, 1, 39],
        // Its call is gone.
        ['1 Two completed', undefined, 1, 21],
        ['1 Lead failed', 'msg_1f5acbe5a001tekF7fKl8tATBO', 2, 55],
        ['2 Leaf failed', 'msg_1f5acbf16001YGHi0KcCaWVNvU', 1, 14],
        ['2 Second leaf completed', 'msg_1f5acc123001QjWqSerGK3DJh2', 1, 21],
      ]);
      expect(fork && selectTotalUsage(fork).output).toBe(185);
    },
  );

  it.each(['opencode.db', 'events.jsonl', 'export'])(
    'ends as its last execution when all that was said is taken back, by %s alone',
    async (door) => {
      const [tree] = await treesThrough('2.0.15-reverted-all', [door]);
      expect(tree?.diagnostics).toEqual([]);
      expect(
        tree?.agents.map(({ status, messageCount, toolCallCount }) => [status, messageCount, toolCallCount]),
      ).toEqual([
        ['completed', 0, 0],
        ['completed', 3, 1],
      ]);
      expect(tree && selectTotalUsage(tree).output).toBe(57);
    },
  );

  it.each(['opencode.db', 'events.jsonl', 'export'])(
    'leaves calls that still ran out of a fork, by %s alone',
    async (door) => {
      const trees = await treesThrough('2.0.15-waiting-forks', [door]);
      const seen = trees.map(({ forkedFrom, agents, inheritedUsage }) => ({
        isFork: forkedFrom !== undefined,
        agents: agents.map(({ description, toolCallCount, usage }) => [description, toolCallCount, usage?.output]),
        inherited: inheritedUsage?.output ?? 0,
      }));
      expect(seen.toSorted((a, b) => Number(a.isFork) - Number(b.isFork))).toEqual([
        {
          isFork: false,
          agents: [
            [undefined, 1, 41],
            ['Slow one', 1, 24],
          ],
          inherited: 0,
        },
        { isFork: true, agents: [[undefined, 0, 13]], inherited: 0 },
      ]);
    },
  );

  it('of OpenCode 2 finds forks, answered questions and a declined one', async () => {
    const root = `${fixtures}2.0.15-forks`;
    const sessions = createSessions([{ adapter: opencode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
    const { trees } = await sessions.list({ limit: 10 });
    const opened = await Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
    const byId = new Map(opened.map((tree) => [nativeId(tree.id), tree]));
    expect(opened).toHaveLength(4);
    const [original, fork] = ['ses_e0f82cbfcffehmda1F5OuzNoxe', 'ses_e0f815701ffeiXQElSFlKSHXW9'].map((id) =>
      byId.get(id),
    );
    expect(fork?.forkedFrom).toBe(original?.id);
    expect([original, fork].map((tree) => tree && selectTotalUsage(tree).output)).toEqual([13, 26]);
    expect(fork?.inheritedUsage?.output).toBe(13);
    const statuses = (id: string) => byId.get(id)?.agents.map(({ status }) => status);
    // Its question was answered; the person said no to the command of the other one, which ended it.
    expect(statuses('ses_e0f814984ffeovGMG011NmfcW0')).toEqual(['completed', 'completed']);
    expect(statuses('ses_e0f81261effeStnlOcx4YgF5xq')).toEqual(['completed', 'stopped']);
  });

  it('opens a fork although a message in it is not JSON', async () => {
    const root = makeTemporaryFolder('forks');
    cpSync(`${fixtures}1.18.33-forks`, root, { recursive: true });
    const writer = await startWriter(path.join(root, 'opencode.db'));
    await writer.run(
      "update message set data = '{' where rowid in (select max(rowid) from message group by session_id)",
    );
    await writer.close();
    const sessions = createSessions([{ adapter: opencode, root, forced: false }], { clock: () => Date.UTC(2030, 0) });
    const { trees } = await sessions.list({ limit: 10 });
    const opened = await Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
    expect(opened.filter(({ forkedFrom }) => forkedFrom !== undefined)).toHaveLength(2);
  });
});
