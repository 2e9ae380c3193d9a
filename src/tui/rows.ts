import { branchesOf } from '../cli/format/index.ts';
import {
  type AgentReport,
  agentKey,
  agentsOf,
  doingText,
  formatStatus,
  isBusy,
  isSessionBusy,
  type SessionDetail,
  type Sort,
  sessionKey,
  standingOf,
  typeText,
  type WatchView,
} from '../core/index.ts';

interface AnyRow {
  readonly key: string;
  readonly session: SessionDetail;
  readonly fold: 'open' | 'folded' | 'leaf';
  /** Rows that are not shown because this one is folded. */
  readonly inside: number;
}

export interface SessionRow extends AnyRow {
  readonly kind: 'session';
}

export interface AgentRow extends AnyRow {
  readonly kind: 'agent';
  readonly agent: AgentReport;
  readonly stem: string;
  /** Key of the row that it hangs below. */
  readonly parent: string;
}

export type WatchRow = SessionRow | AgentRow;

/** Everything that could be shown, from top to bottom: sessions, and below each its agents. */
export function rowsOf(sessions: readonly SessionDetail[], view: WatchView): readonly WatchRow[] {
  const byKey = new Map(sessions.map((session) => [sessionKey(session), session]));
  return view.sessions.flatMap((key) => {
    const session = byKey.get(key);
    return session ? sessionRows(session, view) : [];
  });
}

function sessionRows(session: SessionDetail, view: WatchView): readonly WatchRow[] {
  const visible = visibleAgents(session, view);
  if (visible.length === 0) return [];
  const key = sessionKey(session);
  const row = { kind: 'session', key, session } as const;
  // A session without sub-agents is one row: the heading speaks for its main agent.
  if (session.subagents.length === 0) return [{ ...row, fold: 'leaf', inside: 0 }];
  if (isFolded(key, view)) return [{ ...row, fold: 'folded', inside: visible.length }];
  return [{ ...row, fold: 'open', inside: 0 }, ...agentRows(session, visible, view)];
}

/** A filter looks into everything. */
function isFolded(key: string, { folded, resting, filter }: WatchView): boolean {
  return filter === '' && (folded.get(key) ?? resting.has(key));
}

function agentRows(session: SessionDetail, visible: readonly AgentReport[], view: WatchView): readonly AgentRow[] {
  const shown = new Set(visible.map(({ id }) => id));
  const parents = new Set(visible.map(({ parentId }) => parentId));
  /** Id of an agent → the folded one above it that is in sight. */
  const swallowedBy = new Map<string, string>();
  const inside = new Map<string, number>();
  const rows: AgentRow[] = [];
  for (const { agent, stem } of branchesOf(inOrder(visible, view), twigOf)) {
    const key = agentKey(agent);
    const parentId = agent.parentId !== null && shown.has(agent.parentId) ? agent.parentId : undefined;
    const above = parentId === undefined ? undefined : swallowedBy.get(parentId);
    if (above !== undefined) {
      swallowedBy.set(agent.id, above);
      inside.set(above, (inside.get(above) ?? 0) + 1);
      continue;
    }
    const fold = !parents.has(agent.id) ? 'leaf' : isFolded(key, view) ? 'folded' : 'open';
    if (fold === 'folded') swallowedBy.set(agent.id, agent.id);
    const parent = parentId === undefined ? sessionKey(session) : agentKey({ ...agent, id: parentId });
    rows.push({ kind: 'agent', key, session, agent, stem, fold, parent, inside: 0 });
  }
  return inside.size === 0 ? rows : rows.map((row) => ({ ...row, inside: inside.get(row.agent.id) ?? 0 }));
}

function inOrder(agents: readonly AgentReport[], { ranks }: WatchView): readonly AgentReport[] {
  if (ranks.size === 0) return agents;
  const rankOf = (agent: AgentReport): number =>
    agent.kind === 'main' ? -1 : (ranks.get(agentKey(agent)) ?? Number.MAX_SAFE_INTEGER);
  return [...agents].sort((a, b) => rankOf(a) - rankOf(b));
}

/** As sure as the line looks: solid is certain, dashed strong, dotted a guess. */
function twigOf({ evidence }: AgentReport, isLast: boolean): string {
  const line = evidence?.rank === 'strong' ? '╌' : evidence?.rank === 'guess' ? '┈' : '─';
  return `${isLast ? '└' : '├'}${line} `;
}

/** Agents that the view lets through, with all those above them: a tree without its trunk says nothing. */
function visibleAgents(session: SessionDetail, view: WatchView): readonly AgentReport[] {
  const agents = agentsOf(session);
  const isBusyOnly = view.hidesFinished;
  const words = view.filter.toLowerCase().match(/\S+/g) ?? [];
  if (!isBusyOnly && words.length === 0) return agents;
  const { id, host, project, title, branch } = session;
  const around = [id, host, project, title, branch].join('\n');
  // Every word must be there, in any order.
  const isHit = (agent: AgentReport): boolean => {
    if (isBusyOnly && !isBusy(agent)) return false;
    const text = words.length === 0 ? '' : `${agentText(agent)}\n${around}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return withAncestors(agents, agents.filter(isHit));
}

function agentText(agent: AgentReport): string {
  const { id, label, name, description, model, kind } = agent;
  const said = [standingOf(agent), formatStatus(agent), typeText(agent), doingText(agent)];
  return [id, label, name, description, model, kind, ...said].join('\n');
}

function withAncestors(agents: readonly AgentReport[], hits: readonly AgentReport[]): readonly AgentReport[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const kept = new Set<AgentReport>();
  for (const hit of hits) {
    let at: AgentReport | undefined = hit;
    while (at && !kept.has(at)) {
      kept.add(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
  }
  return agents.filter((agent) => kept.has(agent));
}

/** Keys of the sessions as they should stand now: at work first, then the most recent; or by what was asked for. */
export function sortSessions(sessions: readonly SessionDetail[], sort: Sort): readonly string[] {
  const busy = new Set(sort === 'tree' ? sessions.filter(isSessionBusy) : []);
  const amountOf = (session: SessionDetail): number => amountBy(session, session.usage.output, sort);
  return [...sessions]
    .sort((a, b) => Number(busy.has(b)) - Number(busy.has(a)) || amountOf(b) - amountOf(a))
    .map(sessionKey);
}

/** The place of each agent among its siblings, most first. In the order of the tree nobody needs one. */
export function rankAgents(sessions: readonly SessionDetail[], sort: Sort): ReadonlyMap<string, number> {
  if (sort === 'tree') return new Map();
  const amountOf = (agent: AgentReport): number => amountBy(agent, agent.subtreeUsage.output, sort);
  const sorted = sessions.flatMap(agentsOf).sort((a, b) => amountOf(b) - amountOf(a));
  return new Map(sorted.map((agent, rank) => [agentKey(agent), rank]));
}

/** One that is still at work has been so until its last word: how long ago that was says another column. */
function amountBy(one: Pick<AgentReport, 'startedAt' | 'lastActivityAt'>, output: number, sort: Sort): number {
  if (sort === 'tokens') return output;
  const last = instant(one.lastActivityAt);
  if (sort !== 'time') return last;
  return one.startedAt === null ? 0 : last - instant(one.startedAt);
}

function instant(iso: string | null): number {
  return iso === null ? 0 : Date.parse(iso);
}
