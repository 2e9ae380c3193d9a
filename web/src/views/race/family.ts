import {
  type AgentReport,
  addStandings,
  agentKey,
  countStandings,
  isAtWork,
  type SessionDetail,
  type Standings,
} from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import { factsOf } from './facts.ts';

/** An agent with those below it, as the race needs them. */
export interface Kin {
  readonly key: string;
  readonly agent: AgentReport;
  readonly children: readonly Kin[];
  /** Of it and all below it. */
  readonly tally: Tally;
  /** When it and all below it have been over for long enough to leave the track; Infinity while one is at work. */
  readonly fadesAt: number;
}

export interface Tally {
  readonly agents: number;
  readonly busy: number;
  readonly standings: Standings;
}

export const NOBODY: Tally = { agents: 0, busy: 0, standings: new Map() };

/** How long one stays in its place after its end. A failure is worth a longer look. */
const STAYS_MS = 30_000;
const FAILED_STAYS_MS = 5 * 60_000;

/** The main agent with everyone below it. Orphans, and who hangs on nobody known, stand below the main agent. */
export function familyOf({ main, subagents }: SessionDetail): Kin {
  const childrenOf = childrenLists(main, subagents);
  const kins = new Map<AgentReport, Kin>();
  // Children before parents, without recursion: a chain may be long.
  for (const agent of parentsFirst(main, childrenOf).reverse()) {
    const children = (childrenOf.get(agent.id) ?? []).flatMap((child) => kins.get(child) ?? []);
    kins.set(agent, kinOf(agent, children));
  }
  return kins.get(main) ?? kinOf(main, []);
}

type ChildrenLists = Map<string, AgentReport[]>;

function childrenLists(main: AgentReport, subagents: readonly AgentReport[]): ChildrenLists {
  const ids = new Set([main, ...subagents].map(({ id }) => id));
  const lists = groupBy(subagents, ({ id, parentId }) =>
    parentId !== null && parentId !== id && ids.has(parentId) ? parentId : main.id,
  );
  const reached = new Set(parentsFirst(main, lists));
  // Two that each name the other as parent: bad data must not make an agent vanish.
  for (const agent of subagents) {
    if (reached.has(agent)) continue;
    for (const [parent, list] of lists)
      lists.set(
        parent,
        list.filter((one) => one !== agent),
      );
    lists.set(main.id, [...(lists.get(main.id) ?? []), agent]);
    for (const one of parentsFirst(agent, lists)) reached.add(one);
  }
  return lists;
}

function parentsFirst(root: AgentReport, childrenOf: ChildrenLists): AgentReport[] {
  const found = new Set([root]);
  for (const agent of found) for (const child of childrenOf.get(agent.id) ?? []) found.add(child);
  return [...found];
}

function kinOf(agent: AgentReport, children: readonly Kin[]): Kin {
  const own: Tally = { agents: 1, busy: factsOf(agent).isBusy ? 1 : 0, standings: countStandings([agent]) };
  const fadesAt = children.reduce((at, child) => Math.max(at, child.fadesAt), fadeOf(agent));
  return { key: agentKey(agent), agent, children, tally: tallyOf(children, own), fadesAt };
}

export function tallyOf(kins: readonly Kin[], start: Tally = NOBODY): Tally {
  return kins.reduce(
    (sum, { tally }) => ({
      agents: sum.agents + tally.agents,
      busy: sum.busy + tally.busy,
      standings: addStandings(sum.standings, tally.standings),
    }),
    start,
  );
}

function fadeOf({ status, completedAt, lastActivityAt }: AgentReport): number {
  if (isAtWork(status)) return Number.POSITIVE_INFINITY;
  const end = completedAt ?? lastActivityAt;
  if (end === null) return Number.NEGATIVE_INFINITY;
  return Date.parse(end) + (status === 'failed' ? FAILED_STAYS_MS : STAYS_MS);
}
