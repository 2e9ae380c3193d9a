import type { AgentReport } from '../reports/shapes.ts';
import { doingText } from './agent-texts.ts';
import { formatDuration } from './amounts.ts';
import { standingOf } from './live-status.ts';
import { formatStatus } from './status.ts';

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
