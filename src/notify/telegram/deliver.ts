import type { SessionDetail } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { cutAt, quoteOf } from '../messages/quote.ts';
import { type RichText, rich } from '../messages/rich-text.ts';
import { keyOf } from '../news-desk.ts';
import { endAsk, sendAsk } from './asked-in-chat.ts';
import { BotApiError, LONGEST_TOPIC_NAME } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type ChatState, type Reply, withChat, withSession } from './chat-state.ts';
import { change, sendAs, sendKept } from './send-kept.ts';
import { tellNews } from './tell-news.ts';
import type { Job } from './wanted-jobs.ts';

/** Does one job: what is sent is written down before and after, so that it happens once. */
export async function deliver(job: Job, context: ChatContext): Promise<void> {
  const { work } = job;
  try {
    await act(job, context);
  } catch (error) {
    const isGone = error instanceof BotApiError && error.problem === 'no-topic';
    if (isGone && (work.kind === 'status' || work.kind === 'news'))
      context.book.keep((state) => withoutTopic(state, keyOf(work.session)));
    throw error;
  }
}

async function act(job: Job, context: ChatContext): Promise<void> {
  const { work, chat } = job;
  switch (work.kind) {
    case 'topic':
      return openTopic(chat, work.session, context);
    case 'status':
      return showStatus(chat, work.session, work.text, context);
    case 'news':
      return tellNews(chat, work.session, work.news, context);
    case 'board':
      return showBoard(chat, work.text, context);
    case 'ask':
      return sendAsk(chat, work.ask, work.session, context);
    case 'ask-over':
      return endAsk(work, context);
    case 'reply':
      return sendReply(work.reply, context);
  }
}

async function openTopic(chat: number, session: SessionDetail, context: ChatContext): Promise<void> {
  const title = [session.project, session.title].map((part) => quoteOf(part ?? '')).filter((part) => part !== '');
  const name = cutAt(title.join(': ') || session.id.slice(0, 8), LONGEST_TOPIC_NAME);
  const what = { purpose: { kind: 'topic', session: keyOf(session) }, text: rich(name) } as const;
  await sendAs(chat, what, context, ({ text }) => context.api.createTopic(chat, text)).catch((error: unknown) => {
    // Better in the group itself than nowhere.
    if (error instanceof BotApiError && error.problem === 'no-rights') context.forums.delete(chat);
    throw error;
  });
}

async function showStatus(chat: number, session: SessionDetail, text: RichText, context: ChatContext): Promise<void> {
  const key = keyOf(session);
  const { status, thread } = context.book.read().sessions[key] ?? {};
  if (!status) {
    const what = { purpose: { kind: 'status', session: key }, text, ...known({ thread }) } as const;
    return sendKept(chat, what, true, context);
  }
  const isThere = await change(() => context.api.edit({ chat, message: status.message }, text));
  context.book.note((state) =>
    isThere
      ? withSession(state, key, { status: { message: status.message, text: text.text } })
      : withoutStatus(state, key),
  );
}

async function showBoard(chat: number, text: RichText, context: ChatContext): Promise<void> {
  const { board } = context.book.read().chats[chat] ?? {};
  if (!board) return sendKept(chat, { purpose: { kind: 'board' }, text }, true, context);
  const isThere = await change(() => context.api.edit({ chat, message: board.message }, text));
  context.book.note((state) => {
    if (isThere) return withChat(state, chat, { board: { message: board.message, text: text.text } });
    const { board: _gone, ...rest } = state.chats[chat] ?? { lastId: 0 };
    return { ...state, chats: { ...state.chats, [chat]: rest } };
  });
}

function withoutStatus(state: ChatState, key: string): ChatState {
  const place = state.sessions[key];
  if (!place) return state;
  const { status: _gone, ...rest } = place;
  return { ...state, sessions: { ...state.sessions, [key]: rest } };
}

async function sendReply({ id, chat, thread, body }: Reply, context: ChatContext): Promise<void> {
  const reply = (text: RichText): Promise<void> =>
    sendKept(chat, { purpose: { kind: 'reply', reply: id }, text, ...known({ thread }) }, true, context);
  if ('text' in body) return reply(body.text);
  const made = context.exports.of(id);
  if (!made) return;
  if ('whyNot' in made) return reply(rich('It could not be exported: ', { code: made.whyNot }));
  const caption = `Session ${body.exportOf.slice(0, 60)}, secrets taken out`;
  const what = { purpose: { kind: 'file', reply: id }, text: rich(caption), ...known({ thread }) } as const;
  await sendAs(chat, what, context, (text) =>
    context.api.sendFile({ chat, ...made, caption: text.text, ...known({ thread }) }),
  );
}

/** Somebody deleted it: the session gets another. */
function withoutTopic(state: ChatState, key: string): ChatState {
  const place = state.sessions[key];
  if (!place) return state;
  const { thread: _thread, status: _status, ...rest } = place;
  return { ...state, sessions: { ...state.sessions, [key]: rest } };
}
