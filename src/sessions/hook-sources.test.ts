import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LiveTrees, nativeId, type SessionTree } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { dumpTree } from '../hosts/testing/dump.ts';
import { MUCH_LATER } from '../hosts/testing/feed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { until } from '../lib/testing/waiting.ts';
import { listDataFolders } from './places.ts';
import { createSessions } from './sessions.ts';
import { startTracker } from './tracker.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../hosts/claude-code/${name}`, import.meta.url));

let folder = '';
let tracker: LiveTrees | undefined;
beforeEach(() => {
  folder = makeTemporaryFolder('told');
});
afterEach(() => {
  tracker?.close();
});

interface Told {
  readonly session: string;
  readonly lines: readonly string[];
}

/** Of a run whose agent failed: what its hooks told, as it is kept. */
function toldBy(name: string): Told {
  const payloads = readFileSync(fixture(`hooks/fixtures/${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const calls = payloads.map((line) => JSON.parse(line));
  const lines = calls.flatMap(({ at, payload }, index) => {
    const kept = claudeCode.hooks?.condense(payload);
    return kept ? [`${JSON.stringify({ id: String(index), at: Date.parse(at), payload: kept })}\n`] : [];
  });
  return { session: calls[0].payload.session_id, lines };
}

const places = () =>
  listDataFolders(
    [claudeCode],
    { env: {}, home: folder },
    { roots: [path.join(folder, 'root')] },
    { hooks: path.join(folder, 'told') },
  );

/** Whatever the transcripts say of them, too. */
const endsByHook = (live: LiveTrees): number => {
  const [tree] = live.current();
  const agents = [...((tree && live.ledgerOf(tree.id)?.agents.values()) ?? [])];
  return agents.flatMap(({ ends }) => [...ends.values()]).filter(({ signal }) => signal === 'hook').length;
};

it('follows what hooks report from the moment their file appears, as a fresh read finds it', async () => {
  cpSync(fixture('fixtures/2.1.325-background'), path.join(folder, 'root'), { recursive: true });
  const { session, lines } = toldBy('2.1.325-background');
  const live = startTracker(places(), {
    clock: () => MUCH_LATER,
    window: { ms: Number.POSITIVE_INFINITY, sessions: 10 },
  });
  tracker = live;
  await until(() => live.listing().isComplete, 'the first reading');
  const tree = (): SessionTree | undefined => live.current()[0];
  expect(endsByHook(live)).toBe(0);

  const file = path.join(folder, 'told', 'claude-code', `${session}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  for (const line of lines) {
    appendFileSync(file, line.slice(0, 20));
    appendFileSync(file, line.slice(20));
  }
  await until(() => endsByHook(live) > 0, 'the end that a hook told');
  const fresh = await createSessions(places(), { clock: () => MUCH_LATER }).open(session);
  await until(() => dumpTree(tree() as SessionTree) === dumpTree(fresh.tree), 'the tree of a fresh read');

  rmSync(file);
  await until(() => endsByHook(live) === 0, 'the tree without what the hooks told');
});

it('puts a session below the agent that its hooks name as its starter', async () => {
  cpSync(fixture('fixtures/2.1.325-background'), path.join(folder, 'root'), { recursive: true });
  cpSync(fixture('fixtures/2.1.325-plain'), path.join(folder, 'root'), { recursive: true });
  const sessions = createSessions(places(), { clock: () => MUCH_LATER });
  const { trees } = await sessions.list({ limit: 10 });
  // As recorded, one after the other: the later one may have been started by the earlier.
  const [inner, outer] = trees
    .toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))
    .map(({ id }) => nativeId(id));
  const told = path.join(folder, 'told', 'claude-code');
  mkdirSync(told, { recursive: true });
  const startedBy = `claude-code:${outer}:${outer}:toolu_01`;
  appendFileSync(path.join(told, `${inner}.jsonl`), `${JSON.stringify({ id: '1', at: 1, startedBy })}\n`);
  const started = `claude-code:${inner}`;
  appendFileSync(path.join(told, `${outer}.jsonl`), `${JSON.stringify({ id: '2', at: 1, startedBy, started })}\n`);
  const joined = await sessions.list({ limit: 10 });
  expect([joined.total, joined.more, joined.trees.map(({ id }) => nativeId(id))]).toEqual([2, 0, [outer]]);
  const { tree } = await sessions.open(outer);
  expect(tree.agents.find(({ kind }) => kind === 'session')).toMatchObject({
    id: started,
    session: started,
    depth: 1,
    link: { parent: `claude-code:${outer}`, call: 'toolu_01', evidence: 'environment', rank: 'exact' },
  });
  expect((await sessions.open(inner)).tree.agents[0]).toMatchObject({ id: started, kind: 'main', depth: 0 });
});

it('changes nothing for a host without hooks or a session without files', async () => {
  mkdirSync(path.join(folder, 'root', 'projects'), { recursive: true });
  const { session, lines } = toldBy('2.1.325-background');
  mkdirSync(path.join(folder, 'told', 'claude-code'), { recursive: true });
  appendFileSync(path.join(folder, 'told', 'claude-code', `${session}.jsonl`), lines.join(''));
  const { total } = await createSessions(places(), { clock: () => MUCH_LATER }).list({ limit: 10 });
  expect(total).toBe(0);
});
