import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { countDiagnostics } from './diagnostic.ts';
import { type AgentId, mainAgentOf, type SessionId } from './ids.ts';
import type { SessionLedger } from './ledger.ts';
import { linkSessions, type SessionLink } from './link-sessions.ts';
import type { AgentNode, SessionTree } from './tree.ts';
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
  if (links.size === 0) return { trees, within: new Map(), of: (id) => byId.get(id) };
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
    trees: trees.filter(({ id }) => !links.has(id)).flatMap(({ id }) => of(id) ?? []),
    within: new Map([...links].map(([id, { session }]) => [id, session])),
    of,
  };
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
  return {
    ...tree,
    agents: [...agents.slice(0, at), ...below, ...agents.slice(at)],
    diagnostics: countDiagnostics([...tree.diagnostics, ...inner.diagnostics]),
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
