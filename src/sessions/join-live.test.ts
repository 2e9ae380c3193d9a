import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostOf, type LiveTrees, nativeId, type SessionTree, type TreeChange } from '../core/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { pace } from '../lib/testing/waiting.ts';
import { joinLive } from './live-feed.ts';
import { listDataFolders } from './places.ts';
import { createSessions } from './sessions.ts';
import { startTracker } from './tracker.ts';

// As recorded: a sub-agent of Claude Code that ran six programs, one after the other (test/fixtures/README.md).
const recording = fileURLToPath(new URL('../../test/fixtures/all-hosts/', import.meta.url));
const OUTER = '353ada2e-6b76-407a-ac24-5562cada3e3a';
const NOW = Date.parse('2030-01-01');

let home = '';
let live: LiveTrees | undefined;
beforeEach(() => {
  home = makeTemporaryFolder('join');
  cpSync(recording, home, { recursive: true });
});
afterEach(() => {
  live?.close();
});

const places = () => listDataFolders(ADAPTERS, { env: {}, home }, {});
const follow = (ms = Number.POSITIVE_INFINITY): LiveTrees => {
  live = joinLive(startTracker(places(), { clock: () => NOW, window: { ms, sessions: 100 } }));
  return live;
};
const askerFile = (): string => {
  const file = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((one) => /agent-\w+\.jsonl$/.test(one));
  return path.join(home, file ?? '');
};
const rows = (): readonly string[] => (live?.current() ?? []).map(({ id }) => hostOf(id)).toSorted();
const inTree = (tree: SessionTree | undefined): readonly string[] =>
  (tree?.agents ?? []).filter(({ kind }) => kind === 'session').map(({ id }) => hostOf(id));
const outer = (): SessionTree | undefined => live?.current().find(({ id }) => nativeId(id) === OUTER);
const STARTED = ['codex', 'opencode', 'claude-code', 'gemini', 'qwen', 'copilot'];

describe('following sessions that commands start', () => {
  it('moves each from the list into the tree when its command has printed its id, and back when that is gone', async () => {
    const file = askerFile();
    const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
    writeFileSync(file, lines.slice(0, 1).join(''));
    const trees = follow();
    const changes: TreeChange[] = [];
    trees.subscribe((change) => changes.push(change));
    await expect.poll(rows, { timeout: 30_000 }).toEqual(['claude-code', ...STARTED].toSorted());
    for (const line of lines.slice(1)) {
      appendFileSync(file, line);
      await pace(15);
    }
    await expect.poll(() => inTree(outer()), { timeout: 30_000 }).toEqual(STARTED);
    expect(rows()).toEqual(['claude-code']);
    const fresh = await createSessions(places(), { clock: () => NOW }).open(OUTER);
    expect(outer()).toEqual({ ...fresh.tree, diagnostics: expect.anything() });
    const gone = changes.flatMap((change) => (change.kind === 'gone' ? [hostOf(change.session)] : []));
    expect(gone.toSorted()).toEqual(STARTED.toSorted());

    const codex = outer()?.agents.find(({ id }) => hostOf(id) === 'codex');
    const part = codex && (await trees.transcript(outer()?.id ?? codex.session!, codex.id, { from: 0, limit: 50 }));
    expect(part?.total).toBeGreaterThan(1);
    expect(part?.transcript.parent_session_id).toBe(nativeId(codex?.link.parent ?? codex!.id));

    rmSync(path.join(home, '.claude', 'projects'), { recursive: true });
    await expect.poll(rows, { timeout: 30_000 }).toEqual(STARTED.filter((host) => host !== 'claude-code').toSorted());
  });

  it('reads one older than the followed ones for the tree it belongs to', async () => {
    const trees = follow(0);
    await expect.poll(() => trees.listing().isComplete, { timeout: 30_000 }).toBe(true);
    expect(rows()).toEqual([]);
    await trees.look(OUTER);
    await expect.poll(() => inTree(outer()), { timeout: 30_000 }).toEqual(STARTED);
    expect(rows()).toEqual(['claude-code']);
    const alone = await trees.look(
      nativeId(outer()?.agents.find(({ id }) => hostOf(id) === 'gemini')?.id ?? ('' as never)),
    );
    expect(alone?.agents.map(({ kind, depth }) => [kind, depth])).toEqual([['main', 0]]);
  });
});
