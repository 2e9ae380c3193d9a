import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildTree, type SessionTree } from '../../../core/index.ts';
import { findSessions, readSession, startTracker } from '../../../sessions/index.ts';
import { opencode } from '../index.ts';
import { type RecordedServer, serveRecording } from '../testing/recorded-server.ts';

const EVENTS = fileURLToPath(new URL('../fixtures/1.18.33-guarded-plugin/events.jsonl', import.meta.url));

let server: RecordedServer | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
});

const placeOf = (root: string) => ({ adapter: opencode, root, forced: false });
/** What does not depend on when it was read. */
const gist = (tree: SessionTree | undefined): unknown =>
  tree?.agents.map(({ id, kind, type, description, depth, toolCallCount, messageCount, usage, link }) => ({
    ...{ id, kind, type, description, depth, toolCallCount, messageCount, usage },
    evidence: 'source' in link ? link.source : link.rank,
  }));

/** The same events, from the file that they were recorded in. */
async function recorded(): Promise<SessionTree> {
  const { sessions } = await findSessions([
    placeOf(fileURLToPath(new URL('.', new URL('../fixtures/1.18.33-guarded-plugin/x', import.meta.url)))),
  ]);
  const located = sessions[0]?.located;
  if (!located) throw new Error('nothing was recorded');
  return buildTree(await readSession(opencode, located), { now: 0 });
}

describe('a running server', () => {
  it('is read as it is, where nobody listens', async () => {
    server = await serveRecording(EVENTS);
    server.say(server.left);
    const { sessions, problems } = await findSessions([placeOf(server.url)]);
    expect([sessions.length, problems]).toEqual([1, []]);
    const located = sessions[0]?.located;
    const tree = located && buildTree(await readSession(opencode, located), { now: 0 });
    expect(gist(tree)).toEqual(gist(await recorded()));
  });

  it('is followed by its events, also when the connection breaks in between', async () => {
    vi.stubEnv('OPENCODE_SERVER_PASSWORD', 'sesame');
    server = await serveRecording(EVENTS, 'sesame');
    const served = server;
    const window = { ms: Number.POSITIVE_INFINITY, sessions: 10 };
    const tracker = startTracker([placeOf(served.url)], { clock: Date.now, window, sweepEveryMs: 3_600_000 });
    try {
      await vi.waitUntil(() => served.listeners === 1 && tracker.listing().isComplete, { timeout: 30_000 });
      served.say(Math.floor(served.left / 3));
      await vi.waitUntil(() => tracker.current().length === 1, { timeout: 30_000 });
      served.hangUp();
      served.say(Math.floor(served.left / 2));
      await vi.waitUntil(() => served.listeners === 2, { timeout: 30_000 });
      served.say(served.left);
      const whole = gist(await recorded());
      await vi.waitFor(() => expect(gist(tracker.current()[0])).toEqual(whole), { timeout: 30_000 });
    } finally {
      tracker.close();
    }
  });

  it('that cannot be read is told in words', async () => {
    server = await serveRecording(EVENTS, 'sesame');
    const { problems } = await findSessions([placeOf(server.url)]);
    expect(problems).toEqual([`${server.url}: the server wants a password; put it into OPENCODE_SERVER_PASSWORD.`]);
    server.close();
    const gone = await findSessions([placeOf(server.url)]);
    // A connection that was kept from before is reset, a new one is refused.
    const words = new RegExp(`^${server.url}: no server answers \\(ECONN(?:REFUSED|RESET)\\)\\.$`);
    expect(gone.problems).toEqual([expect.stringMatching(words)]);
  });
});
