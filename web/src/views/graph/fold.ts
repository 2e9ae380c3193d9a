import {
  type AgentReport,
  countStandings,
  type GroupReport,
  isOver,
  type SessionDetail,
  type Standings,
} from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';

/** What has a place in the picture: an agent, or a chip that stands for finished ones. */
export type GraphItem = AgentItem | FinishedItem;

export interface AgentItem {
  readonly kind: 'agent';
  readonly key: string;
  readonly agent: AgentReport;
  readonly children: readonly GraphItem[];
  /** Agents below it, shown or not. */
  readonly below: number;
  readonly isFolded: boolean;
  readonly group: GroupReport | null;
}

export interface FinishedItem {
  readonly kind: 'finished';
  readonly key: string;
  readonly children: readonly [];
  /** Of the agents that it stands for, with those below them. */
  readonly standings: Standings;
  readonly isFolded: boolean;
  readonly group: GroupReport | null;
}

export interface ShownForest {
  readonly main: GraphItem;
  readonly orphans: readonly GraphItem[];
}

export interface FoldWish {
  /** What the person folded (true) or opened (false), by key. */
  readonly folds: ReadonlyMap<string, boolean>;
  readonly now: number;
  /** Never folded by themselves: who is looked at. */
  readonly kept: ReadonlySet<string | undefined>;
}

/** From so many agents on, finished ones are folded by themselves. */
export const LARGE = 60;
/** So many finished siblings are many. */
const MANY = 8;
/** The last ones stay, so that one sees what they were like. */
const STAYING = 4;
/** Who has just finished stays for a while. */
const SETTLED_AFTER_MS = 30_000;

/** What is shown of a session: all of it, without what is folded. */
export function foldForest(forest: Forest, wish: FoldWish): ShownForest {
  const isLarge = forest.agents > LARGE;
  const show = (branch: Branch): AgentItem => {
    const { agent, children, below } = branch;
    const isFolded = children.length > 0 && wish.folds.get(agent.id) === true;
    return {
      kind: 'agent',
      key: agent.id,
      agent,
      below,
      isFolded,
      group: agent.group,
      children: isFolded ? [] : showAll(children, agent.id),
    };
  };
  const showAll = (branches: readonly Branch[], parent: string): readonly GraphItem[] => {
    if (!isLarge || branches.length < MANY) return branches.map(show);
    const groups = groupBy(branches, ({ agent }) => agent.group?.id);
    return [...groups].flatMap(([group, members]) => showSiblings(members, chipKey(parent, group)));
  };
  const showSiblings = (branches: readonly Branch[], key: string): readonly GraphItem[] => {
    const away = new Set(foldable(branches, wish));
    if (away.size === 0) return branches.map(show);
    const isFolded = wish.folds.get(key) !== false;
    const rest = isFolded ? branches.filter((branch) => !away.has(branch)) : branches;
    return [chipOf([...away], key, isFolded), ...rest.map(show)];
  };
  return { main: show(forest.main), orphans: showAll(forest.orphans, 'nobody') };
}

/** Finished a while ago, and so many that the last few of them say enough; those that failed stay in sight. */
function foldable(branches: readonly Branch[], { now, kept }: FoldWish): readonly Branch[] {
  const settled = branches.filter(({ restedAt }) => restedAt !== undefined && now - restedAt >= SETTLED_AFTER_MS);
  const failed = settled.filter(({ agent }) => agent.status === 'failed');
  const calm = failed.length > MANY ? settled : settled.filter((branch) => !failed.includes(branch));
  if (calm.length < MANY) return [];
  return calm.slice(0, -STAYING).filter((branch) => !holds(branch, kept));
}

function holds({ agent, children }: Branch, ids: FoldWish['kept']): boolean {
  return ids.has(agent.id) || children.some((child) => holds(child, ids));
}

function chipOf(branches: readonly Branch[], key: string, isFolded: boolean): FinishedItem {
  return {
    kind: 'finished',
    key,
    children: [],
    standings: countStandings(branches.flatMap(agentsIn)),
    isFolded,
    group: branches[0]?.agent.group ?? null,
  };
}

function agentsIn({ agent, children }: Branch): readonly AgentReport[] {
  return [agent, ...children.flatMap(agentsIn)];
}

function chipKey(parent: string, group: string | undefined): string {
  return group === undefined ? `finished of ${parent}` : `finished of ${parent} in ${group}`;
}

/** An agent and everyone below it. */
export interface Branch {
  readonly agent: AgentReport;
  readonly children: readonly Branch[];
  /** Agents below it. */
  readonly below: number;
  /** When the last one in it came to rest; undefined while one is at work. */
  readonly restedAt: number | undefined;
}

export interface Forest {
  readonly main: Branch;
  /** Nobody knows who asked for them. */
  readonly orphans: readonly Branch[];
  readonly agents: number;
}

/** The hierarchy of a session. Siblings stand as they were asked for; those of one group stand together. */
export function growForest({ main, subagents }: SessionDetail): Forest {
  const known = new Set([main.id, ...subagents.map(({ id }) => id)]);
  // A parent that is not in the picture (the host's own, or not begun at a replayed moment) is as good as none.
  const childrenOf = groupBy(subagents, ({ id, parentId }) =>
    parentId !== null && parentId !== id && known.has(parentId) ? parentId : undefined,
  );
  const grow = (agent: AgentReport): Branch => {
    const children = gatherGroups(childrenOf.get(agent.id) ?? []).map(grow);
    const below = children.reduce((sum, child) => sum + 1 + child.below, 0);
    return { agent, children, below, restedAt: restOf(agent, children) };
  };
  const trunk = grow(main);
  const loose = gatherGroups(childrenOf.get(undefined) ?? []).map(grow);
  return { main: trunk, orphans: loose, agents: subagents.length + 1 };
}

function restOf(agent: AgentReport, children: readonly Branch[]): number | undefined {
  if (!isOver(agent.status) && agent.status !== 'unknown') return undefined;
  const own = Date.parse(agent.completedAt ?? agent.lastActivityAt ?? '') || 0;
  return children.reduce<number | undefined>(
    (latest, { restedAt }) => (latest === undefined || restedAt === undefined ? undefined : Math.max(latest, restedAt)),
    own,
  );
}

/** Members of a group move up to the first of them. */
function gatherGroups(agents: readonly AgentReport[]): readonly AgentReport[] {
  return [...groupBy(agents, ({ id, group }) => (group ? `group ${group.id}` : id)).values()].flat();
}
