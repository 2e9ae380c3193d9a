import { describe, expect, it } from 'vitest';
import type { News } from '../../news/news.ts';
import { tellRecording } from '../../news/testing/told-lines.ts';
import { batchNews } from './batch-news.ts';

async function manyCalls(count: number): Promise<readonly News[]> {
  const [said] = await tellRecording('2.1.325-parallel');
  const calls = said?.news.filter((news) => news.kind === 'called') ?? [];
  return Array.from({ length: count }, (_, index) => ({
    ...(calls[index % calls.length] as News),
    id: `call:${index}`,
  }));
}

const wordless = async (): Promise<string> => '';

describe('news in one message', () => {
  it('of many calls the last are shown, the others counted under the names of their agents', async () => {
    const news = await manyCalls(40);
    const { lines, news: told } = await batchNews(news, 4096, wordless);
    expect(told).toHaveLength(40);
    expect(lines).toHaveLength(17);
    expect(lines[0]?.text).toBe('🔧 24 more calls: [Write a note] 16, [Inspect source files] 8');
  });

  it('what does not fit is told with the next; one that is too long by itself is not left behind', async () => {
    const [said] = await tellRecording('2.1.325-nested', { tools: false });
    const all = said?.news ?? [];
    const first = await batchNews(all, 100, async () => 'x'.repeat(60));
    expect(first.news.length).toBeGreaterThan(0);
    expect(first.news.length).toBeLessThan(all.length);
    expect(first.news).toEqual(all.slice(0, first.news.length));
    expect((await batchNews(all, 1, wordless)).news).toHaveLength(1);
  });
});
