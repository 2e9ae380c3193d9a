import {
  type AgentReport,
  costText,
  formatAge,
  formatStatus,
  isAtWork,
  isSessionBusy,
  type LiveSnapshot,
  linkText,
  outputText,
  type SessionDetail,
  sessionKey,
  shortId,
  timeText,
} from '../../core/index.ts';
import { UserError } from '../../lib/user-error.ts';
import { sessionLine } from '../messages/notification-lines.ts';
import { bracketName, callQuote, joinRich, quoteOf, type RichText, rich } from '../messages/rich-text.ts';
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
  const picture = context.tracker.picture();
  if (!picture) return { text: rich('Sessions are still being read. Ask again in a moment.') };
  try {
    return await act({ name: name.toLowerCase(), rest: rest.trim(), message, picture, context });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: rich({ code: error.message }, '\n', { code: error.remedy }) };
  }
}

/** Whether something is done, not only said: that must not happen twice, not even where nobody hears what came of it. */
export function isAction(text: string): boolean {
  return /^\/(?:say|stop)(?:@|\s|$)/i.test(text.trim());
}

interface Command {
  readonly name: string;
  readonly rest: string;
  readonly message: IncomingMessage;
  readonly picture: LiveSnapshot;
  readonly context: ChatContext;
}

async function act(command: Command): Promise<Body | undefined> {
  const { rest, picture, context } = command;
  const now = context.clock();
  const shown = (): SessionDetail => (rest === '' ? findShownSession(command) : findSession(rest, picture));
  switch (command.name) {
    case 'start':
    case 'help':
      return { text: rich(HELP) };
    case 'sessions':
      return { text: sessionsText(picture, now) };
    case 'tree':
      return about(shown(), (session) => treeText(session, now));
    case 'cost':
      return about(shown(), costLines);
    case 'agent': {
      if (rest === '') throw new UserError('not-found', 'Which agent?', 'Say /agent and the beginning of its id.');
      const { agent, session } = findAgent(rest, picture);
      return about(session, () => agentText(agent, session, now));
    }
    case 'export':
      return { exportOf: shown().id };
    case 'mute':
      return mute(command);
    case 'stop':
    case 'say':
      return control(command);
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

function mute(command: Command): Body {
  const { rest, picture, context } = command;
  const { book, clock } = context;
  const [first = '', ...others] = rest.split(/\s+/);
  const isNamed = !MUTE.test(rest);
  const [, amount = '', unit = '', off = ''] = MUTE.exec(isNamed ? others.join(' ') : rest) ?? [];
  if (isNamed && !MUTE.test(others.join(' '))) return { text: rich('Say /mute, /mute 30m, /mute 2h or /mute off.') };
  const session = isNamed ? findSession(first, picture) : findTargetSession(command);
  const key = sessionKey(session);
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

async function control(command: Command): Promise<Body> {
  const { rest, picture, context } = command;
  const isSay = command.name === 'say';
  const { control: ways } = context.actions;
  if (!ways) {
    const what = isSay ? 'send words to an agent' : 'end an agent';
    return { text: rich(`troupe has no way yet to ${what}: it only reads what its program leaves behind.`) };
  }
  const [first = ''] = rest.split(/\s+/);
  // The text of /say may begin with an agent's id; /stop with an unknown id must not stop another agent.
  const named = isSay || first === '' ? findAgentIfNamed(first, picture) : findAgent(first, picture);
  const text = named ? rest.slice(first.length).trim() : rest;
  if (isSay && text === '') return { text: rich('Say /say and the words.') };
  const session = named?.session ?? findTargetSession(command);
  const agent = named?.agent.id;
  const words = await (isSay ? ways.say(session.id, agent, text) : ways.stop(session.id, agent));
  return about(session, () => rich({ code: words }));
}

interface FoundAgent {
  readonly agent: AgentReport;
  readonly session: SessionDetail;
}

function findSession(given: string, { sessions }: LiveSnapshot): SessionDetail {
  return only(
    sessions.filter(({ id }) => id.startsWith(given)),
    `session ${given}`,
  );
}

/** To look at: the one of this topic or chat; else the newest at work. The answer says which it is. */
function findShownSession(command: Command): SessionDetail {
  const { sessions } = command.picture;
  const here = sessionsAt(command);
  return here.find(isSessionBusy) ?? here[0] ?? sessions.find(isSessionBusy) ?? sessions[0] ?? only([], 'session');
}

/** To do something to: only where there is no doubt which one is meant. */
function findTargetSession(command: Command): SessionDetail {
  const here = sessionsAt(command);
  const candidates = here.length > 0 ? here : command.picture.sessions;
  const busy = candidates.filter(isSessionBusy);
  const [first, ...others] = busy.length > 0 ? busy : candidates;
  const count = others.length + 1;
  if (first && count > 1)
    throw new UserError('not-one', `It could be one of ${count} sessions.`, 'See /sessions, and say its id.');
  return first ?? only([], 'session');
}

/** The sessions of the topic or chat that the command was sent to. */
function sessionsAt({ message: { chat, thread }, picture, context }: Command): readonly SessionDetail[] {
  const { sessions } = context.book.read();
  return picture.sessions.filter((session) => {
    const place = sessions[sessionKey(session)];
    return place?.chat === chat && place.thread === thread;
  });
}

function findAgent(given: string, picture: LiveSnapshot): FoundAgent {
  return only(agentsOf(given, picture), `agent ${given}`);
}

/** Undefined where it may be a word as well. */
function findAgentIfNamed(given: string, picture: LiveSnapshot): FoundAgent | undefined {
  if (given.length < 4) return undefined;
  const found = agentsOf(given, picture);
  return found.length === 1 ? found[0] : undefined;
}

function agentsOf(given: string, { sessions }: LiveSnapshot): readonly FoundAgent[] {
  return sessions.flatMap((session) =>
    [session.main, ...session.subagents].filter(({ id }) => id.startsWith(given)).map((agent) => ({ agent, session })),
  );
}

function only<T>(found: readonly T[], what: string): T {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const words = first === undefined ? `There is no ${what}.` : `There are ${found.length} of ${what}.`;
  throw new UserError('not-found', words, 'See them with /sessions and /tree, and say more of the id.');
}

const MOST_SESSIONS = 20;
const MOST_AGENTS = 80;
const MOST_COSTS = 15;

function sessionsText({ sessions, olderTotal }: LiveSnapshot, now: number): RichText {
  if (sessions.length === 0) return rich('No session is followed.');
  const shown = sessions
    .toSorted((a, b) => Number(isSessionBusy(b)) - Number(isSessionBusy(a)))
    .slice(0, MOST_SESSIONS);
  const left = sessions.length - shown.length + olderTotal;
  return joinRich([
    ...shown.map((session) =>
      rich(
        `${isSessionBusy(session) ? '⚙️' : '·'} `,
        { code: shortId(session.id) },
        ' ',
        { code: quoteOf(session.project ?? '', 40) || '–' },
        ': ',
        { code: quoteOf(session.title ?? '', 60) || 'untitled' },
        ` · ${formatStatus({ ...session, stalled: false })} · ${formatAge(session.lastActivityAt, now)}`,
      ),
    ),
    ...(left > 0 ? [rich(`… ${left} more`)] : []),
  ]);
}

function treeText(session: SessionDetail, now: number): RichText {
  const agents = [session.main, ...session.subagents].filter(({ kind }) => kind !== 'internal');
  const shown = agents.slice(0, MOST_AGENTS);
  return joinRich([
    ...shown.map((agent) => treeLine(agent, now)),
    ...(agents.length > shown.length ? [rich(`… ${agents.length - shown.length} more`)] : []),
  ]);
}

const MARKS: Readonly<Record<AgentReport['status'], string>> = {
  spawning: '○',
  running: '⚙️',
  waiting: '⏳',
  completed: '✅',
  failed: '❌',
  stopped: '⏹',
  unknown: '❔',
};

function nameOf({ kind, label }: AgentReport): string {
  return kind === 'main' ? 'main' : bracketName(label);
}

function treeLine(agent: AgentReport, now: number): RichText {
  const doing = isAtWork(agent.status) ? callQuote(agent.currentToolSummary ?? agent.currentTool ?? '', 60) : '';
  return rich(
    `${'  '.repeat(Math.min(agent.depth ?? 1, 8))}${MARKS[agent.status]} [`,
    { code: nameOf(agent) },
    '] ',
    { code: shortId(agent.id) },
    ` · ${formatStatus(agent)} · ${timeText(agent, now)}`,
    agent.usage === null ? '' : ` · ${outputText(agent)} tokens written`,
    ...(doing === '' ? [] : [' · ', { code: doing }]),
  );
}

function agentText(agent: AgentReport, session: SessionDetail, now: number): RichText {
  const parent = [session.main, ...session.subagents].find(({ id }) => id === agent.parentId);
  const rows: readonly (readonly [string, string])[] = [
    ['id', agent.id],
    ['status', formatStatus(agent)],
    ['asked for by', parent ? nameOf(parent) : ''],
    ['how that is known', linkText(agent)],
    ['type', agent.type ?? ''],
    ['task', quoteOf(agent.description ?? '')],
    ['now', callQuote([agent.currentTool, agent.currentToolSummary].filter((part) => part !== null).join(' '))],
    ['model', agent.model ?? ''],
    ['time', timeText(agent, now)],
    ['calls', agent.toolCallCount === null ? '' : String(agent.toolCallCount)],
    ['tokens written', agent.usage === null ? '' : outputText(agent)],
    ['cost', agent.cost === null ? '' : costText(agent.cost)],
    ['why', quoteOf(agent.runs.at(-1)?.reason ?? '')],
  ];
  return joinRich([
    rich(`${MARKS[agent.status]} [`, { code: nameOf(agent) }, ']'),
    ...rows
      .filter(([, value]) => value !== '')
      .map(([word, value]) => rich(`  ${word}: `, { code: callQuote(value) || '–' })),
  ]);
}

function costLines(session: SessionDetail): RichText {
  const agents = [session.main, ...session.subagents].filter(({ cost }) => cost !== null && cost.usd > 0);
  const dearest = agents.toSorted((a, b) => (b.cost?.usd ?? 0) - (a.cost?.usd ?? 0)).slice(0, MOST_COSTS);
  return joinRich([
    rich(`💰 ${costText(session.cost)} in all`),
    ...dearest.map((agent) => rich('  [', { code: nameOf(agent) }, `] ${costText(agent.cost)}`)),
    ...(agents.length > dearest.length ? [rich(`  … ${agents.length - dearest.length} more`)] : []),
  ]);
}
