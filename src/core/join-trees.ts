// Sessions that were started by agents of other sessions: which, by what evidence, and one tree of all of them.

import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { countDiagnostics, type SessionStarter } from './events.ts';
import {
  type AgentId,
  hostOf,
  mainAgentOf,
  nativeId,
  type SessionId,
  type SourceId,
  type ToolCallId,
  toAgentId,
  toSessionId,
  toToolCallId,
} from './ids.ts';
import type { SessionLedger } from './ledger.ts';
import type { AgentNode, PrintedSession, SessionTree } from './tree.ts';
import { addByModel, addUsage } from './usage.ts';

export interface JoinedTrees {
  /** Without those that stand in another one, in the order in which they were given. */
  readonly trees: readonly SessionTree[];
  /** Sessions that stand in the tree of another one, and right below which. */
  readonly within: ReadonlyMap<SessionId, SessionId>;
  /** A session with all that its agents started, also where it stands in another one's tree itself. */
  of(id: SessionId): SessionTree | undefined;
}

/** One tree across sessions and hosts: what a command started stands below the agent whose command it was, and nowhere else. */
export function joinTrees(trees: readonly SessionTree[]): JoinedTrees {
  const links = linkSessions(trees);
  const byId = new Map(trees.map((tree) => [tree.id, tree]));
  const leads = findLeads(trees);
  if (links.size + leads.size === 0) return { trees, within: new Map(), of: (id) => byId.get(id) };
  const startedIn = groupBy(links, ([, { session }]) => session);
  const joined = new Map<SessionId, SessionTree>();
  const of = (id: SessionId): SessionTree | undefined => {
    const tree = byId.get(id);
    if (!tree || joined.has(id)) return joined.get(id) ?? tree;
    const whole = (startedIn.get(id) ?? []).reduce((above, [inner, link]) => {
      const below = of(inner);
      return below ? graft(above, below, link) : above;
    }, tree);
    joined.set(id, whole);
    return whole;
  };
  return {
    trees: trees.filter(({ id }) => !links.has(id) && !leads.has(id)).flatMap(({ id }) => of(id) ?? []),
    within: new Map([...leads, ...[...links].map(([id, { session }]) => [id, session] as const)]),
    of,
  };
}

/** Sessions whose whole conversation is that of an agent in another one, as a teammate's in a terminal of its own. */
function findLeads(trees: readonly SessionTree[]): ReadonlyMap<SessionId, SessionId> {
  const leadOf = new Map<SourceId, SessionId>();
  for (const { id, agents } of trees)
    for (const { kind, sources } of agents)
      if (kind === 'teammate') for (const source of sources) leadOf.set(source, id);
  if (leadOf.size === 0) return new Map();
  return new Map(
    trees.flatMap(({ id, agents }) => {
      const { sources = [] } = agents.find((agent) => agent.id === mainAgentOf(id)) ?? {};
      const lead = sources.length > 0 ? leadOf.get(sources[0] as SourceId) : undefined;
      return lead === undefined || lead === id ? [] : [[id, lead] as const];
    }),
  );
}

/** Whose facts a node of a joined tree was made from. */
export function ledgerFor(
  { session }: AgentNode,
  { ledger, joined }: { readonly ledger: SessionLedger; readonly joined?: ReadonlyMap<SessionId, SessionLedger> },
): SessionLedger {
  return (session === undefined ? undefined : joined?.get(session)) ?? ledger;
}

function graft(tree: SessionTree, inner: SessionTree, link: SessionLink): SessionTree {
  const parent = tree.agents.find(({ id }) => id === link.agent);
  const root = inner.agents.find(({ id }) => id === mainAgentOf(inner.id));
  if (!parent || !root) return tree;
  const under = parent.depth === undefined ? undefined : parent.depth + 1;
  const below = inner.agents.map((node): AgentNode => {
    const { depth: own, ...rest } = node.id === root.id ? asStarted(root, inner, link) : node;
    const depth = own === undefined || under === undefined ? undefined : own + under;
    return { ...rest, session: node.session ?? inner.id, ...known({ depth }) };
  });
  const agents = withTotals(tree.agents, parent.id, root);
  const at = placeFor(agents, parent.id, root.startedAt ?? 0);
  const ends = [tree.lastActivityAt ?? 0, inner.lastActivityAt ?? 0];
  const { isEmpty: _isEmpty, ...above } = tree;
  return {
    ...above,
    agents: [...agents.slice(0, at), ...below, ...agents.slice(at)],
    diagnostics: countDiagnostics([...tree.diagnostics, ...inner.diagnostics]),
    ...(inner.unattributed && { unattributed: [...(tree.unattributed ?? []), ...inner.unattributed] }),
    ...(inner.hostTotals && { hostTotals: addByModel(tree.hostTotals ?? [], inner.hostTotals) }),
    ...(inner.hasUncounted && { hasUncounted: true }),
    ...known({ lastActivityAt: Math.max(...ends) || undefined }),
  };
}

/** A main agent that was started by a command is somebody's, and is done when the command is. */
function asStarted(root: AgentNode, inner: SessionTree, link: SessionLink): AgentNode {
  const { call, evidence, endedAt } = link;
  const title = inner.titleKind === 'prompt' ? undefined : inner.title;
  const started: AgentNode = {
    ...root,
    kind: 'session',
    link: { parent: link.agent, rank: 'exact', evidence, candidates: [], ...known({ call }) },
    ...known({ description: root.description ?? title }),
  };
  if (root.status !== 'waiting' || root.waitingOn !== 'input' || endedAt === undefined) return started;
  const { waitingOn: _waitingOn, ...rest } = started;
  const end = { status: 'completed', signal: 'result' } as const;
  const last = root.runs.at(-1);
  return {
    ...rest,
    status: end.status,
    activity: 'done',
    completedAt: endedAt,
    changes: [...root.changes, { ...end, at: endedAt }],
    runs: last ? [...root.runs.slice(0, -1), { ...last, ...end, endedAt }] : [],
  };
}

/** All that it used counts for everybody above it, once. */
function withTotals(agents: readonly AgentNode[], parent: AgentId, root: AgentNode): readonly AgentNode[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const above = new Set<AgentId>();
  for (let at: AgentId | undefined = parent; at !== undefined && !above.has(at); at = byId.get(at)?.link.parent)
    above.add(at);
  return agents.map((agent) =>
    above.has(agent.id)
      ? {
          ...agent,
          subtreeUsage: addUsage(agent.subtreeUsage, root.subtreeUsage),
          subtreeByModel: addByModel(agent.subtreeByModel, root.subtreeByModel),
          subtreeIsLowerBound: agent.subtreeIsLowerBound || root.subtreeIsLowerBound,
        }
      : agent,
  );
}

/** Among the children of its parent, by when it began; behind everything that is below the child before it. */
function placeFor(agents: readonly AgentNode[], parent: AgentId, startedAt: number): number {
  const below = new Set([parent]);
  let at = agents.findIndex(({ id }) => id === parent) + 1;
  for (let next = agents[at]; next?.link.parent !== undefined && below.has(next.link.parent); next = agents[at]) {
    if (next.link.parent === parent && (next.startedAt ?? 0) > startedAt) break;
    below.add(next.id);
    at++;
  }
  return at;
}

/** A session that a command of an agent, of this or another host, started, or that goes on from one. */
interface SessionLink {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly call?: ToolCallId;
  readonly evidence: 'environment' | 'printed' | 'continued';
  /** When the command was over. */
  readonly endedAt?: number;
}

/** Sessions that may stand in the tree of this one. */
export function namedBelow({ printed = [], started = [] }: SessionTree): readonly SessionId[] {
  return [...new Set([...printed.map(({ session }) => session), ...started])];
}

/** Hosts round the times they write. */
const SLACK_MS = 1_000;

/**
 * Which sessions were started by agents of others, by exact evidence only; the parent of each is among `trees`. Nothing is
 * linked by time: time only speaks against a link, for a command that prints the id of an older session did not start it.
 */
export function linkSessions(trees: readonly SessionTree[]): ReadonlyMap<SessionId, SessionLink> {
  const links = new Map<SessionId, SessionLink>();
  // Nearly always.
  if (trees.every(({ printed, begunBy }) => !printed && !begunBy)) return links;
  const byId = new Map(trees.map((tree) => [tree.id, tree]));
  const claims = groupBy(
    trees.flatMap((tree) => (tree.printed ?? []).map((claim) => ({ ...claim, by: tree }))),
    ({ session }) => session,
  );
  for (const tree of trees.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    // What troupe started itself, it knows. A program in between that troupe does not guard hands on what it was told
    // itself: what was printed is nearer.
    const candidates = [
      ...byRecord(tree, 'continued'),
      ...byPrint(tree, claims.get(tree.id) ?? []),
      ...byRecord(tree, 'environment'),
    ];
    const link = candidates.find(
      (one) => mayHaveStarted(byId.get(one.session), one, tree) && !isBelow(one.session, tree.id, links),
    );
    if (link) links.set(tree.id, link);
  }
  return links;
}

type Claim = PrintedSession & { readonly by: SessionTree };

/**
 * The command that was asked for last is the nearest: the output of one inside it stands in its own. A fork of a session repeats
 * its lines, with the same calls: the older one made them.
 */
function byPrint(tree: SessionTree, claims: readonly Claim[]): readonly SessionLink[] {
  return claims
    .filter((claim) => claim.by.id !== tree.id && beganDuring(tree, claim))
    .sort(
      (a, b) =>
        (b.askedAt ?? 0) - (a.askedAt ?? 0) ||
        Number(a.by.forkedFrom !== undefined) - Number(b.by.forkedFrom !== undefined) ||
        (a.by.startedAt ?? 0) - (b.by.startedAt ?? 0) ||
        (`${a.by.id} ${a.call}` < `${b.by.id} ${b.call}` ? -1 : 1),
    )
    .map(({ by, agent, call, endedAt }) => ({
      session: by.id,
      agent,
      call,
      evidence: 'printed',
      ...known({ endedAt }),
    }));
}

function beganDuring({ startedAt }: SessionTree, { askedAt, endedAt }: PrintedSession): boolean {
  if (startedAt === undefined || askedAt === undefined) return false;
  return startedAt >= askedAt - SLACK_MS && (endedAt === undefined || startedAt <= endedAt + SLACK_MS);
}

function byRecord({ id, begunBy = [] }: SessionTree, evidence: 'continued' | 'environment'): readonly SessionLink[] {
  return begunBy
    .filter(({ session, isContinued = false }) => isContinued === (evidence === 'continued') && session !== id)
    .map(({ session, agent, call }) => ({ session, agent, evidence, ...known({ call }) }));
}

/**
 * It is there, and was before: whoever takes up an older session again did not start it. A copy of a session that goes on from one
 * of its agents is as old as the session, and was started all the same.
 */
function mayHaveStarted(
  tree: SessionTree | undefined,
  { agent: id, evidence }: SessionLink,
  started: SessionTree,
): boolean {
  const agent = tree?.agents.find((one) => one.id === id);
  if (evidence === 'continued') return agent !== undefined;
  return agent !== undefined && (agent.startedAt ?? 0) - SLACK_MS <= (started.startedAt ?? Number.POSITIVE_INFINITY);
}

function isBelow(id: SessionId, above: SessionId, links: ReadonlyMap<SessionId, SessionLink>): boolean {
  for (let at: SessionId | undefined = id; at !== undefined; at = links.get(at)?.session) if (at === above) return true;
  return false;
}

const WORD = '[\\w.@-]+';
/** `TROUPE_PARENT`, as guard/identity.ts writes it: `claude-code:SESSION:AGENT`, plus `:CALL` if the host numbers its calls. */
const STARTER = new RegExp(`^([a-z0-9-]+):(${WORD}):(${WORD})(?::(${WORD}))?$`);

/** What `parseStartedBy` reads; undefined where an id of it could not be read back. */
export function formatStartedBy(session: SessionId, agent: AgentId): string | undefined {
  const text = [hostOf(session), nativeId(session), nativeId(agent)].join(':');
  return STARTER.test(text) ? text : undefined;
}

/** The agent that an environment names as the one that started a program. */
export function parseStartedBy(text: string): SessionStarter | undefined {
  const [, host = '', session, agent, call] = STARTER.exec(text) ?? [];
  if (session === undefined || agent === undefined) return undefined;
  return {
    session: toSessionId(host, session),
    agent: toAgentId(host, agent),
    ...known({ call: call === undefined ? undefined : toToolCallId(call) }),
  };
}
