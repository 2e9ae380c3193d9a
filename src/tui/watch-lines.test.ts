import { expect, it, vi } from 'vitest';
import { recordedLive } from '../server/http/testing/recorded-live.ts';
import { watchLines } from './watch.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

it('writes the same lines as a chat, under the name of the session, and continues after an error', async () => {
  const live = await recordedLive('2.1.325-parallel');
  const stop = new AbortController();
  const times = [0];
  let written = '';
  const notes: string[] = [];
  let isGone = true;
  const watching = watchLines({
    feed: {
      ...live,
      source: () => ({ text: 'a test', isLost: false }),
      onSource() {},
      async timeline(id, since) {
        if (!isGone) return live.timeline(id, since);
        isGone = false;
        throw new Error('The server is gone.');
      },
    },
    // It began before anything was recorded.
    clock: () => times.pop() ?? NOW,
    write: (text) => {
      written += text;
    },
    note: (text) => notes.push(text),
    stop: stop.signal,
  });
  await vi.waitUntil(() => written.includes('🏁'), { timeout: 30_000 });
  stop.abort();
  await watching;
  expect(notes).toEqual(['troupe: The server is gone.']);
  expect(written.split('\n').filter((line) => line.startsWith('📁'))).toHaveLength(1);
  expect(written).toContain('📎 Subagent [Write a note]\n  › Task: Write NOTES.md with one line. [[play:sub-write]]\n');
  expect(written).toContain('🔧 [Inspect source files] Bash\n  › ls -la src; sleep 0.4\n');
  expect(written).toContain('✅ Subagent [Write a note] completed\n  › NOTES.md written.\n');
});
