import type { SessionDetail } from '../../src/reports/live-shapes.ts';

export interface Filter {
  readonly text: string;
  readonly host: string | undefined;
  readonly project: string | undefined;
  /** `at-work`, `needs-you`, `silent`, `failed`, `done`. */
  readonly status: StatusFilter | undefined;
}

export type StatusFilter = 'at-work' | 'needs-you' | 'silent' | 'failed' | 'done';

export const NO_FILTER: Filter = { text: '', host: undefined, project: undefined, status: undefined };

export function matches(session: SessionDetail, { text, host, project, status }: Filter): boolean {
  if (host !== undefined && session.host !== host) return false;
  if (project !== undefined && session.project !== project) return false;
  if (status !== undefined && !hasStatus(session, status)) return false;
  return text.trim() === '' || words(session).includes(text.trim().toLowerCase());
}

function hasStatus(session: SessionDetail, status: StatusFilter): boolean {
  const agents = [session.main, ...session.subagents];
  switch (status) {
    case 'at-work':
      return session.running > 0;
    case 'needs-you':
      return agents.some(({ waitingOn }) => waitingOn === 'permission' || waitingOn === 'input');
    case 'silent':
      return agents.some(({ stalled }) => stalled);
    case 'failed':
      return agents.some((agent) => agent.status === 'failed');
    case 'done':
      return session.running === 0;
  }
}

/** All that a person might remember of it. */
function words({ title, project, id, branch, host, main, subagents }: SessionDetail): string {
  const agents = [main, ...subagents].flatMap(({ label, type, model, currentTool, id: agent }) => [
    label,
    type,
    model,
    currentTool,
    agent,
  ]);
  return [title, project, id, branch, host, ...agents].filter((word) => word !== null).join(' ').toLowerCase();
}
