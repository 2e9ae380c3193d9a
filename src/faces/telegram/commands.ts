import { UserError } from '../../base/user-error.ts';
import { keyOf } from '../../news/news-desk.ts';
import { agentText, costText, sessionsText, treeText } from '../../render/lines/command-texts.ts';
import { sessionLine } from '../../render/lines/notice-lines.ts';
import { joinRich, type RichText, rich } from '../../render/lines/rich-text.ts';
import { isSessionBusy } from '../../render/watch-status.ts';
import type { LiveSnapshot, SessionDetail } from '../../reports/live-shapes.ts';
import type { AgentReport } from '../../reports/shapes.ts';
import type { IncomingMessage } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type Reply, withSession } from './chat-state.ts';

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
  { command: 'mute', takes: '[30m, 2h, off]', does: 'no news of the session in this place; questions still come' },
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

async function act(
  name: string,
  rest: string,
  message: IncomingMessage,
  picture: LiveSnapshot,
  context: ChatContext,
): Promise<Body | undefined> {
  const now = context.clock();
  const here = (given: string): SessionDetail => sessionFor(given, message, picture, context);
  switch (name) {
    case 'start':
    case 'help':
      return { text: rich(HELP) };
    case 'sessions':
      return { text: sessionsText(picture, now) };
    case 'tree':
      return about(here(rest), (session) => treeText(session, now));
    case 'cost':
      return about(here(rest), costText);
    case 'agent': {
      const { agent, session } = agentFor(rest, picture);
      return about(session, () => agentText(agent, session, now));
    }
    case 'export':
      return { exportOf: here(rest).id };
    case 'mute':
      return { text: mute(rest, here(''), context) };
    case 'stop':
    case 'say':
      return { text: await control(name, rest, message, picture, context) };
    default:
      return undefined;
  }
}

function about(session: SessionDetail, make: (session: SessionDetail) => RichText): Body {
  return { text: joinRich([sessionLine(session), make(session)]) };
}

/** By the beginning of its id; else the one of this topic or chat; else the newest at work. */
function sessionFor(
  given: string,
  { chat, thread }: IncomingMessage,
  { sessions }: LiveSnapshot,
  { book }: ChatContext,
): SessionDetail {
  if (given !== '')
    return only(
      sessions.filter(({ id }) => id.startsWith(given)),
      `session ${given}`,
    );
  const places = book.read().sessions;
  const inTopic = sessions.filter((session) => {
    const place = places[keyOf(session)];
    return place?.chat === chat && place.thread === thread;
  });
  const found = inTopic.find(isSessionBusy) ?? inTopic[0] ?? sessions.find(isSessionBusy) ?? sessions[0];
  return found ?? only([], 'session');
}

function agentFor(given: string, { sessions }: LiveSnapshot) {
  if (given === '') throw new UserError('agent-not-found', 'Which agent?', 'Say /agent and the beginning of its id.');
  const matches = sessions.flatMap((session) =>
    [session.main, ...session.subagents].filter(({ id }) => id.startsWith(given)).map((agent) => ({ agent, session })),
  );
  return only(matches, `agent ${given}`);
}

function only<T>(found: readonly T[], what: string): T {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const words = first === undefined ? `There is no ${what}.` : `There are ${found.length} of ${what}.`;
  throw new UserError('not-found', words, 'See them with /sessions and /tree, and say more of the id.');
}

const HOUR_MS = 3_600_000;
const FOREVER_MS = 365 * 24 * HOUR_MS;

function mute(rest: string, session: SessionDetail, { book, clock }: ChatContext): RichText {
  const key = keyOf(session);
  if (!book.read().sessions[key]) return rich('Nothing is told of this session here.');
  if (rest === 'off') {
    book.keep((state) => withSession(state, key, { mutedUntil: 0 }));
    return rich('Its news are told again.');
  }
  const [, amount = '', unit = ''] = /^(\d{1,4})\s*([mh])$/.exec(rest) ?? [];
  if (rest !== '' && amount === '') return rich('Say /mute, /mute 30m, /mute 2h or /mute off.');
  const ms = amount === '' ? FOREVER_MS : Number(amount) * (unit === 'h' ? HOUR_MS : 60_000);
  book.keep((state) => withSession(state, key, { mutedUntil: clock() + ms }));
  return rich(
    `Muted${amount === '' ? '' : ` for ${amount} ${unit === 'h' ? 'h' : 'min'}`}. Questions still come. /mute off ends it.`,
  );
}

async function control(
  name: 'stop' | 'say',
  rest: string,
  message: IncomingMessage,
  picture: LiveSnapshot,
  context: ChatContext,
): Promise<RichText> {
  const { control: ways } = context.outside;
  if (!ways) {
    const what = name === 'stop' ? 'end an agent' : 'send words to an agent';
    return rich(`troupe has no way yet to ${what}: it only reads what its program leaves behind.`);
  }
  const [first = '', ...others] = rest.split(/\s+/);
  const named = findAgent(first, picture);
  const session = named?.session ?? sessionFor('', message, picture, context);
  const agent = named?.agent.id;
  if (name === 'stop') return rich({ code: await ways.stop(session.id, agent) });
  const text = named ? others.join(' ') : rest;
  return text === '' ? rich('Say /say and the words.') : rich({ code: await ways.say(session.id, agent, text) });
}

function findAgent(
  given: string,
  { sessions }: LiveSnapshot,
): { readonly agent: AgentReport; readonly session: SessionDetail } | undefined {
  if (given.length < 4) return undefined;
  const matches = sessions.flatMap((session) =>
    [session.main, ...session.subagents].filter(({ id }) => id.startsWith(given)).map((agent) => ({ agent, session })),
  );
  return matches.length === 1 ? matches[0] : undefined;
}
