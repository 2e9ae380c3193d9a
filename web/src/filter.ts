import {
  agentsOf,
  isSessionBusy,
  listEntryOfDetail,
  matchesSession,
  parseListQuery,
  type Query,
  type SessionDetail,
  type SessionState,
  standingOf,
} from '../../src/core/index.ts';

export interface Filter {
  /** A query: words and filters such as `host:codex`. */
  readonly text: string;
  readonly host: string | undefined;
  readonly project: string | undefined;
  readonly status: SessionState | undefined;
}

export const STATUS_WORDS: Readonly<Record<SessionState, string>> = {
  'at-work': 'at work',
  'needs-you': 'needs you',
  silent: 'silent',
  failed: 'failed',
  done: 'no agents at work',
};

export const NO_FILTER: Filter = { text: '', host: undefined, project: undefined, status: undefined };

export function isFiltering({ text, host, project, status }: Filter): boolean {
  return text.trim() !== '' || host !== undefined || project !== undefined || status !== undefined;
}

/** All of it has to hold; the text is a query, as for `troupe ls`. */
export function matches(session: SessionDetail, { text, host, project, status }: Filter): boolean {
  if (host !== undefined && !agentsOf(session).some((agent) => agent.host === host)) return false;
  if (project !== undefined && session.project !== project) return false;
  if (status !== undefined && !hasStatus(session, status)) return false;
  return text.trim() === '' || hasText(session, text);
}

function hasStatus(session: SessionDetail, status: SessionState): boolean {
  const agents = [session.main, ...session.subagents];
  switch (status) {
    case 'at-work':
      return isSessionBusy(session);
    case 'needs-you':
      return agents.some((agent) => standingOf(agent) === 'needs you');
    case 'silent':
      return agents.some((agent) => standingOf(agent) === 'silent');
    case 'failed':
      return agents.some((agent) => agent.status === 'failed');
    case 'done':
      return !isSessionBusy(session);
  }
}

/** What did not change is the same object, and is asked about twenty times a second. */
const answers = new WeakMap<SessionDetail, { readonly text: string; readonly has: boolean }>();
let parsed: { readonly text: string; readonly query: Query | undefined } = { text: '', query: undefined };

/** As the list does it: what cannot be understood, such as a filter that is still being typed, hides nobody. */
function hasText(session: SessionDetail, text: string): boolean {
  const known = answers.get(session);
  if (known?.text === text) return known.has;
  if (parsed.text !== text) parsed = { text, query: parseListQuery(text).query };
  const has = !parsed.query || matchesSession(parsed.query, listEntryOfDetail(session).subject, Date.now());
  answers.set(session, { text, has });
  return has;
}
