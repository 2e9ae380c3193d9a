// What is said about an agent in a line of text: `troupe tree`, `troupe watch`, the page.

import { agentsOf, type LiveSnapshot, type SessionDetail } from '../reports/live.ts';
import type { AgentReport, ChangeReport } from '../reports/shapes.ts';
import { type AgentStatus, isAtWork, needsPerson, type StatusSignal } from '../tree.ts';
import { cleanLine } from './clean-text.ts';
import { formatCount, formatDuration } from './format.ts';
import type { Paint } from './layout.ts';

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

export function outputText({ usage, usageIsLowerBound }: Pick<AgentReport, 'usage' | 'usageIsLowerBound'>): string {
  return usage === null ? '–' : `${usageIsLowerBound ? '≥' : ''}${formatCount(usage.output)}`;
}

export function contextText({ contextTokens, contextWindow }: AgentReport): string {
  if (contextTokens === null) return '–';
  if (contextWindow === null) return formatCount(contextTokens);
  return `${formatCount(contextTokens)} ${Math.round((100 * contextTokens) / contextWindow)}%`;
}

export function timeText({ startedAt, completedAt, lastActivityAt, status }: AgentReport, now: number): string {
  if (startedAt === null) return '–';
  const end = isAtWork(status) ? now : Date.parse(completedAt ?? lastActivityAt ?? startedAt);
  return formatDuration(end - Date.parse(startedAt));
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

/** As people count: those who will go on by themselves, and those who wait for a word in order to. */
export function isBusy(agent: AgentReport): boolean {
  return isAtWork(agent.status) && standingOf(agent) !== 'idle';
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

/** How many agents of all sessions stand how; those the host started for itself do not count. */
export function countStandings({ sessions, asks }: LiveSnapshot): ReadonlyMap<Standing, number> {
  const counts = new Map<Standing, number>();
  const agents = sessions.flatMap(agentsOf);
  for (const agent of agents) {
    if (agent.kind === 'internal') continue;
    const standing = standingOf(agent);
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
  }
  // A call may wait of an agent that nobody can name, or of a session that is not followed.
  const unseen = asks.filter(({ end, agent }) => end === null && !agents.some(({ id }) => id === agent.id)).length;
  if (unseen > 0) counts.set('needs you', (counts.get('needs you') ?? 0) + unseen);
  return counts;
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
