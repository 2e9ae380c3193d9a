import {
  type AgentReport,
  agentsOf,
  doingText,
  formatStatus,
  isSessionBusy,
  type OlderSession,
  type SessionDetail,
  standingOf,
} from '../../src/core/index.ts';

export interface Filter {
  readonly text: string;
  readonly host: string | undefined;
  readonly project: string | undefined;
  /** `at-work`, `needs-you`, `silent`, `failed`, `done`. */
  readonly status: StatusFilter | undefined;
}

export type StatusFilter = 'at-work' | 'needs-you' | 'silent' | 'failed' | 'done';

export const STATUS_WORDS: Readonly<Record<StatusFilter, string>> = {
  'at-work': 'at work',
  'needs-you': 'needs you',
  silent: 'silent',
  failed: 'failed',
  done: 'nobody at work',
};

export const NO_FILTER: Filter = { text: '', host: undefined, project: undefined, status: undefined };

export function isFiltering({ text, host, project, status }: Filter): boolean {
  return text.trim() !== '' || host !== undefined || project !== undefined || status !== undefined;
}

/** All of it has to hold; of the text, every word, in any order. */
export function matches(session: SessionDetail, { text, host, project, status }: Filter): boolean {
  if (host !== undefined && !agentsOf(session).some((agent) => agent.host === host)) return false;
  if (project !== undefined && session.project !== project) return false;
  if (status !== undefined && !hasStatus(session, status)) return false;
  return text.trim() === '' || hasText(session, text);
}

/** A session that is not in the index yet is known by its id and host only. */
export function matchesOlder(session: OlderSession, { text, host, project, status }: Filter): boolean {
  if (project !== undefined && project !== session.project) return false;
  if (status !== undefined && !(status === 'done' && session.status !== null)) return false;
  if (host !== undefined && host !== session.host) return false;
  return hasAll(text, [lower([session.id, session.host, session.project, session.title])]);
}

function hasStatus(session: SessionDetail, status: StatusFilter): boolean {
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

function hasText(session: SessionDetail, text: string): boolean {
  const known = answers.get(session);
  if (known?.text === text) return known.has;
  const { title, project, id, branch, host, main, subagents } = session;
  const has = hasAll(text, [lower([title, project, id, branch, host]), ...[main, ...subagents].map(wordsOf)]);
  answers.set(session, { text, has });
  return has;
}

function hasAll(text: string, places: readonly string[]): boolean {
  const wanted = text.toLowerCase().split(/\s+/);
  return wanted.every((word) => places.some((place) => place.includes(word)));
}

const wordsOfAgents = new WeakMap<AgentReport, string>();

/** All that a person might remember of it. */
function wordsOf(agent: AgentReport): string {
  const known = wordsOfAgents.get(agent);
  if (known !== undefined) return known;
  const { id, label, name, description, slug, type, model, branch } = agent;
  const words = lower([id, label, name, description, slug, type, model, branch, doingText(agent), formatStatus(agent)]);
  wordsOfAgents.set(agent, words);
  return words;
}

function lower(words: readonly (string | null)[]): string {
  return words
    .filter((word) => word !== null)
    .join('\n')
    .toLowerCase();
}
