import { SHORT_ID } from '../cli/format/index.ts';
import {
  type AgentReport,
  type Ask,
  agentsOf,
  askedText,
  askerText,
  cleanLine,
  clockText,
  cutTo,
  endText,
  formatStatus,
  isBusy,
  isSessionBusy,
  type LiveSnapshot,
  type Paint,
  paintMark,
  plural,
  remainingText,
  type SessionDetail,
  shortId,
  standingOf,
  typeText,
  watchedDoing,
} from '../core/index.ts';
import { padTo } from './fit.ts';

/** Of a line: columns that stay where they are, because nobody knows the lines that will follow. */
const WIDTHS = { project: 14, label: 44, status: 21, doing: 120 };

/** What became of an agent, as one line of a log. */
export function formatAgentLine(agent: AgentReport, session: SessionDetail, now: number, paint: Paint): string {
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
export function formatAskLine(ask: Ask, now: number, paint: Paint): string {
  const what = `${clockText(now)}  ${paintMark('needs you', paint)} ${ask.id.slice(0, SHORT_ID)}  ${askerText(ask)}: ${askedText(ask)}`;
  if (ask.end) return `${what}  ${endText(ask.end)}`;
  const how = `troupe guard answer ${ask.id.slice(0, SHORT_ID)} allow|deny, within ${remainingText(ask, now)}`;
  return `${what}  ${paint.bold('needs you')}: ${how}`;
}

const MAX_TYPE = 18;

export function formatGoneLine(session: SessionDetail, now: number): string {
  const project = padTo(cutTo(cleanLine(session.project ?? '–'), WIDTHS.project), WIDTHS.project);
  return `${clockText(now)}  – ${cleanLine(shortId(session.id))}  ${project}  no longer followed`;
}

/** The first line: what there is, before anything changes. */
export function formatFirstLine({ sessions, places }: LiveSnapshot, now: number): string {
  const busy = sessions.filter(isSessionBusy).length;
  const agents = sessions.flatMap(agentsOf).filter(isBusy).length;
  const where = places.length > 0 ? `, in ${places.map(cleanLine).join(', ')}` : '';
  const work = busy === 0 ? 'nobody at work' : `${plural(agents, 'agent')} at work in ${busy}`;
  return `${clockText(now)}  ${plural(sessions.length, 'session')} followed, ${work}${where}`;
}
