import type { SessionDetail } from '../../core/index.ts';
import { type RichText, rich } from '../messages/rich-text.ts';
import type { News } from '../news.ts';
import { moreCallsLine, newsLines } from '../news-lines.ts';

type Call = Extract<News, { kind: 'called' }>;

/** So many calls are shown in a message; a phone that was away is not flooded with what it missed. */
const MOST_CALLS = 16;

export interface Batch {
  readonly lines: readonly RichText[];
  readonly news: readonly News[];
}

export interface Room {
  readonly units: number;
  readonly marks: number;
}

/** As many news, in their order, as there is room for; of many calls the last ones, the others counted under their agents' names. */
export async function batchNews(
  all: readonly News[],
  session: SessionDetail,
  room: Room,
  wordsOf: (news: News) => Promise<string>,
): Promise<Batch> {
  const folded = foldedCalls(all);
  const lines: RichText[] = [];
  const told: News[] = [];
  let [units, marks] = [0, 0];
  for (const news of all) {
    const line = folded.has(news) ? lineFor(news, session, folded) : newsLines(news, session, await wordsOf(news));
    if (line) {
      units += line.text.length + 1;
      marks += line.marks.length;
      if (lines.length > 0 && (units > room.units || marks > room.marks)) break;
      lines.push(line);
    }
    told.push(news);
  }
  return { lines, news: told };
}

function foldedCalls(all: readonly News[]): ReadonlySet<News> {
  const calls = all.filter((news): news is Call => news.kind === 'called');
  return new Set(calls.slice(0, Math.max(0, calls.length - MOST_CALLS)));
}

/** All that are left out stand in one line, where the first of them would have been. */
function lineFor(news: News, session: SessionDetail, folded: ReadonlySet<News>): RichText | undefined {
  const [first] = folded;
  if (news !== first) return undefined;
  const calls = [...folded].filter((one): one is Call => one.kind === 'called');
  return calls.length === 0 ? rich() : moreCallsLine(calls, session);
}
