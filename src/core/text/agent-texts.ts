// What is said about an agent in a line of text: `troupe tree`, `troupe watch`, the page.

import { agentsOf, countAgents, type LiveSnapshot, type SessionDetail } from '../reports/live.ts';
import type { AgentReport, ChangeReport, SessionReport } from '../reports/shapes.ts';
import { type AgentStatus, isAtWork, isBusy, needsPerson, type StatusSignal } from '../tree.ts';
import { cleanLine } from './clean-text.ts';
import { formatCount, formatDuration, shortId, uniqueLength } from './format.ts';
import { type Paint, PLAIN } from './layout.ts';

export function typeText({ kind, type, internal, background, host }: AgentReport): string {
  if (kind === 'main') return '';
  // Of a session that a command started, whose it is says most.
  if (kind === 'session') return host;
  const what = kind === 'internal' ? (internal ?? 'internal') : (type ?? kind);
  return background ? `${what} &` : what;
}

/** How often it was set to work, and how many of the earlier runs failed. */
export function runsText({ runs }: AgentReport): string {
  if (runs.length <= 1) return '';
  const failed = runs.slice(0, -1).filter(({ status }) => status === 'failed').length;
  return ` ×${runs.length}${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** The call it is in the middle of; of one that came to no good end, why. */
export function doingText({ currentTool, currentToolSummary, status, runs, activity }: AgentReport): string {
  if (currentTool !== null) return [currentTool, currentToolSummary].filter((part) => part !== null).join(' ');
  if (status === 'failed' || status === 'stopped' || status === 'unknown') return runs.at(-1)?.reason ?? '';
  return activity === 'thinking' ? 'thinking' : '';
}

/** Which of a session's tokens are in no transcript of its agents; undefined if none is known. */
export function unattributedText({
  unattributedUsage: of,
}: Pick<SessionReport, 'unattributedUsage'>): string | undefined {
  if (of === null) return undefined;
  return `${formatCount(of.output)} of the tokens went to titles, summaries and other requests of the host`;
}

/** Which session it comes from, and which of its tokens its agents did not use. To be shown after the number of tokens. */
export function originTexts(session: SessionReport): readonly string[] {
  const { id, forkedFrom, continuedFrom, inheritedUsage } = session;
  const nameOf = (other: string): string => shortId(other, uniqueLength([id, other]));
  const unattributed = unattributedText(session);
  const copied = inheritedUsage?.output ?? 0;
  return [
    ...(unattributed === undefined ? [] : [unattributed]),
    ...(forkedFrom === null ? [] : [`forked from ${nameOf(forkedFrom)}`]),
    ...(copied === 0 ? [] : [`${formatCount(copied)} of the tokens were copied, and are not in the cost`]),
    ...(continuedFrom === null ? [] : [`continued from ${nameOf(continuedFrom)} after /clear`]),
  ];
}

export function outputText({ usage, usageIsLowerBound }: Pick<AgentReport, 'usage' | 'usageIsLowerBound'>): string {
  return usage === null ? '–' : tokensText(usage.output, usageIsLowerBound);
}

export function tokensText(tokens: number, isLowerBound: boolean): string {
  // At least nothing is no news.
  return `${isLowerBound && tokens > 0 ? '≥' : ''}${formatCount(tokens)}`;
}

export function callsText({ toolCallCount }: Pick<AgentReport, 'toolCallCount'>): string {
  return toolCallCount === null ? '–' : String(toolCallCount);
}

export function contextText(agent: AgentReport): string {
  const percent = contextPercent(agent);
  if (agent.contextTokens === null) return '–';
  return `${formatCount(agent.contextTokens)}${percent === undefined ? '' : ` ${percent}%`}`;
}

/** How full its context is; undefined if that or the window is not known. */
export function contextPercent({ contextTokens, contextWindow }: AgentReport): number | undefined {
  if (contextTokens === null || contextWindow === null) return undefined;
  return Math.round((100 * contextTokens) / contextWindow);
}

/** How long it has been at work. What has ended or is idle does not get older. */
export function timeText(agent: AgentReport, now: number): string {
  const { startedAt, completedAt, lastActivityAt } = agent;
  if (startedAt === null) return '–';
  const end = isBusy(agent) ? now : Date.parse(completedAt ?? lastActivityAt ?? startedAt);
  return formatDuration(end - Date.parse(startedAt));
}

/** The same of a whole session, to the last sign of any of its agents. */
export function sessionTimeText({ startedAt, lastActivityAt, running }: SessionReport, now: number): string {
  const end = running > 0 ? now : Date.parse(lastActivityAt ?? '');
  return startedAt === null || Number.isNaN(end) ? '–' : formatDuration(end - Date.parse(startedAt));
}

/** Exact links need no word; everything weaker says so. */
export function linkText({ evidence, kind }: AgentReport): string {
  if (evidence === null || evidence.rank === 'exact' || kind === 'internal') return '';
  if (evidence.rank === 'none') return '? no parent known';
  return evidence.rank === 'guess' ? `? guess: ${evidence.source}` : `~ ${evidence.source}`;
}

/** What it is doing, or waiting for, or why it ended. With `now`, also for how long it has been silent. */
export function watchedDoing(agent: AgentReport, now?: number): string {
  const doing = doingText(agent);
  switch (standingOf(agent)) {
    case 'needs you':
      return join(': ', [formatStatus(agent), doing || (agent.runs.at(-1)?.reason ?? '')]);
    case 'silent':
      return join(' · ', [now === undefined ? '' : silenceText(agent, now), doing]);
    case 'idle':
    case 'waiting':
      return formatStatus(agent);
    default:
      return doing;
  }
}

function silenceText({ lastActivityAt }: AgentReport, now: number): string {
  return lastActivityAt === null ? '' : `${formatDuration(now - Date.parse(lastActivityAt))} silent`;
}

function join(between: string, parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(between);
}

/** How an agent stands, in a word that fits a narrow column; «waiting» is on a sub-agent or on a limit. */
export type Standing = AgentStatus | 'needs you' | 'silent' | 'idle';

export function standingOf(agent: AgentReport): Standing {
  if (needsPerson(agent)) return 'needs you';
  if (agent.stalled && isAtWork(agent.status)) return 'silent';
  if (agent.status === 'waiting' && agent.waitingOn === 'input') return 'idle';
  return agent.status;
}

/** Of the whole session: what is most urgent in it. */
export function sessionStanding(session: SessionDetail): Standing {
  const busy = agentsOf(session).filter(isBusy).map(standingOf);
  if (busy.includes('needs you')) return 'needs you';
  if (busy.length === 0) return standingOf({ ...session.main, status: session.status });
  if (busy.includes('running') || busy.includes('spawning')) return 'running';
  return busy.includes('silent') ? 'silent' : 'waiting';
}

export function isSessionBusy(session: SessionDetail): boolean {
  return agentsOf(session).some(isBusy);
}

export function paintMark(standing: Standing, paint: Paint): string {
  switch (standing) {
    case 'silent':
      return formatMark('running', true, paint);
    case 'needs you':
      return paint.bold(formatMark('waiting', false, paint));
    case 'waiting':
    case 'idle':
      return paint.dim(MARKS.waiting[0]);
    case 'completed':
      return paint.dim(MARKS.completed[0]);
    default:
      return formatMark(standing, false, paint);
  }
}

/** Loud only where somebody needs the person or something went wrong. */
export function paintWord(standing: Standing, word: string, paint: Paint): string {
  switch (standing) {
    case 'needs you':
      return paint.bold(paint.yellow(word));
    case 'silent':
      return paint.yellow(word);
    case 'failed':
      return paint.red(word);
    case 'running':
    case 'spawning':
      return word;
    default:
      return paint.dim(word);
  }
}

export type Standings = ReadonlyMap<Standing, number>;

/** How many agents stand how; those the host started for itself do not count. */
export function countStandings(agents: Iterable<AgentReport>): Standings {
  const counts = new Map<Standing, number>();
  for (const agent of agents) {
    if (agent.kind === 'internal') continue;
    const standing = standingOf(agent);
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
  }
  return counts;
}

export function addStandings(a: Standings, b: Standings): Standings {
  const sum = new Map(a);
  for (const [standing, count] of b) sum.set(standing, (sum.get(standing) ?? 0) + count);
  return sum;
}

/** One part of the answer at a glance: how many are at work, and of those how many need the person or are silent. */
export interface GlanceCount {
  readonly name: 'at-work' | 'needs-you' | 'silent';
  readonly standing: Standing;
  readonly count: number;
  /** Behind the number. */
  readonly word: string;
}

/** Of everything that is followed. What counts nobody is left out. */
export function glanceAt({ sessions, asks }: Pick<LiveSnapshot, 'sessions' | 'asks'>): readonly GlanceCount[] {
  const agents = sessions.flatMap(agentsOf);
  const standings = countStandings(agents);
  // A call may wait of an agent that nobody can name, or of a session that is not followed.
  const unseen = asks.filter(({ end, agent }) => end === null && !agents.some(({ id }) => id === agent.id)).length;
  const needing = (standings.get('needs you') ?? 0) + unseen;
  const counts: readonly GlanceCount[] = [
    {
      name: 'at-work',
      standing: 'running',
      count: countAgents(agents).running,
      word: 'at work',
    },
    { name: 'needs-you', standing: 'needs you', count: needing, word: needing === 1 ? 'needs you' : 'need you' },
    { name: 'silent', standing: 'silent', count: standings.get('silent') ?? 0, word: 'silent' },
  ];
  return counts.filter(({ count }) => count > 0);
}

/** From the best end to the least known one, then those without an end. */
const ORDER: readonly Standing[] = [
  'completed',
  'failed',
  'stopped',
  'unknown',
  'needs you',
  'silent',
  'running',
  'spawning',
  'waiting',
  'idle',
];

/** ✓ 3 ✗ 1 ? 2: each standing with its own mark and number. With `words`, said: 3 completed, 1 failed, 2 unknown. */
export function standingsText(standings: Standings, { words = false } = {}): string {
  const counted = ORDER.flatMap((standing) => {
    const count = standings.get(standing);
    if (!count) return [];
    return words ? `${count} ${standing}` : `${paintMark(standing, PLAIN)} ${count}`;
  });
  return counted.join(words ? ', ' : ' ');
}

/** Shape and word first, colour last. */
const MARKS = {
  spawning: ['○', 'dim'],
  running: ['●', 'green'],
  waiting: ['◐', 'yellow'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  stopped: ['■', 'yellow'],
  unknown: ['?', 'yellow'],
} as const;

export const WAITS = {
  permission: 'waits for your yes',
  input: 'waits for you',
  child: 'waits for a sub-agent',
  'rate-limit': 'rate limited',
};

export function formatMark(status: AgentStatus, stalled: boolean, paint: Paint): string {
  if (stalled) return paint.yellow('⚠');
  const [mark, colour] = MARKS[status];
  return paint[colour](mark);
}

export function formatStatus({
  status,
  waitingOn,
  stalled,
}: Pick<AgentReport, 'status' | 'waitingOn' | 'stalled'>): string {
  if (stalled) return 'silent';
  return status === 'waiting' && waitingOn ? WAITS[waitingOn] : status;
}

/** What became of it, how that is known, and why, in the words of a person. */
export function explainChange({ status, signal, reason }: Pick<ChangeReport, 'status' | 'signal' | 'reason'>) {
  return {
    what: STATUS_WORDS[status],
    how: howKnown(status, signal),
    why: reason === null ? undefined : cleanLine(reason),
  };
}

const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  spawning: 'asked for',
  running: 'at work',
  waiting: 'waits',
  completed: 'done',
  failed: 'failed',
  stopped: 'stopped',
  unknown: 'end not known',
};

function howKnown(status: AgentStatus, signal: StatusSignal): string {
  if (signal === 'call') return status === 'spawning' ? 'the call that made it' : 'a later call woke it';
  if (signal === 'transcript' && status === 'running') return 'its first line';
  if (signal === 'process') return PROCESS_WORDS[status] ?? 'its process ended';
  return SIGNAL_WORDS[signal];
}

const PROCESS_WORDS: Partial<Readonly<Record<AgentStatus, string>>> = {
  running: 'its process is alive',
  waiting: 'its process says so',
  unknown: 'nothing says how it ended',
};

const SIGNAL_WORDS: Readonly<Record<Exclude<StatusSignal, 'call' | 'process'>, string>> = {
  result: 'the result of its call came back',
  notification: 'a notice told its caller',
  'stop-call': 'a call stopped it',
  transcript: 'its own transcript says so',
  sidecar: 'the record beside its transcript says so',
  journal: 'the journal of its workflow says so',
  inbox: 'a message to its team says so',
  hook: 'its program told it at once',
};
