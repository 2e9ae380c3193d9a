import type { News } from '../../news/news.ts';
import { moreCallsLine, newsLines } from '../../news/news-lines.ts';
import { type RichText, rich } from '../../render/lines/rich-text.ts';

type Call = Extract<News, { kind: 'called' }>;

/** So many calls are shown in a message; a phone that was away is not flooded with what it missed. */
const MOST_CALLS = 16;

export interface Batch {
  readonly lines: readonly RichText[];
  readonly news: readonly News[];
}

/** As many news, in their order, as fit into `room` units; of many calls the last ones, the others counted under their agents' names. */
export async function batchNews(
  all: readonly News[],
  room: number,
  wordsOf: (news: News) => Promise<string>,
): Promise<Batch> {
  const folded = foldedCalls(all);
  const lines: RichText[] = [];
  const told: News[] = [];
  let length = 0;
  for (const news of all) {
    const line = folded.has(news) ? lineFor(news, folded) : newsLines(news, await wordsOf(news));
    const needed = line === undefined ? 0 : line.text.length + 1;
    if (lines.length > 0 && length + needed > room) break;
    if (line) lines.push(line);
    told.push(news);
    length += needed;
  }
  return { lines, news: told };
}

function foldedCalls(all: readonly News[]): ReadonlySet<News> {
  const calls = all.filter((news): news is Call => news.kind === 'called');
  return new Set(calls.slice(0, Math.max(0, calls.length - MOST_CALLS)));
}

/** All that are left out stand in one line, where the first of them would have been. */
function lineFor(news: News, folded: ReadonlySet<News>): RichText | undefined {
  const [first] = folded;
  if (news !== first) return undefined;
  const calls = [...folded].filter((one): one is Call => one.kind === 'called');
  return calls.length === 0 ? rich() : moreCallsLine(calls);
}
