import type { SessionDetail } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { sessionLine } from '../messages/notice-lines.ts';
import { joinRich } from '../messages/rich-text.ts';
import { isLoud, type News } from '../news.ts';
import { keyOf } from '../news-desk.ts';
import { withTold } from '../told.ts';
import { batchNews } from './batch-news.ts';
import { LONGEST_MESSAGE, MOST_MARKS } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { isQuiet } from './chat-options.ts';
import { withSession } from './chat-state.ts';
import { sharesChat } from './place-sessions.ts';
import { sendKept } from './send-kept.ts';

/** What happened in a session, in one message: as much as fits, the rest with the next. */
export async function tellNews(
  chat: number,
  session: SessionDetail,
  news: readonly News[],
  context: ChatContext,
): Promise<void> {
  const { book, desk, options, clock } = context;
  const key = keyOf(session);
  const place = book.read().sessions[key];
  const picture = desk.picture();
  if (!place || !picture) return;
  if ((place.mutedUntil ?? 0) > clock()) {
    return book.keep((state) => withSession(state, key, { told: news.reduce(withTold, place.told) }));
  }
  const head = sharesChat(book.read(), picture, key, clock()) ? [sessionLine(session)] : [];
  const room = {
    units: LONGEST_MESSAGE - (head[0]?.text.length ?? 0) - 1,
    marks: MOST_MARKS - (head[0]?.marks.length ?? 0),
  };
  const batch = await batchNews(news, session, room, (one) => desk.words(one, session));
  const told = batch.news.reduce(withTold, place.told);
  const text = joinRich([...head, ...batch.lines]);
  const isSilent = isQuiet(options.quietHours, clock()) || !batch.news.some(isLoud);
  const { thread } = place;
  const purpose = { kind: 'news', session: key, told } as const;
  await sendKept(chat, { purpose, text, ...known({ thread }) }, isSilent, context);
}
