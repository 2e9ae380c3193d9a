import { describe, expect, it } from 'vitest';
import type { Notification } from '../notification.ts';
import { formatRecording } from '../testing/told-lines.ts';
import { batchNotifications } from './sender.ts';

async function manyCalls(count: number) {
  const [said] = await formatRecording('2.1.325-parallel');
  if (!said) throw new Error('nothing recorded');
  const calls = said.news.filter((news) => news.kind === 'called');
  const news = Array.from({ length: count }, (_, index) => ({
    ...(calls[index % calls.length] as Notification),
    id: `call:${index}`,
  }));
  return { news, session: said.session };
}

const ROOM = { units: 4096, marks: 100 };
const wordless = async (): Promise<string> => '';

describe('several notifications in one message', () => {
  it('shows the last calls, and counts the others under the names of their agents', async () => {
    const { news, session } = await manyCalls(40);
    const { lines, news: told } = await batchNotifications(news, session, ROOM, wordless);
    expect(told).toHaveLength(40);
    expect(lines).toHaveLength(17);
    expect(lines[0]?.text.text).toBe('🔧 24 more calls: [Write a note] 16, [Inspect source files] 8');
  });

  it('moves what does not fit into the next message, and sends one that is too long by itself', async () => {
    const [said] = await formatRecording('2.1.325-nested', { tools: false });
    if (!said) throw new Error('nothing recorded');
    const { news: all, session } = said;
    const first = await batchNotifications(all, session, { ...ROOM, units: 100 }, async () => 'x'.repeat(60));
    expect(first.news.length).toBeGreaterThan(0);
    expect(first.news.length).toBeLessThan(all.length);
    expect(first.news).toEqual(all.slice(0, first.news.length));
    const marked = await batchNotifications(all, session, { ...ROOM, marks: 5 }, async () => 'words');
    expect(marked.news).toEqual(all.slice(0, 2));
    expect((await batchNotifications(all, session, { ...ROOM, units: 1 }, wordless)).news).toHaveLength(1);
  });
});
