import { SHORT_ID } from '../cli/format/index.ts';
import {
  type AgentReport,
  type ApprovalRequest,
  agentKey,
  agentsOf,
  applyEvent,
  type ColourDepth,
  cleanLine,
  clockText,
  createPaint,
  cutTo,
  endText,
  formatApprovalCall,
  formatStatus,
  isBusy,
  isSessionBusy,
  type LiveEvent,
  type LiveSnapshot,
  markPendingApprovals,
  type Paint,
  paintMark,
  plural,
  remainingText,
  requesterText,
  type SessionDetail,
  sessionKey,
  shortId,
  standingOf,
  typeText,
  watchedDoing,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { SourcedFeed } from '../sessions/index.ts';
import { padTo } from './paint.ts';

export interface WatchPlainOptions {
  readonly feed: SourcedFeed;
  readonly write: (text: string) => void;
  /** For words that are not part of the log. */
  readonly note: (text: string) => void;
  readonly clock: Clock;
  readonly colours: ColourDepth;
  /** Every event of the feed as it is, one JSON a line. */
  readonly json: boolean;
  /** Only the sessions whose id begins so. */
  readonly session?: string;
  /** Ends the watch; without it, only the end of the process does. */
  readonly stop?: AbortSignal;
}

/** `troupe watch` where nobody looks at a screen: a log, one line for each change that a person would mention. */
export function watchPlain(options: WatchPlainOptions): Promise<void> {
  const { feed, stop, session = '' } = options;
  const log = options.json ? undefined : createLog(options);
  const subscription = feed.subscribe((event) => {
    const wanted = narrow(event, session);
    if (!wanted) return;
    if (log) log.handleEvent(wanted);
    else options.write(`${JSON.stringify({ type: wanted.type, data: wanted.data })}\n`);
  });
  feed.onSource(({ text, isLost }) => options.note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  return new Promise((resolve) => {
    const end = (): void => {
      subscription.close();
      feed.onSource(() => {});
      log?.close();
      resolve();
    };
    if (stop?.aborted) end();
    else stop?.addEventListener('abort', end, { once: true });
  });
}

function narrow(event: LiveEvent, session: string): LiveEvent | undefined {
  if (event.type === 'change' || event.type === 'gone')
    return event.data.sessionId.startsWith(session) ? event : undefined;
  const isAskWanted = (ask: ApprovalRequest): boolean => session === '' || (ask.session ?? '').startsWith(session);
  if (event.type === 'ask') return isAskWanted(event.data) ? event : undefined;
  if (event.type !== 'snapshot' || session === '') return event;
  const { sessions, asks } = event.data;
  const wanted = { sessions: sessions.filter(({ id }) => id.startsWith(session)), asks: asks.filter(isAskWanted) };
  return { ...event, data: { ...event.data, ...wanted } };
}

/** Long enough that a burst of changes of one agent is one line. */
const GATHER_MS = 300;

function createLog({ write, clock, colours }: WatchPlainOptions) {
  const paint = createPaint(colours);
  const startedAt = clock();
  const said = new Map<string, Said>();
  const mentioned = new Set<string>();
  const asked = new Map<string, 'open' | 'ended'>();
  let picture: LiveSnapshot | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBegun = false;

  const tell = (): void => {
    timer = undefined;
    // What is found while all is read for the first time is no news.
    if (!picture || (!isBegun && !picture.isComplete)) return;
    const now = clock();
    const lines = isBegun ? [] : [formatFirstLine(picture, now)];
    isBegun = true;
    for (const ask of picture.asks) {
      const before = asked.get(ask.id);
      const state = ask.end === null ? 'open' : 'ended';
      asked.set(ask.id, state);
      // What was settled before we came is history.
      if (before !== state && (before !== undefined || state === 'open'))
        lines.push(formatApprovalLine(ask, now, paint));
    }
    for (const session of markPendingApprovals(picture).sessions) {
      for (const agent of agentsOf(session)) {
        const key = agentKey(agent);
        const before = said.get(key);
        const news = sayAbout(agent, before);
        said.set(key, news);
        if (!isNews(agent, news, before, startedAt)) continue;
        mentioned.add(sessionKey(session));
        lines.push(formatAgentLine(agent, session, now, paint));
      }
    }
    if (lines.length > 0) write(`${lines.join('\n')}\n`);
  };
  return {
    handleEvent(event: LiveEvent): void {
      const before = picture;
      picture = applyEvent(picture, event);
      const gone = event.type === 'gone' ? before?.sessions.find((one) => !picture?.sessions.includes(one)) : undefined;
      if (gone && mentioned.delete(sessionKey(gone))) write(`${formatGoneLine(gone, clock())}\n`);
      timer ??= setTimeout(tell, before ? GATHER_MS : 0);
    },
    close: () => clearTimeout(timer),
  };
}

/** What was last said about an agent. */
interface Said {
  readonly standing: string;
  readonly tool: string;
}

/** Between two calls an agent thinks: that is no news, and the call before it is not over for the reader. */
function sayAbout(agent: AgentReport, before: Said | undefined): Said {
  const { currentTool, currentToolSummary, waitingOn } = agent;
  return {
    standing: `${standingOf(agent)} ${waitingOn}`,
    tool: currentTool === null ? (before?.tool ?? '') : `${currentTool} ${currentToolSummary}`,
  };
}

/** What was over before we came is history. */
function isNews(agent: AgentReport, now: Said, before: Said | undefined, since: number): boolean {
  if (before) return now.standing !== before.standing || now.tool !== before.tool;
  return isBusy(agent) || (agent.startedAt !== null && Date.parse(agent.startedAt) >= since);
}

/** Of a line: columns that stay where they are, because nobody knows the lines that will follow. */
const WIDTHS = { project: 14, label: 44, status: 21, doing: 120 };

/** What became of an agent, as one line of a log. */
function formatAgentLine(agent: AgentReport, session: SessionDetail, now: number, paint: Paint): string {
  const standing = standingOf(agent);
  const label = agent.kind === 'main' ? `main: ${session.title ?? 'untitled'}` : agent.label;
  const type = typeText(agent);
  const named = cutTo(cleanLine(label), WIDTHS.label - (type === '' ? 0 : 3 + Math.min(type.length, MAX_TYPE)));
  const who = type === '' ? named : `${named} (${cutTo(cleanLine(type), MAX_TYPE)})`;
  const doing = standing === 'idle' || standing === 'waiting' ? '' : watchedDoing(agent, now);
  const parts = [
    clockText(now),
    `${paintMark(standing, paint)} ${cleanLine(shortId(agent.id)).padEnd(8)}`,
    paint.bold(padTo(cutTo(cleanLine(session.project ?? '–'), WIDTHS.project), WIDTHS.project)),
    paint.agent(agent.hue, padTo(who, WIDTHS.label)),
    padTo(standing === 'needs you' ? standing : formatStatus(agent), WIDTHS.status),
    cutTo(cleanLine(doing), WIDTHS.doing),
  ];
  return parts.join('  ').trimEnd();
}

/** A call that waits for an answer, with how to give one; or how it ended. */
function formatApprovalLine(ask: ApprovalRequest, now: number, paint: Paint): string {
  const what = `${clockText(now)}  ${paintMark('needs you', paint)} ${ask.id.slice(0, SHORT_ID)}  ${requesterText(ask)}: ${formatApprovalCall(ask)}`;
  if (ask.end) return `${what}  ${endText(ask.end)}`;
  const how = `troupe guard answer ${ask.id.slice(0, SHORT_ID)} allow|deny, within ${remainingText(ask, now)}`;
  return `${what}  ${paint.bold('needs you')}: ${how}`;
}

const MAX_TYPE = 18;

function formatGoneLine(session: SessionDetail, now: number): string {
  const project = padTo(cutTo(cleanLine(session.project ?? '–'), WIDTHS.project), WIDTHS.project);
  return `${clockText(now)}  – ${cleanLine(shortId(session.id))}  ${project}  no longer followed`;
}

/** The first line: what there is, before anything changes. */
function formatFirstLine({ sessions, places }: LiveSnapshot, now: number): string {
  const busy = sessions.filter(isSessionBusy).length;
  const agents = sessions.flatMap(agentsOf).filter(isBusy).length;
  const where = places.length > 0 ? `, in ${places.map(cleanLine).join(', ')}` : '';
  const work = busy === 0 ? 'nobody at work' : `${plural(agents, 'agent')} at work in ${busy}`;
  return `${clockText(now)}  ${plural(sessions.length, 'session')} followed, ${work}${where}`;
}
