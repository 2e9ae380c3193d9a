import { known } from '../../lib/json.ts';
import type { RichText } from '../messages/rich-text.ts';
import { arrived } from './arrived.ts';
import { BotApiError, type Buttons } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import {
  type ChatState,
  newestId,
  type Pending,
  type Purpose,
  withChat,
  withoutPending,
  withSession,
} from './chat-state.ts';

export interface Sendable {
  readonly purpose: Purpose;
  readonly thread?: number;
  readonly text: RichText;
  readonly buttons?: Buttons;
}

/** Sends a message. Where it may or may not have arrived it stays pending, and is looked for (`recover.ts`). */
export async function sendKept(chat: number, what: Sendable, isSilent: boolean, context: ChatContext): Promise<void> {
  await sendAs(chat, what, context, (text) => context.api.send({ chat, isSilent, ...what, text }));
}

/** The same by another method than that of texts. */
export async function sendAs(
  chat: number,
  what: Sendable,
  context: ChatContext,
  act: (text: RichText) => Promise<number>,
): Promise<void> {
  const { book } = context;
  try {
    await attempt(what);
  } catch (error) {
    if (!(error instanceof BotApiError) || error.problem !== 'refused') throw error;
    context.health.met(error);
    // It may be our marks that it does not like. Without them it is plain text, which is never wrong.
    await attempt({ ...what, text: { ...what.text, marks: [] } }).catch((again: unknown) => {
      const isLeftOut = again instanceof BotApiError && again.problem === 'refused' && isOneOfMany(what.purpose);
      if (!isLeftOut) throw again;
      book.keep((state) => givenUp(state, what.purpose));
    });
  }

  async function attempt(one: Sendable): Promise<void> {
    book.keep((state) => withChat(state, chat, { pending: toPending(one, state, chat) }));
    try {
      const message = await act(one.text);
      book.keep((state) => arrived(state, chat, message));
    } catch (error) {
      const isKnown = error instanceof BotApiError && error.problem !== 'network';
      if (isKnown || !(error instanceof BotApiError)) book.keep((state) => withoutPending(state, chat));
      throw error;
    }
  }
}

function toPending({ purpose, thread, text, buttons }: Sendable, state: ChatState, chat: number): Pending {
  const after = newestId(state, chat);
  return { purpose, text, after, ...known({ thread, buttons }) };
}

/** What comes behind it must not wait for it. */
function isOneOfMany({ kind }: Purpose): boolean {
  return kind === 'news' || kind === 'reply' || kind === 'file';
}

/** What Telegram will not take in any form is not tried for ever: the person at the terminal was told. */
function givenUp(state: ChatState, purpose: Purpose): ChatState {
  if (purpose.kind === 'news') return withSession(state, purpose.session, { told: purpose.told });
  if (purpose.kind !== 'reply' && purpose.kind !== 'file') return state;
  return { ...state, replies: state.replies.filter(({ id }) => id !== purpose.reply) };
}

/** False where the message is not there any more: somebody removed it. */
export async function change(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof BotApiError && error.problem === 'same') return true;
    if (error instanceof BotApiError && (error.problem === 'gone' || error.problem === 'no-topic')) return false;
    throw error;
  }
}
