// What is said about an agent, wherever it is said in a line of text: `troupe tree`, `troupe watch`.

import type { AgentReport } from '../reports/shapes.ts';
import { isAtWork } from '../tree.ts';
import { formatCount, formatDuration } from './amounts.ts';

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
