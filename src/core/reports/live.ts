// The JSON of the live feed (docs/API.md), and how a client keeps up with it. The names are a contract: add, never rename.

import { groupBy } from '../../lib/group.ts';
import { isEqual, known } from '../../lib/json.ts';
import { assertFound } from '../../lib/user-error.ts';
import { type ApprovalRequest, withApproval } from '../approval.ts';
import { hostOf, nativeId } from '../ids.ts';
import type { LiveListing } from '../ports.ts';
import { type Activity, type AgentStatus, type BudgetAlert, isBusy, needsPerson, type SessionTree } from '../tree.ts';
import type { HeardCall } from './audit.ts';
import type { AgentReport, DiagnosticsReport, SessionReport } from './shapes.ts';
import { addKnown, computeNeed, computeTree, isoTime, projectOf } from './tree.ts';

/** A session with what its main agent is doing, without its agents. */
export interface LiveSessionReport extends SessionReport {
  readonly activity: Activity;
  readonly currentTool: string | null;
  readonly currentToolSummary: string | null;
  /** Budgets that are nearly used up, or used up; left out if there are none. */
  readonly budgetAlerts?: readonly BudgetAlert[];
}

/** A session with its agents. */
export interface SessionDetail extends LiveSessionReport {
  readonly main: AgentReport;
  /** In the order of the tree: children behind their parent, as they were asked for; orphans last. */
  readonly subagents: readonly AgentReport[];
  readonly diagnostics: DiagnosticsReport;
}

/** A session from before the window: listed, not followed. */
export interface OlderSession {
  readonly id: string;
  readonly host: string;
  /** Of its last line, or else of its newest file. */
  readonly modifiedAt: string | null;
  readonly files: number;
  /** From the index; null if it was not read yet, as all that follows. */
  readonly project: string | null;
  readonly title: string | null;
  readonly status: AgentStatus | null;
  readonly agents: number | null;
}

/** Sessions that are not read, and how far reading the others has come. */
export interface ListingChange {
  /** Newest first; the first few hundred. */
  readonly older: readonly OlderSession[];
  /** How many older sessions there are in all. */
  readonly olderTotal: number;
  /** Sessions without a conversation, which are not listed. */
  readonly emptySessions: number;
  /** Files in the places looked at that no adapter knows. */
  readonly ignoredFiles: number;
  /** false: sessions are still being read for the first time. */
  readonly isComplete: boolean;
  /** What hinders following, in words: the system's limit of file watches is reached. */
  readonly notices: readonly string[];
}

/** Everything that is followed, at one moment. */
export interface LiveSnapshot extends ListingChange {
  /** Last active first. */
  readonly sessions: readonly SessionDetail[];
  /** Where is looked. */
  readonly places: readonly string[];
  /** Calls that wait for a person's answer, and the last few that did; oldest first. None where no server holds them. */
  readonly asks: readonly ApprovalRequest[];
}

/** What became different in one session. What is left as it was is null or not listed. */
export interface SessionChange {
  readonly sessionId: string;
  readonly host: string;
  readonly session: LiveSessionReport | null;
  /** New or changed, whole; the main agent, too. */
  readonly agents: readonly AgentReport[];
  /** Ids of agents that are none any more. */
  readonly removed: readonly string[];
  /** Ids of all its agents, main first, where who is there or their order changed. */
  readonly order: readonly string[] | null;
  readonly diagnostics: DiagnosticsReport | null;
  /** Files that were read on, whether or not it changed anything else. */
  readonly sources: readonly SourceProgressReport[];
}

export interface SourceProgressReport {
  /** As in `transcripts` of an agent. */
  readonly source: string;
  /** Its agent; null where it is nobody's own. */
  readonly agentId: string | null;
  /** Read so far, a torn last line not counted. */
  readonly bytes: number;
}

/** A session that is not followed any more: its files are gone, or it has become one of the older ones. */
export interface SessionGone {
  readonly sessionId: string;
  readonly host: string;
}

export type LiveEvent =
  | { readonly type: 'snapshot'; readonly data: LiveSnapshot }
  | { readonly type: 'change'; readonly data: SessionChange }
  | { readonly type: 'gone'; readonly data: SessionGone }
  | { readonly type: 'listing'; readonly data: ListingChange }
  | { readonly type: 'ask'; readonly data: ApprovalRequest };

/** What the server's stream has beside the feed. */
export interface AuditEvent {
  readonly type: 'audit';
  readonly data: HeardCall;
}

/** One session with its agents: `/api/sessions/:id`, and each session of a snapshot. */
export function computeDetail(tree: SessionTree, options: { readonly internal: boolean }): SessionDetail {
  const { session, agents, diagnostics } = computeTree({ tree, ignoredFiles: 0 }, options);
  const [first, ...subagents] = agents;
  const main = assertFound(first, 'a tree has a main agent');
  const { activity, currentTool, currentToolSummary } = main;
  const alerts = known({ budgetAlerts: tree.budgetAlerts });
  return { ...session, activity, currentTool, currentToolSummary, ...alerts, main, subagents, diagnostics };
}

/** The list goes to every client whenever it changes: of thousands, the newest. */
const SHOWN = 1_000;

export function computeListing({
  older,
  emptySessions,
  ignoredFiles,
  isComplete,
  notices,
}: LiveListing): ListingChange {
  return {
    older: older.slice(0, SHOWN).map(({ id, modifiedAt, files, summary }) => ({
      id: nativeId(id),
      host: hostOf(id),
      modifiedAt: isoTime(modifiedAt),
      files,
      project: projectOf(summary?.cwd),
      title: summary?.title ?? null,
      status: summary?.status ?? null,
      agents: summary?.agents ?? null,
    })),
    olderTotal: older.length,
    emptySessions,
    ignoredFiles,
    isComplete,
    notices,
  };
}

/**
 * What is different between two pictures of a session; all of it, where there was none before. Nothing where nothing is
 * different and no file was read on.
 */
export function computeChange(
  before: SessionDetail | undefined,
  after: SessionDetail,
  sources: readonly SourceProgressReport[] = [],
): SessionChange | undefined {
  const old = agentsById(before);
  const now = agentsOf(after);
  const agents = now.filter((agent) => !isEqual(old.get(agent.id), agent));
  const order = now.map(({ id }) => id);
  const isSameOrder = order.length === old.size && [...old.keys()].every((id, index) => id === order[index]);
  const there = new Set(order);
  const change: SessionChange = {
    sessionId: after.id,
    host: after.host,
    session: before && isEqual(sessionOnly(before), sessionOnly(after)) ? null : sessionOnly(after),
    agents,
    removed: [...old.keys()].filter((id) => !there.has(id)),
    order: isSameOrder ? null : order,
    diagnostics: before && isEqual(before.diagnostics, after.diagnostics) ? null : after.diagnostics,
    sources,
  };
  const isNews = change.session || agents.length > 0 || !isSameOrder || change.diagnostics || change.sources.length > 0;
  return isNews ? change : undefined;
}

/** Without its agents. */
export function sessionOnly(detail: SessionDetail): LiveSessionReport {
  const { main: _main, subagents: _subagents, diagnostics: _diagnostics, ...session } = detail;
  return session;
}

/** Before anything was read. */
export const NO_SESSIONS: LiveSnapshot = {
  sessions: [],
  older: [],
  olderTotal: 0,
  emptySessions: 0,
  ignoredFiles: 0,
  places: [],
  isComplete: false,
  notices: [],
  asks: [],
};

/** The picture after an event: how a client of the feed keeps up. What did not change is the same object as before. */
export function applyEvent(picture: LiveSnapshot = NO_SESSIONS, event: LiveEvent): LiveSnapshot {
  switch (event.type) {
    case 'snapshot':
      return event.data;
    case 'listing':
      return { ...picture, ...event.data };
    case 'gone':
      return { ...picture, sessions: picture.sessions.filter((session) => !isSame(session, event.data)) };
    case 'change':
      return { ...picture, sessions: withChange(picture.sessions, event.data) };
    case 'ask':
      return { ...picture, asks: withApproval(picture.asks, event.data) };
  }
}

function isSame(session: SessionDetail, { sessionId, host }: { readonly sessionId: string; readonly host: string }) {
  return session.id === sessionId && session.host === host;
}

function withChange(sessions: readonly SessionDetail[], change: SessionChange): readonly SessionDetail[] {
  const known = sessions.find((session) => isSame(session, change));
  const changed = changeSession(known, change);
  if (!changed) return sessions;
  return known ? sessions.map((session) => (session === known ? changed : session)) : [changed, ...sessions];
}

function changeSession(known: SessionDetail | undefined, change: SessionChange): SessionDetail | undefined {
  const agents = agentsById(known);
  for (const agent of change.agents) agents.set(agent.id, agent);
  for (const id of change.removed) agents.delete(id);
  const inOrder = change.order ? change.order.flatMap((id) => agents.get(id) ?? []) : [...agents.values()];
  const [main, ...subagents] = inOrder;
  const session = change.session ?? known;
  const diagnostics = change.diagnostics ?? known?.diagnostics;
  // A change of a session that we never heard of carries all of it.
  return session && main && diagnostics && { ...known, ...session, main, subagents, diagnostics };
}

/**
 * The picture as people are to see it: whose call waits for an answer waits for the person. What hosts write does not say so;
 * the ask does. Sessions without asks are the very same objects, and those with the same asks as before stay the same, too.
 */
export function markPendingApprovals(picture: LiveSnapshot): LiveSnapshot {
  const open = picture.asks.filter(({ end, agent }) => end === null && agent.id !== null);
  if (open.length === 0) return picture;
  const asking = groupBy(open, ({ host, session }) => `${host} ${session}`);
  const sessions = picture.sessions.map((session) => {
    // Hooks of a session that stands in this one's tree name that one.
    const started = session.subagents.filter(({ kind }) => kind === 'session');
    const asks = [session, ...started].flatMap(({ host, id }) => asking.get(`${host} ${id}`) ?? []);
    return asks.length > 0 ? markIn(session, new Set(asks.flatMap(({ agent }) => agent.id ?? []))) : session;
  });
  return { ...picture, sessions };
}

const marked = new WeakMap<SessionDetail, { readonly ids: string; readonly session: SessionDetail }>();

function markIn(session: SessionDetail, ids: ReadonlySet<string>): SessionDetail {
  const known = marked.get(session);
  const key = [...ids].sort().join(' ');
  if (known?.ids === key) return known.session;
  const mark = (agent: AgentReport): AgentReport =>
    ids.has(agent.id)
      ? { ...agent, status: 'waiting', waitingOn: 'permission', activity: 'waiting', stalled: false }
      : agent;
  const main = mark(session.main);
  const subagents = session.subagents.map(mark);
  const next = { ...session, main, subagents, ...countAgents([main, ...subagents]) };
  marked.set(session, { ids: key, session: next });
  return next;
}

/** Of a session whose agents are shown otherwise than its files say: a call of one waits, or a moment of the past is replayed. */
export function countAgents(
  all: readonly AgentReport[],
): Pick<SessionReport, 'agents' | 'running' | 'needsYou' | 'toolCallCount'> {
  const agents = all.filter(({ kind }) => kind !== 'internal');
  return {
    agents: agents.length,
    running: agents.filter(isBusy).length,
    toolCallCount: addKnown(agents.map(({ toolCallCount }) => toolCallCount)),
    needsYou: agents.filter(needsPerson).map(computeNeed),
  };
}

export function sessionKey({ host, id }: Pick<SessionDetail, 'host' | 'id'>): string {
  return `${host}:${id}`;
}

/** Agents of several hosts may stand in the tree of one session. */
export function agentKey({ sessionId, id }: Pick<AgentReport, 'sessionId' | 'id'>): string {
  return `${sessionId}/${id}`;
}

/** Main first. */
export function agentsOf({ main, subagents }: SessionDetail): readonly AgentReport[] {
  return [main, ...subagents];
}

function agentsById(session: SessionDetail | undefined): Map<string, AgentReport> {
  return new Map((session ? agentsOf(session) : []).map((agent) => [agent.id, agent]));
}
