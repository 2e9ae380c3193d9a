// The list of all sessions: filtered, sorted, in groups, one part at a time (docs/API.md). The names are a contract: add, never rename.

import { getOrAdd, groupBy } from '../../lib/group.ts';
import { hostOf, nativeId } from '../ids.ts';
import type { OlderSessionFiles } from '../ports.ts';
import {
  matchesSession,
  parseListQuery,
  type Query,
  type QueryProblem,
  type QuerySubject,
  subjectOf,
} from '../query.ts';
import { type AgentStatus, isAtWork, type SessionTree, selectAgents } from '../tree.ts';
import { agentsOf, type SessionDetail } from './live.ts';
import type { ListedSession, SessionListEntry, SessionReport } from './shapes.ts';
import { computeSession, isoTime } from './tree.ts';

export const SESSION_SORTS = ['time', 'cost', 'agents', 'duration', 'tokens'] as const;
export type SessionSort = (typeof SESSION_SORTS)[number];
export const SESSION_GROUPS = ['day', 'project', 'none'] as const;
export type SessionGrouping = (typeof SESSION_GROUPS)[number];
/** How a session is doing, as people ask for it. */
export const SESSION_STATES = ['at-work', 'needs-you', 'silent', 'failed', 'done'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export interface SessionListGroup {
  /** `at-work`: sessions in which somebody works, while the list is grouped by days. */
  readonly kind: 'at-work' | 'day' | 'project' | 'all';
  /** A date such as 2026-11-15, or the name of the project; null if that is not known. */
  readonly name: string | null;
  readonly count: number;
}

/** What is not known is null: never 0, never left out. Times are ISO 8601, UTC. Ids are the host's own. */
export interface SessionListReport {
  /** Why nothing is filtered; null if the query is right. */
  readonly problem: QueryProblem | null;
  /** Sessions in all, and those that match. */
  readonly total: number;
  readonly matching: number;
  /** Of the total, those whose files were not read yet: filters do not find what is in them. */
  readonly unread: number;
  readonly hosts: readonly string[];
  readonly projects: readonly string[];
  /** Of all that match, in order. */
  readonly groups: readonly SessionListGroup[];
  /** Where the session is that was asked for: its number among those that match; null if it is none of them. */
  readonly at: number | null;
  readonly from: number;
  readonly sessions: readonly ListedSession[];
}

export interface SessionListRequest extends SessionListPart {
  /** As for `troupe ls`. */
  readonly query: string;
  readonly host?: string;
  /** Its whole name. */
  readonly project?: string;
  readonly state?: SessionState;
  readonly sort: SessionSort;
  readonly group: SessionGrouping;
}

export interface SessionListPart {
  readonly from: number;
  readonly limit: number;
  /** Id of a session whose place in the list is asked for. */
  readonly at?: string;
}

const entries = new WeakMap<SessionTree | SessionDetail, SessionListEntry>();

export function computeListEntry(tree: SessionTree): SessionListEntry {
  return getOrAdd(entries, tree, () => ({
    session: toListed(computeSession(tree), selectAgents(tree)),
    subject: subjectOf(tree),
  }));
}

/** The same of a session that is followed, as it was sent to a client. */
export function listEntryOfDetail(detail: SessionDetail): SessionListEntry {
  return getOrAdd(entries, detail, () => ({
    session: toListed(
      detail,
      agentsOf(detail).filter(({ kind }) => kind !== 'internal'),
    ),
    subject: subjectOfDetail(detail),
  }));
}

function toListed(
  report: SessionReport,
  agents: readonly { readonly stalled: boolean; readonly status: AgentStatus }[],
): ListedSession {
  const { id, host, hostTitle, project, branch, title, status, waitingOn, running, startedAt, lastActivityAt } = report;
  return {
    ...{ id, host, hostTitle, project, branch, title, status, waitingOn, agents: report.agents, running },
    needsYou: report.needsYou.length,
    silent: agents.filter((agent) => agent.stalled && isAtWork(agent.status)).length,
    failed: agents.filter((agent) => agent.status === 'failed').length,
    outputTokens: report.usage.output,
    usd: report.cost.usd,
    costIsLowerBound: report.cost.isLowerBound,
    ...{ startedAt, lastActivityAt, durationMs: durationOf(report), isRead: true },
  };
}

function subjectOfDetail(detail: SessionDetail): QuerySubject {
  const { id, host, hostTitle, title, cwd, branch, status, startedAt, lastActivityAt, main } = detail;
  const agents = agentsOf(detail);
  return {
    ...{ host, hostTitle, status, marks: [id, ...(branch === null ? [] : [branch])] },
    ...(title !== null && { title }),
    folders: [...new Set([cwd, ...agents.map((agent) => agent.cwd)].filter((one) => one !== null))],
    ...(startedAt !== null && { startedAt: Date.parse(startedAt) }),
    ...(lastActivityAt !== null && { lastActivityAt: Date.parse(lastActivityAt) }),
    agents: agents.map((agent) => ({
      id: agent.id,
      names: [...new Set([agent.name, agent.description, agent.label].filter((one) => one !== null))],
      ...(agent.type !== null && { type: agent.type }),
      status: agent === main ? status : agent.status,
      models: agent.model === null ? [] : [agent.model],
    })),
  };
}

export function durationOf({ startedAt, lastActivityAt }: Pick<SessionReport, 'startedAt' | 'lastActivityAt'>) {
  return startedAt === null || lastActivityAt === null
    ? null
    : Math.max(0, Date.parse(lastActivityAt) - Date.parse(startedAt));
}

/** One that is not followed: from the index, or by its files. */
export function listEntryOfOlder({ id, modifiedAt, summary }: OlderSessionFiles): SessionListEntry {
  if (summary) return summary.entry;
  const lastActivityAt = isoTime(modifiedAt);
  const session: ListedSession = {
    ...{ id: nativeId(id), host: hostOf(id), hostTitle: null, project: null, branch: null, title: null },
    ...{ status: null, waitingOn: null, agents: null, running: 0, needsYou: 0, silent: 0, failed: 0 },
    ...{ outputTokens: null, usd: null, costIsLowerBound: false },
    ...{ startedAt: null, lastActivityAt, durationMs: null, isRead: false },
  };
  const subject: QuerySubject = {
    ...{ host: hostOf(id), folders: [], status: 'unknown', lastActivityAt: modifiedAt, agents: [] },
    marks: [nativeId(id)],
  };
  return { session, subject };
}

export interface SessionListFacts {
  readonly hosts?: readonly string[];
  readonly now: number;
  readonly dayOf: (at: number) => string;
}

/** `hosts`: those that exist. `now`: for times such as `after:3d`. `dayOf`: the date of a moment, where the person is. */
export function computeSessionList(
  all: readonly SessionListEntry[],
  request: SessionListRequest,
  { hosts, now, dayOf }: SessionListFacts,
): SessionListReport {
  const { host, project, state, sort, group, from, limit } = request;
  const projects = [...new Set(all.flatMap(({ session }) => session.project ?? []))];
  const { query, problem } = parseListQuery(request.query, hosts);
  const matching = all.filter(
    ({ session, subject }) =>
      (host === undefined || session.host === host) &&
      (project === undefined || session.project === project) &&
      (state === undefined || isInState(session, state)) &&
      (query === undefined || isBlank(query) || matchesSession(query, subject, now)),
  );
  const sorted = matching.map(({ session }) => session).sort(compareSessions(sort));
  const groups = groupSessions(sorted, group, dayOf);
  const inOrder = groups.flatMap(({ sessions }) => sessions);
  const at = request.at === undefined ? -1 : inOrder.findIndex(({ id }) => id === request.at);
  return {
    problem: problem ?? null,
    total: all.length,
    matching: matching.length,
    unread: all.filter(({ session }) => !session.isRead).length,
    hosts: [...new Set(all.map(({ session }) => session.host))].sort(),
    projects: projects.sort((a, b) => a.localeCompare(b)),
    groups: groups.map(({ kind, name, sessions }) => ({ kind, name, count: sessions.length })),
    at: at === -1 ? null : at,
    from,
    sessions: inOrder.slice(from, from + limit),
  };
}

function groupSessions(
  sorted: readonly ListedSession[],
  grouping: SessionGrouping,
  dayOf: SessionListFacts['dayOf'],
): readonly Group[] {
  if (grouping === 'none') return [{ kind: 'all', name: null, sessions: sorted }];
  if (grouping === 'day') return byDay(sorted, dayOf);
  return [...groupBy(sorted, (one) => one.project)].map(([name, sessions]) => ({ kind: 'project', name, sessions }));
}

function isBlank({ words, filters }: Query): boolean {
  return words.length === 0 && filters.length === 0;
}

/** Somebody in it works, or needs the person in order to. */
export function isListedBusy({ running, needsYou }: ListedSession): boolean {
  return running > 0 || needsYou > 0;
}

function isInState(session: ListedSession, state: SessionState): boolean {
  switch (state) {
    case 'at-work':
      return isListedBusy(session);
    case 'needs-you':
      return session.needsYou > 0;
    case 'silent':
      return session.silent > 0;
    case 'failed':
      return session.failed > 0;
    case 'done':
      return session.isRead && !isListedBusy(session);
  }
}

interface Group {
  readonly kind: SessionListGroup['kind'];
  readonly name: string | null;
  readonly sessions: readonly ListedSession[];
}

/** Sessions at work first, in the order of their beginning: so no row moves while it changes. Then the days, the last one first. */
function byDay(sorted: readonly ListedSession[], dayOf: (at: number) => string): readonly Group[] {
  const busy = sorted.filter(isListedBusy).sort((a, b) => compareTexts(a.startedAt, b.startedAt) || compareIds(a, b));
  const days = groupBy(
    sorted.filter((session) => !isListedBusy(session)),
    ({ lastActivityAt }) => (lastActivityAt === null ? null : dayOf(Date.parse(lastActivityAt))),
  );
  const inOrder = [...days].sort(([a], [b]) => compareTexts(b, a));
  return [
    ...(busy.length > 0 ? [{ kind: 'at-work' as const, name: null, sessions: busy }] : []),
    ...inOrder.map(([name, sessions]) => ({ kind: 'day' as const, name, sessions })),
  ];
}

type Sortable = Pick<ListedSession, 'id' | 'lastActivityAt' | 'usd' | 'agents' | 'durationMs' | 'outputTokens'>;

const VALUES: Readonly<Record<Exclude<SessionSort, 'time'>, (session: Sortable) => number | null>> = {
  cost: ({ usd }) => usd,
  agents: ({ agents }) => agents,
  duration: ({ durationMs }) => durationMs,
  tokens: ({ outputTokens }) => outputTokens,
};

/** The last active first, the dearest, and so on; what is not known comes last. */
export function compareSessions(sort: SessionSort): (a: Sortable, b: Sortable) => number {
  const byTime = (a: Sortable, b: Sortable): number =>
    compareTexts(b.lastActivityAt, a.lastActivityAt) || compareIds(a, b);
  if (sort === 'time') return byTime;
  const value = VALUES[sort];
  return (a, b) => (value(b) ?? -1) - (value(a) ?? -1) || byTime(a, b);
}

function compareTexts(a: string | null, b: string | null): number {
  const [left, right] = [a ?? '', b ?? ''];
  return left === right ? 0 : left < right ? -1 : 1;
}

function compareIds(a: Pick<ListedSession, 'id'>, b: Pick<ListedSession, 'id'>): number {
  return compareTexts(a.id, b.id);
}

/** Of a list that was computed whole: the part that is asked for. */
export function partOfList(whole: SessionListReport, { from, limit, at }: SessionListPart): SessionListReport {
  const place = at === undefined ? -1 : whole.sessions.findIndex(({ id }) => id === at);
  return {
    ...whole,
    at: place === -1 ? null : place,
    from,
    sessions: whole.sessions.slice(from, from + limit),
  };
}

/** 2026-11-15, by the clock of this machine. */
export function localDay(at: number): string {
  const date = new Date(at);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** `troupe prune --json`. */
export interface PruneReport {
  /** Of everything that was looked at. */
  readonly sessions: number;
  readonly files: number;
  readonly bytes: number;
  /** Largest first. */
  readonly groups: readonly PruneGroup[];
  /** Null: nothing was chosen. */
  readonly olderThan: string | null;
  readonly chosen: readonly (PruneSession & { readonly paths: readonly string[] })[];
  /** As old as those chosen, and not deleted. */
  readonly kept: readonly (PruneSession & { readonly reason: string })[];
  /** What was chosen is gone, but for `failed`. */
  readonly isDeleted: boolean;
  readonly failed: readonly { readonly path: string; readonly problem: string }[];
}

/** Sessions of one host and project in which something happened last this long ago. */
export interface PruneGroup {
  readonly host: string;
  readonly hostTitle: string;
  readonly project: string | null;
  readonly age: '7 days' | '30 days' | '90 days' | '1 year' | 'older';
  readonly sessions: number;
  readonly files: number;
  readonly bytes: number;
}

export interface PruneSession {
  readonly id: string;
  readonly host: string;
  readonly hostTitle: string;
  readonly root: string;
  readonly project: string | null;
  readonly title: string | null;
  readonly lastActivityAt: string | null;
  readonly files: number;
  readonly bytes: number;
}
