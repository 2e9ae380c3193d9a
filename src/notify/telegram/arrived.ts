import { type ChatState, newestId, type Pending, withChat, withoutPending, withSession } from './chat-state.ts';

/** The state after what was on its way to a chat has arrived as this message. */
export function arrived(state: ChatState, chat: number, message: number): ChatState {
  const { pending } = state.chats[chat] ?? {};
  if (!pending) return state;
  const next = withChat(withoutPending(state, chat), chat, { lastId: Math.max(message, newestOf(state, chat)) });
  return withPurpose(next, chat, message, pending);
}

function newestOf(state: ChatState, chat: number): number {
  return state.chats[chat]?.lastId ?? newestId(state, chat);
}

function withPurpose(state: ChatState, chat: number, message: number, { purpose, text }: Pending): ChatState {
  switch (purpose.kind) {
    case 'topic':
      return withSession(state, purpose.session, { thread: message });
    case 'status':
      return withSession(state, purpose.session, { status: { message, text: text.text } });
    case 'news':
      return withSession(state, purpose.session, { told: purpose.told });
    case 'board':
      return withChat(state, chat, { board: { message, text: text.text } });
    case 'ask': {
      const asked = { ask: purpose.ask, chat, message, text: text.text, expiresAt: purpose.expiresAt };
      return { ...state, asks: { ...state.asks, [purpose.nonce]: asked } };
    }
    case 'reply':
    case 'file':
      return { ...state, replies: state.replies.filter(({ id }) => id !== purpose.reply) };
  }
}
