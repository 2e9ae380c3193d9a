import type { LiveSnapshot, SessionDetail } from '../reports/live-shapes.ts';
import type { AgentReport } from '../reports/shapes.ts';
import { needsPerson } from '../select.ts';
import { isAtWork } from '../tree.ts';
import type { Paint } from './paint.ts';
import { formatMark } from './status.ts';
import { agentsOf } from './view.ts';

/** How an agent stands, in a word that fits a narrow column; «waiting» is on a sub-agent or on a limit. */
export type Standing =
  | 'needs you'
  | 'silent'
  | 'running'
  | 'spawning'
  | 'waiting'
  | 'idle'
  | 'failed'
  | 'stopped'
  | 'unknown'
  | 'completed';

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
      return formatMark('waiting', false, { ...paint, yellow: paint.dim });
    case 'completed':
      return formatMark('completed', false, { ...paint, green: paint.dim });
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
  for (const agent of sessions.flatMap(agentsOf)) {
    if (agent.kind === 'internal') continue;
    const standing = standingOf(agent);
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
  }
  const unseen = asks.filter(({ end, agent }) => end === null && !isThere(sessions, agent.id)).length;
  if (unseen > 0) counts.set('needs you', (counts.get('needs you') ?? 0) + unseen);
  return counts;
}

/** A call may wait of an agent that nobody can name, or of a session that is not followed. */
function isThere(sessions: readonly SessionDetail[], agent: string | null): boolean {
  return sessions.some((session) => agentsOf(session).some(({ id }) => id === agent));
}
