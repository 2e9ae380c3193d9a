import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { nativeId } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { until } from '../../lib/testing/waiting.ts';
import { createSessions, listDataFolders } from '../../sessions/index.ts';
import { startTracker } from '../../sessions/tracker.ts';
import { ADAPTERS } from '../testing/all-hosts.ts';

const RECORDING = fileURLToPath(new URL('fixtures/0.166.0-review-fork-archive', import.meta.url));
const REVIEWED = '01a1e070-745d-7cb2-857c-382d3515ace6';
const REVIEW = '01a1e070-74e9-7591-b35f-03c4f6d7a0cf';

let root = '';
beforeEach(() => {
  root = makeTemporaryFolder('codex');
  cpSync(RECORDING, root, { recursive: true });
});

const places = () => listDataFolders(ADAPTERS, { env: {}, home: '/nowhere' }, { roots: [root] });
const list = () => createSessions(places(), { clock: () => Date.parse('2030-01-01') }).list({ limit: 100 });

/** Changes the header of the review's rollout. */
function changeHeader(change: (meta: Record<string, unknown>) => void): void {
  const folder = path.join(root, 'sessions/2026/11/15');
  const file = path.join(folder, readdirSync(folder).find((name) => name.includes(REVIEW)) ?? '');
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const record = JSON.parse(first);
  change(record.payload);
  writeFileSync(file, [JSON.stringify(record), ...rest].join('\n'));
}

describe('agents that Codex starts for itself', () => {
  it('are in the tree of the session that they work for', async () => {
    const { trees } = await list();
    expect(trees.map(({ id }) => nativeId(id))).not.toContain(REVIEW);
    const reviewed = trees.find(({ id }) => nativeId(id) === REVIEWED);
    expect(reviewed?.agents.map(({ id, kind, internal }) => [nativeId(id), kind, internal])).toEqual([
      [REVIEWED, 'main', undefined],
      [REVIEW, 'internal', 'review'],
    ]);
  });

  it('are in the tree of the thread whose lines they begin with when no parent is named', async () => {
    changeHeader((meta) => {
      meta['source'] = { subagent: { other: 'guardian' } };
      meta['forked_from_id'] = REVIEWED;
      delete meta['parent_thread_id'];
      delete meta['session_id'];
    });
    const { trees } = await list();
    expect(trees.map(({ id }) => nativeId(id))).not.toContain(REVIEW);
    const reviewed = trees.find(({ id }) => nativeId(id) === REVIEWED);
    expect(reviewed?.agents[1]).toMatchObject({ kind: 'internal', internal: 'guardian', link: { rank: 'exact' } });
  });

  it('are called what they are when nothing says for whom they work', async () => {
    changeHeader((meta) => {
      delete meta['parent_thread_id'];
      delete meta['session_id'];
    });
    const { trees } = await list();
    expect(trees.find(({ id }) => nativeId(id) === REVIEW)?.title).toBe("Codex's own agent: review");
  });
});

describe('files beside the sessions of Codex', () => {
  it('are no sessions of any host', async () => {
    const name = { id: REVIEWED, thread_name: 'My review', updated_at: '2026-11-15T18:30:00Z' };
    writeFileSync(path.join(root, 'session_index.jsonl'), `${JSON.stringify(name)}\n`);
    const typed = { session_id: REVIEWED, ts: 1_763_194_471, text: 'Please do the job.' };
    writeFileSync(path.join(root, 'history.jsonl'), `${JSON.stringify(typed)}\n`);
    for (const limit of [1, 100]) {
      const all = await createSessions(places(), { clock: () => Date.parse('2030-01-01') }).list({ limit });
      expect([all.total, all.emptySessions]).toEqual([3, 0]);
    }
    const live = startTracker(places(), { clock: () => Date.parse('2030-01-01') });
    try {
      await until(() => live.listing().isComplete && live.listing().older.length === 3, 'the index is recognised');
    } finally {
      live.close();
    }
  });
});
