import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveSnapshot, SessionDetail } from '../core/index.ts';
import { makeAsk } from './testing/make-ask.ts';
import { AT_WORK, broughtUpTo, createFeed, NOW, pictureOf, recordedSessions, withAgents } from './testing/recorded.ts';
import { watchPlain } from './watch-plain.ts';

let nested: SessionDetail;
let hostile: SessionDetail;
beforeAll(async () => {
  const recorded = await recordedSessions('2.1.325-nested', '2.1.325-xss');
  nested = broughtUpTo(NOW, recorded.find(({ project }) => project === 'nested')!, 60_000);
  hostile = broughtUpTo(NOW, recorded.find(({ project }) => project === 'project')!, 60_000);
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function start(picture?: LiveSnapshot, options: { readonly json?: boolean; readonly session?: string } = {}) {
  const feed = createFeed(picture);
  const stop = new AbortController();
  let text = '';
  const notes: string[] = [];
  const note = (words: string): void => void notes.push(words);
  const write = (more: string): void => {
    text += more;
  };
  const clock = (): number => NOW;
  const done = watchPlain({ feed, write, note, clock, colours: 'none', json: false, stop: stop.signal, ...options });
  const take = async (): Promise<readonly string[]> => {
    await vi.advanceTimersByTimeAsync(400);
    const lines = text.split('\n').slice(0, -1);
    text = '';
    return lines;
  };
  return { feed, stop, done, take, notes };
}

const working = (session: SessionDetail, fields = {}): SessionDetail =>
  withAgents(session, (_agent, index) => (index === 2 ? { ...AT_WORK, ...fields } : {}));

describe('the log', () => {
  it('begins with a count and the running agents, without ended ones', async () => {
    const { take } = start(
      pictureOf([working(nested, { currentTool: 'Bash', currentToolSummary: 'npm test' }), hostile]),
    );
    expect(await take()).toMatchInlineSnapshot(`
      [
        "12:00:00  2 sessions followed, 1 agent at work in 1, in /home/dev/.claude",
        "12:00:00  ● ab4c7b9a  nested          Check app.js (general-purpose)                running                Bash npm test",
      ]
    `);
  });

  it('waits for the first picture until it is complete', async () => {
    const { take, feed } = start();
    expect(await take()).toEqual([]);
    feed.emit({ type: 'snapshot', data: pictureOf([], { isComplete: false }) });
    expect(await take()).toEqual([]);
    feed.emit({ type: 'snapshot', data: pictureOf([working(nested)]) });
    expect(await take()).toHaveLength(2);
  });

  it('has one line for each new call, new status, and end with its reason', async () => {
    const { take, feed } = start(pictureOf([working(nested)]));
    await take();
    feed.change((session) => working(session, { currentTool: 'Bash', currentToolSummary: 'npm test' }));
    expect(await take()).toEqual([
      expect.stringMatching(/● ab4c7b9a {2}nested {10}Check app\.js \(general-purpose\) .* running {16}Bash npm test$/),
    ]);
    feed.change((session) => working(session, { stalled: true, currentTool: 'Bash', currentToolSummary: 'npm test' }));
    expect(await take()).toEqual([expect.stringMatching(/⚠ ab4c7b9a .* silent .*Bash npm test$/)]);
    const run = {
      ...nested.subagents[1]!.runs[0]!,
      status: 'failed' as const,
      reason: 'API error:\u001b[31m 529\nOverloaded',
    };
    feed.change((session) => working(session, { status: 'failed', stalled: false, currentTool: null, runs: [run] }));
    expect(await take()).toEqual([expect.stringMatching(/✗ ab4c7b9a .* failed {17}API error: 529 Overloaded$/)]);
  });

  it('has no line for tokens, for a pause between two calls, or for a session that was never listed', async () => {
    const call = { currentTool: 'Bash', currentToolSummary: 'npm test' };
    const { take, feed } = start(pictureOf([working(nested, call), hostile]));
    await take();
    feed.change((session) => working(session, { ...call, usage: { ...session.usage, output: 4711 } }), nested.id);
    feed.change((session) => working(session, { currentTool: null, currentToolSummary: null }), nested.id);
    feed.emit({ type: 'gone', data: { sessionId: hostile.id, host: hostile.host } });
    expect(await take()).toEqual([]);
    feed.emit({ type: 'gone', data: { sessionId: nested.id, host: nested.host } });
    expect(await take()).toEqual([expect.stringContaining('no longer followed')]);
  });

  it('has lines for a call that needs approval, how to answer it, and how it ended', async () => {
    const { take, feed } = start(pictureOf([nested]));
    await take();
    const ask = makeAsk('a', nested);
    feed.emit({ type: 'ask', data: ask });
    expect((await take()).join('\n')).toMatch(
      /^12:00:00 {2}◐ aaaaaaaa {2}main › .*Check app\.js: Bash git push origin main {2}needs you: troupe guard answer aaaaaaaa allow\|deny, within 5:00$/m,
    );
    feed.emit({ type: 'ask', data: { ...ask, end: { at: ask.at, decision: 'deny', by: 'expiry' } } });
    expect((await take()).join('\n')).toContain('Bash git push origin main  Denied: no answer came in time.');
    const other = start(pictureOf([nested]), { session: 'zzz' });
    await other.take();
    other.feed.emit({ type: 'ask', data: ask });
    expect(await other.take()).toEqual([]);
  });

  it('writes a burst of changes as one line', async () => {
    const { take, feed } = start(pictureOf([working(nested)]));
    await take();
    for (let step = 0; step < 50; step++)
      feed.change((session) => working(session, { currentTool: 'Read', currentToolSummary: `file-${step}` }));
    expect(await take()).toEqual([expect.stringMatching(/Read file-49$/)]);
  });

  it('shows a new session and new agents, also short-lived ones', async () => {
    const { take, feed } = start(pictureOf([nested]));
    await take();
    feed.emit({ type: 'snapshot', data: pictureOf([broughtUpTo(NOW + 60_000, hostile), nested]) });
    expect((await take()).map((line) => line.slice(10, 36))).toEqual([
      expect.stringContaining('✓ 311b3f05'),
      expect.stringContaining('✓ a7930099'),
      expect.stringContaining('✓ ad7f6233'),
    ]);
  });

  it('strips the control characters of a hostile recording', async () => {
    const { take } = start(pictureOf([withAgents(hostile, () => AT_WORK)]));
    const text = (await take()).join('\n');
    expect(text).toContain('<img src=x');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it('names its source beside the log when that changes', async () => {
    for (const json of [false, true]) {
      const { feed, take, notes } = start(pictureOf([nested]), { json });
      await take();
      feed.moveTo({ text: 'server gone, looking again…', isLost: true });
      feed.moveTo({ text: 'this process', isLost: false });
      expect(await take()).toEqual([]);
      expect(notes).toEqual(['troupe: server gone, looking again…', 'troupe: the picture comes from: this process']);
    }
  });

  it('ends on request', async () => {
    const { stop, done, feed, take } = start(pictureOf([nested]));
    await take();
    stop.abort();
    await done;
    expect(feed.listeners()).toBe(0);
  });
});

describe('with --json', () => {
  it('writes every event as it came, one a line', async () => {
    const { take, feed } = start(pictureOf([nested]), { json: true });
    const listing = { older: [], olderTotal: 3, emptySessions: 0, ignoredFiles: 0, isComplete: true, notices: [] };
    feed.emit({ type: 'listing', data: listing });
    feed.change((session) => working(session));
    const lines = (await take()).map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['snapshot', 'listing', 'change']);
    expect(lines[0].data).toEqual(pictureOf([nested]));
    expect(lines[1]).toEqual({ type: 'listing', data: listing });
  });

  it('shows one session when it was requested', async () => {
    const { take, feed } = start(pictureOf([nested, hostile]), { json: true, session: nested.id.slice(0, 8) });
    feed.change((session) => working(session), nested.id);
    feed.change((session) => ({ ...session, title: 'x' }), hostile.id);
    const lines = (await take()).map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['snapshot', 'change']);
    expect(lines[0].data.sessions).toHaveLength(1);
  });
});
