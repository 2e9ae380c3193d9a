import type { AgentReport } from '../../core/index.ts';
import { groupBy } from '../../lib/group.ts';

export interface Branch {
  readonly agent: AgentReport;
  /** The box-drawing lines left of it. */
  readonly stem: string;
}

/** Of the line that leads to an agent: three columns wide. */
type Twig = (agent: AgentReport, isLast: boolean) => string;

/** Parents before children, as they come; orphans stand at the left edge. */
export function branchesOf(agents: readonly AgentReport[], twig: Twig = solid): readonly Branch[] {
  const known = new Set(agents.map(({ id }) => id));
  const children = groupBy(agents, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : undefined));
  const branches: Branch[] = [];
  const stack = [...(children.get(undefined) ?? [])].reverse().map((agent) => ({ agent, stem: '', below: '' }));
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { agent, stem, below } = place;
    branches.push({ agent, stem });
    const list = children.get(agent.id) ?? [];
    for (let at = list.length - 1; at >= 0; at--) {
      const child = list[at];
      const isLast = at === list.length - 1;
      if (child)
        stack.push({ agent: child, stem: below + twig(child, isLast), below: `${below}${isLast ? '   ' : '│  '}` });
    }
  }
  return branches;
}

function solid(_agent: AgentReport, isLast: boolean): string {
  return isLast ? '└─ ' : '├─ ';
}
