import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { buildAgent } from './build-agent.ts';
import { countDiagnostics, type Diagnostic } from './diagnostic.ts';
import type { TitleKind } from './event.ts';
import { type AgentId, mainAgentOf, nativeId } from './ids.ts';
import { type AgentRecord, createAgentRecord, type SessionLedger } from './ledger.ts';
import { type Links, resolveLinks } from './link.ts';
import { type Own, ownOf } from './own.ts';
import { createOwnerOf, type OwnerOf } from './owner.ts';
import { realAgents } from './real-agents.ts';
import { lifeOf } from './session-life.ts';
import type { AgentNode, BuildOptions, PrintedSession, SessionTree } from './tree.ts';
import { addByModel, addUsage, NO_USAGE, type Usage } from './usage.ts';

/** The tree of one session as its facts stand. Pure: the same ledger and the same `now` give the same tree. */
export function buildTree(ledger: SessionLedger, options: BuildOptions): SessionTree {
  const main = mainAgentOf(ledger.id);
  const ownerOf = createOwnerOf(ledger);
  const real = realAgents(ledger);
  const life = lifeOf(ledger, options.now);
  const links = resolveLinks(ledger, real, ownerOf, life.alive);
  const records = real.filter(({ id }) => id === main || links.of.has(id));
  const order = spawnOrder(ledger, main, records, links);
  const own = (agent: AgentRecord): Own => ownOf(agent, ledger, ownerOf);

  const asker = life.alive && life.process?.state === 'waiting' ? askerOf(ledger, main, own) : undefined;
  // Children first: whether a parent waits depends on whether a child is at work.
  const built = new Map<AgentId, AgentNode>();
  const childrenOf = groupBy(order, ({ id }) => links.of.get(id)?.parent);
  for (const { id, depth } of order.toReversed()) {
    const children = (childrenOf.get(id) ?? []).map((child) => built.get(child.id));
    const record = ledger.agents.get(id) ?? createAgentRecord(id);
    const node = buildAgent(record, {
      ledger,
      main,
      life,
      own: own(record),
      link: links.of.get(id) ?? { rank: 'none', candidates: [] },
      depth,
      children: children.filter((child) => child !== undefined),
      others: id === main ? [...built.values()] : [],
      asker,
      options,
    });
    built.set(id, node);
  }
  const agents = withSubtrees(order.flatMap(({ id }) => built.get(id) ?? []));
  return {
    id: ledger.id,
    agents,
    diagnostics: countDiagnostics([
      ...ledger.problems.values(),
      ...[...links.problems, ...missingTranscripts(agents, main)].map((found) => ({ count: 1, examples: [found] })),
    ]),
    ...sessionFields(ledger, agents),
    ...startsOf(ledger, ownerOf),
  };
}

/**
 * The process asks one thing at a time, and does not say for whom: for the agent of whom a hook said so, else for the only
 * one in the middle of a call, else for main.
 */
function askerOf(ledger: SessionLedger, main: AgentId, own: (agent: AgentRecord) => Own): AgentId {
  const asking = [...ledger.agents.values()].filter(
    ({ askedAt, lastAt = 0 }) => askedAt !== undefined && askedAt >= lastAt,
  );
  const last = asking.toSorted((a, b) => (b.askedAt ?? 0) - (a.askedAt ?? 0) || (a.id < b.id ? -1 : 1))[0];
  if (last) return last.id;
  const busy = [...ledger.agents.values()].filter((agent) => own(agent).openCalls.some((call) => !call.spawn));
  return (busy.length === 1 ? busy[0]?.id : undefined) ?? main;
}

interface Place {
  readonly id: AgentId;
  readonly depth?: number;
}

function spawnOrder(ledger: SessionLedger, main: AgentId, records: readonly AgentRecord[], links: Links): Place[] {
  const ids = new Set(records.map((agent) => agent.id));
  // The call's place; the agents of one run of a workflow share theirs, and follow each other as they began.
  const when = (id: AgentId): readonly number[] => {
    const call = links.of.get(id)?.call;
    const asked = call === undefined ? undefined : ledger.calls.get(call)?.started;
    const startedAt = ledger.agents.get(id)?.startedAt ?? 0;
    return [asked?.at || startedAt, asked?.origin.offset ?? 0, startedAt];
  };
  const inOrder = [...ids]
    .map((id) => ({ id, when: when(id) }))
    .sort((a, b) => compareInTurn(a.when, b.when) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
  const children = groupBy(inOrder, (id) => {
    const parent = links.of.get(id)?.parent;
    return parent === main || (parent !== undefined && ids.has(parent)) ? parent : undefined;
  });
  const places: Place[] = [];
  // By hand, not by recursion: hostile sidecars can nest ten thousand deep.
  const visit = (id: AgentId, depth: number | undefined): void => {
    const stack: Place[] = [{ id, ...known({ depth }) }];
    for (let place = stack.pop(); place; place = stack.pop()) {
      places.push(place);
      const below = place.depth === undefined ? undefined : place.depth + 1;
      for (const child of (children.get(place.id) ?? []).toReversed())
        stack.push({ id: child, ...known({ depth: below }) });
    }
  };
  visit(main, 0);
  for (const orphan of children.get(undefined) ?? []) {
    if (orphan !== main) visit(orphan, ledger.agents.get(orphan)?.depth?.value);
  }
  return places;
}

function compareInTurn(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0);
  return 0;
}

function withSubtrees(agents: readonly AgentNode[]): readonly AgentNode[] {
  const totals = new Map(
    agents.map(({ id, subtreeUsage, subtreeByModel, usageIsLowerBound }) => [
      id,
      { subtreeUsage, subtreeByModel, subtreeIsLowerBound: usageIsLowerBound },
    ]),
  );
  for (const { id, link } of agents.toReversed()) {
    const total = totals.get(id);
    const above = link.parent === undefined ? undefined : totals.get(link.parent);
    if (!total || !above) continue;
    above.subtreeUsage = addUsage(above.subtreeUsage, total.subtreeUsage);
    above.subtreeByModel = addByModel(above.subtreeByModel, total.subtreeByModel);
    above.subtreeIsLowerBound ||= total.subtreeIsLowerBound;
  }
  return agents.map((agent) => ({ ...agent, ...totals.get(agent.id) }));
}

const TITLES: readonly TitleKind[] = ['custom', 'generated', 'prompt'];

function sessionFields(ledger: SessionLedger, agents: readonly AgentNode[]): Partial<SessionTree> {
  const titleKind = TITLES.find((kind) => ledger.titles.has(kind));
  const starts = agents.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = agents.flatMap(({ lastActivityAt }) => lastActivityAt ?? []);
  return known({
    titleKind,
    title: titleKind && ledger.titles.get(titleKind)?.value,
    cwd: ledger.cwd?.value,
    branch: ledger.branch?.value,
    hostTitle: ledger.hostTitle,
    hostVersion: ledger.hostVersion?.value,
    forkedFrom: ledger.forkedFrom,
    inheritedUsage: ledger.forkedFrom && inheritedUsage(ledger),
    startedAt: starts.length === 0 ? undefined : starts.reduce((a, b) => Math.min(a, b)),
    lastActivityAt: ends.length === 0 ? undefined : ends.reduce((a, b) => Math.max(a, b)),
  });
}

/** Which sessions its commands started, and which agent's command started it. What they come to, `link-sessions.ts` decides. */
function startsOf(ledger: SessionLedger, ownerOf: OwnerOf): Pick<SessionTree, 'printed' | 'started' | 'begunBy'> {
  const printed = [...(ledger.printed?.values() ?? [])].flatMap(({ session, call }): readonly PrintedSession[] => {
    const { agents, started, ended } = ledger.calls.get(call) ?? {};
    const agent = agents && ownerOf(agents);
    if (agent === undefined) return [];
    return [{ session, call, agent, ...known({ askedAt: started?.at || undefined, endedAt: ended?.at || undefined }) }];
  });
  const begunBy = [...(ledger.begunBy ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, by]) => by);
  return {
    ...(printed.length > 0 && { printed: printed.sort((a, b) => (a.call < b.call ? -1 : a.call > b.call ? 1 : 0)) }),
    ...(ledger.started && { started: [...ledger.started].sort() }),
    ...(begunBy.length > 0 && { begunBy }),
  };
}

function inheritedUsage(ledger: SessionLedger): Usage {
  const copied = [...ledger.inherited].flatMap((id) => ledger.messages.get(id)?.usage ?? []);
  return copied.reduce(addUsage, NO_USAGE);
}

function missingTranscripts(agents: readonly AgentNode[], main: AgentId): readonly Diagnostic[] {
  return (
    agents
      .filter(({ messageCount, status }) => messageCount === undefined && status !== 'spawning')
      // A session that has only begun holds no conversation yet; one with agents had one.
      .filter(({ id }) => id !== main || agents.length > 1)
      .map((agent) => ({ code: 'missing-transcript', detail: nativeId(agent.id) }))
  );
}
