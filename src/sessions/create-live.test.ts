import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyEvent, type LiveEvent, type LiveSnapshot, type SessionDetail } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { pace, until } from '../lib/testing/waiting.ts';
import { createLive, type Live } from './live-feed.ts';
import { startTracker } from './tracker.ts';
import { createTranscripts } from './transcripts.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));

let root = '';
let live: Live | undefined;
beforeEach(() => {
  root = makeTemporaryFolder('feed');
  mkdirSync(path.join(root, 'projects'));
});
afterEach(() => {
  live?.close();
});

const NOW = Date.parse('2030-01-01');
const place = () => ({ adapter: claudeCode, root, forced: false });
const open = (): Live => {
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 100 };
  live = createLive(startTracker([place()], { clock: () => NOW, window }));
  return live;
};

const inOrder = ({ sessions, ...rest }: LiveSnapshot) => ({
  ...rest,
  sessions: sessions.toSorted((a: SessionDetail, b: SessionDetail) => (a.id < b.id ? -1 : 1)),
});

describe('the live feed', () => {
  it('equals the snapshot and the changes since, at any moment', async () => {
    cpSync(path.join(fixtures, '2.1.325-parallel'), root, { recursive: true });
    const feed = open();
    let early: LiveSnapshot | undefined;
    const events: LiveEvent[] = [];
    feed.subscribe((event) => {
      events.push(event);
      early = applyEvent(early, event);
    });
    expect(events[0]?.type).toBe('snapshot');
    await until(() => early?.isComplete, 'the first reading');
    const from = path.join(fixtures, '2.1.325-nested');
    const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files) {
      const source = path.join(file.parentPath, file.name);
      const target = path.join(root, path.relative(from, source));
      mkdirSync(path.dirname(target), { recursive: true });
      for (const [index, line] of readFileSync(source, 'utf8')
        .split(/(?<=\n)/)
        .entries()) {
        appendFileSync(target, line);
        if (index % 10 === 0) await pace(10);
      }
    }
    const nested = () => early?.sessions.find(({ id }) => id.startsWith('fa129e54'));
    await until(() => nested()?.main.status === 'completed', 'the end of the session');
    let late: LiveSnapshot | undefined;
    feed.subscribe((event) => {
      late = applyEvent(late, event);
    });
    await vi.waitFor(() => {
      if (!early || !late) throw new Error('no snapshot');
      expect(inOrder(early)).toEqual(inOrder(late));
    }, 30_000);
    const changes = events.flatMap((event) => (event.type === 'change' ? [event.data] : []));
    expect(changes.length).toBeGreaterThan(3);
    // Only what changed is told: an agent that does nothing is not repeated.
    expect(changes.every(({ agents }) => agents.length <= 4)).toBe(true);
    rmSync(path.join(root, 'projects', '-home-dev-nested'), { recursive: true });
    await until(() => events.some(({ type }) => type === 'gone'), 'the end of the other session');
    expect(early?.sessions).toHaveLength(1);
  });

  it('answers for sessions and agents by their ids', async () => {
    cpSync(path.join(fixtures, '2.1.325-nested'), root, { recursive: true });
    const feed = open();
    const session = await feed.session('fa129e54-d574-4fea-bbfe-0dd74bbd38cd', { internal: false });
    expect(session?.subagents).toHaveLength(3);
    expect((await feed.agent('a2ca437af9f568b24'))?.description).toBe('Audit the repo');
    expect(await feed.agent('a2ca437af9f568b24', 'another')).toBeUndefined();
    expect(await feed.session('nobody', { internal: false })).toBeUndefined();
    expect(await feed.transcript('nobody', { from: 0, limit: 1 })).toBeUndefined();
  });

  it('returns any part of a transcript as it is in the whole', async () => {
    const names = [
      '2.1.325-nested',
      '2.0.76-parallel',
      '1.0.60-parallel',
      '2.1.325-inter-compact',
      '2.1.20-inter-single',
    ];
    for (const name of names) cpSync(path.join(fixtures, name), root, { recursive: true });
    const feed = open();
    await until(() => feed.snapshot().isComplete, 'the first reading');
    const transcripts = createTranscripts([place()], () => NOW);
    for (const { id, main, subagents } of feed.snapshot().sessions) {
      for (const agent of [main, ...subagents]) {
        const { transcript } = await transcripts.read(agent.id, id);
        const total = transcript.messages.length;
        const parts = [];
        for (let from = 0; from < total + 2; from += 2) {
          const part = await feed.transcript(agent.id, { from, limit: 2 }, id);
          expect(part?.total).toBe(total);
          parts.push(...(part?.messages ?? []));
        }
        expect(parts).toEqual(transcript.messages);
      }
    }
  });

  it('returns all of a transcript to a client that asks during the read', async () => {
    cpSync(path.join(fixtures, '2.1.325-nested'), root, { recursive: true });
    const feed = open();
    const id = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
    await feed.session(id, { internal: false });
    const ask = () => feed.transcript(id, { from: 0, limit: 100 });
    const [one, two, three] = await Promise.all([ask(), ask(), ask()]);
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  it('continues a transcript that grows, and reads a rewritten one again', async () => {
    cpSync(path.join(fixtures, '2.1.325-nested'), root, { recursive: true });
    const feed = open();
    const id = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
    const file = path.join(root, 'projects', '-home-dev-nested', `${id}.jsonl`);
    const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
    writeFileSync(file, lines.slice(0, 8).join(''));
    const few = (await feed.transcript(id, { from: 0, limit: 100 }))?.total ?? 0;
    appendFileSync(file, lines.slice(8).join(''));
    const all = (await feed.transcript(id, { from: 0, limit: 100 }))?.total ?? 0;
    expect(all).toBeGreaterThan(few);
    writeFileSync(file, lines.slice(0, 8).join(''));
    expect((await feed.transcript(id, { from: 0, limit: 100 }))?.total).toBe(few);
  });
});
