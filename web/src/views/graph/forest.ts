import { type AgentReport, isOver, type SessionDetail } from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';

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
