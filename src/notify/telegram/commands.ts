import type { LiveSnapshot, SessionDetail } from '../../core/index.ts';
import { UserError } from '../../lib/user-error.ts';
import { agentText, costText, sessionsText, treeText } from '../messages/command-texts.ts';
import { sessionLine } from '../messages/notice-lines.ts';
import { joinRich, type RichText, rich } from '../messages/rich-text.ts';
import { keyOf } from '../news-desk.ts';
import type { IncomingMessage } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type Reply, withSession } from './chat-state.ts';
import { agentIfNamed, namedAgent, namedSession, sessionHere, sessionMeant } from './command-targets.ts';

type Body = Reply['body'];

/** What Telegram offers while one types, and what `/help` says. */
export const COMMANDS: readonly { readonly command: string; readonly takes: string; readonly does: string }[] = [
  { command: 'sessions', takes: '', does: 'what is followed' },
  { command: 'tree', takes: '[ID]', does: 'the agents of a session' },
  { command: 'agent', takes: 'ID', does: 'one agent' },
  { command: 'cost', takes: '[ID]', does: 'what a session has cost' },
  { command: 'export', takes: '[ID]', does: 'a session as a page, secrets taken out' },
  { command: 'say', takes: '[ID] TEXT', does: 'words to an agent' },
  { command: 'stop', takes: '[ID]', does: 'the end of an agent' },
  { command: 'mute', takes: '[ID] [30m, 2h, off]', does: 'no news of the session in this place; questions still come' },
  { command: 'help', takes: '', does: 'this' },
];

const HELP = COMMANDS.map(({ command, takes, does }) => `/${command}${takes && ` ${takes}`}: ${does}`).join('\n');

/** What is answered to a message; nothing where it is no command, or one for another bot. */
export async function answerCommand(
  message: IncomingMessage,
  botName: string,
  context: ChatContext,
): Promise<Body | undefined> {
  const [, name = '', bot = botName, rest = ''] =
    /^\/([a-z]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(message.text.trim()) ?? [];
  if (name === '' || bot.toLowerCase() !== botName.toLowerCase()) return undefined;
  const picture = context.desk.picture();
  if (!picture) return { text: rich('Sessions are still being read. Ask again in a moment.') };
  try {
    return await act(name.toLowerCase(), rest.trim(), message, picture, context);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: rich({ code: error.message }, '\n', { code: error.remedy }) };
  }
}

/** Whether something is done, not only said: that must not happen twice, not even where nobody hears what came of it. */
export function isDeed(text: string): boolean {
  return /^\/(?:say|stop)(?:@|\s|$)/i.test(text.trim());
}

async function act(
  name: string,
  rest: string,
  message: IncomingMessage,
  picture: LiveSnapshot,
  context: ChatContext,
): Promise<Body | undefined> {
  const now = context.clock();
  const state = context.book.read();
  const shown = (): SessionDetail => (rest === '' ? sessionHere(message, picture, state) : namedSession(rest, picture));
  switch (name) {
    case 'start':
    case 'help':
      return { text: rich(HELP) };
    case 'sessions':
      return { text: sessionsText(picture, now) };
    case 'tree':
      return about(shown(), (session) => treeText(session, now));
    case 'cost':
      return about(shown(), costText);
    case 'agent': {
      if (rest === '') throw new UserError('not-found', 'Which agent?', 'Say /agent and the beginning of its id.');
      const { agent, session } = namedAgent(rest, picture);
      return about(session, () => agentText(agent, session, now));
    }
    case 'export':
      return { exportOf: shown().id };
    case 'mute':
      return mute(rest, message, picture, context);
    case 'stop':
    case 'say':
      return control(name, rest, message, picture, context);
    default:
      return undefined;
  }
}

function about(session: SessionDetail, make: (session: SessionDetail) => RichText): Body {
  return { text: joinRich([sessionLine(session), make(session)]) };
}

const HOUR_MS = 3_600_000;
const FOREVER_MS = 365 * 24 * HOUR_MS;
const MUTE = /^(?:(\d{1,4})\s*([mh])|(off))?$/;

function mute(rest: string, message: IncomingMessage, picture: LiveSnapshot, { book, clock }: ChatContext): Body {
  const [first = '', ...others] = rest.split(/\s+/);
  const isNamed = !MUTE.test(rest);
  const [, amount = '', unit = '', off = ''] = MUTE.exec(isNamed ? others.join(' ') : rest) ?? [];
  if (isNamed && !MUTE.test(others.join(' '))) return { text: rich('Say /mute, /mute 30m, /mute 2h or /mute off.') };
  const session = isNamed ? namedSession(first, picture) : sessionMeant(message, picture, book.read());
  const key = keyOf(session);
  const until = (ms: number, words: string): Body => {
    book.keep((state) => withSession(state, key, { mutedUntil: ms }));
    return about(session, () => rich(words));
  };
  if (!book.read().sessions[key]) return about(session, () => rich('Nothing is told of this session here.'));
  if (off !== '') return until(0, 'Its news are told again.');
  const ms = amount === '' ? FOREVER_MS : Number(amount) * (unit === 'h' ? HOUR_MS : 60_000);
  const how = amount === '' ? '' : ` for ${amount} ${unit === 'h' ? 'h' : 'min'}`;
  return until(clock() + ms, `Muted${how}. Questions still come. /mute off ends it.`);
}

async function control(
  name: 'stop' | 'say',
  rest: string,
  message: IncomingMessage,
  picture: LiveSnapshot,
  context: ChatContext,
): Promise<Body> {
  const { control: ways } = context.outside;
  if (!ways) {
    const what = name === 'stop' ? 'end an agent' : 'send words to an agent';
    return { text: rich(`troupe has no way yet to ${what}: it only reads what its program leaves behind.`) };
  }
  const [first = ''] = rest.split(/\s+/);
  const meant = (): SessionDetail => sessionMeant(message, picture, context.book.read());
  if (name === 'stop') {
    // A name that is none must not end something else.
    const named = first === '' ? undefined : namedAgent(first, picture);
    const session = named?.session ?? meant();
    const words = await ways.stop(session.id, named?.agent.id);
    return about(session, () => rich({ code: words }));
  }
  const named = agentIfNamed(first, picture);
  const text = named ? rest.slice(first.length).trim() : rest;
  if (text === '') return { text: rich('Say /say and the words.') };
  const session = named?.session ?? meant();
  const words = await ways.say(session.id, named?.agent.id, text);
  return about(session, () => rich({ code: words }));
}
