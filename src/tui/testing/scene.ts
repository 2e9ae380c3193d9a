// What the tests of `troupe watch` look at: recordings, as if some of their agents were at work now.

import type { SessionDetail } from '../../core/index.ts';
import { AT_WORK, broughtUpTo, NOW, recordedSessions, withAgents } from './recorded.ts';

export interface Scene {
  /** One session at work, one that ended a minute ago, one two minutes, one an hour. */
  readonly sessions: readonly SessionDetail[];
  /** As it was recorded. */
  project(name: 'nested-deep' | 'nested' | 'single' | 'failing' | 'project'): SessionDetail;
}

export async function loadScene(): Promise<Scene> {
  const names = ['nested-deep', 'nested', 'single', 'failing', 'xss'];
  const recorded = await recordedSessions(...names.map((name) => `2.1.325-${name}`));
  const project = (name: string): SessionDetail => {
    const found = recorded.find((session) => session.project === name);
    if (!found) throw new Error(`no recording of ${name}`);
    return found;
  };
  const nested = withAgents(broughtUpTo(NOW, project('nested'), 5000), (_agent, index) => {
    if (index === 0) return { ...AT_WORK, status: 'waiting', waitingOn: 'child', activity: 'waiting' };
    if (index === 3) return {};
    return { ...AT_WORK, currentTool: 'Bash', currentToolSummary: `npm run step-${index}` };
  });
  const sessions = [
    broughtUpTo(NOW, project('nested-deep'), 60_000),
    nested,
    broughtUpTo(NOW, project('single'), 120_000),
    broughtUpTo(NOW, project('failing'), 3_600_000),
  ];
  return { sessions, project };
}

/** Project or label of each row at 80 columns, without the other columns. */
export function namesIn(rows: readonly string[]): readonly string[] {
  return rows
    .map((row) => row.slice(14, 36).trimEnd())
    .map((cell) => (isHead(cell) ? (cell.split('  ')[0] ?? '') : cell));
}

export function headsIn(rows: readonly string[]): readonly string[] {
  return namesIn(rows).filter(isHead);
}

function isHead(cell: string): boolean {
  return /^[▾▸·]/.test(cell);
}
