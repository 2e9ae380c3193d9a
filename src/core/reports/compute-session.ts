import { hostOf, nativeId } from '../ids.ts';
import {
  needsPerson,
  selectAgents,
  selectAtWork,
  selectMain,
  selectSessionStatus,
  selectTotalUsage,
} from '../select.ts';
import type { AgentNode, SessionTree } from '../tree.ts';
import { addByModel } from '../usage.ts';
import { computeUsage } from './compute-agent.ts';
import { computeCost } from './compute-cost.ts';
import { isoTime, orNull } from './json-values.ts';
import { labelOf } from './label.ts';
import type { NeedReport, SessionReport } from './shapes.ts';

/** One session as JSON, without its agents. `agents` and `running` leave out those the host started for itself. */
export function computeSession(tree: SessionTree): SessionReport {
  const agents = selectAgents(tree);
  return {
    id: nativeId(tree.id),
    host: hostOf(tree.id),
    hostTitle: tree.hostTitle ?? hostOf(tree.id),
    hostVersion: orNull(tree.hostVersion),
    project: projectOf(tree.cwd),
    cwd: orNull(tree.cwd),
    branch: orNull(tree.branch),
    title: orNull(tree.title),
    status: selectSessionStatus(tree),
    waitingOn: orNull(selectMain(tree)?.waitingOn),
    needsYou: agents.filter(needsPerson).map(computeNeed),
    agents: agents.length,
    running: selectAtWork(agents).length,
    internalAgents: tree.agents.length - agents.length,
    usage: computeUsage(selectTotalUsage(tree)),
    cost: computeCost(
      tree.agents.map(({ usageByModel }) => usageByModel).reduce(addByModel, []),
      tree.agents.some((agent) => agent.usageIsLowerBound),
    ),
    forkedFrom: tree.forkedFrom === undefined ? null : nativeId(tree.forkedFrom),
    inheritedUsage: tree.inheritedUsage ? computeUsage(tree.inheritedUsage) : null,
    usageIsLowerBound: tree.agents.some((agent) => agent.usageIsLowerBound),
    startedAt: isoTime(tree.startedAt),
    lastActivityAt: isoTime(tree.lastActivityAt),
    problems: tree.diagnostics.filter(({ severity }) => severity !== 'info').reduce((sum, { count }) => sum + count, 0),
  };
}

function computeNeed(agent: AgentNode): NeedReport {
  return {
    id: nativeId(agent.id),
    label: labelOf(agent),
    waitingOn: agent.waitingOn === 'input' ? 'input' : 'permission',
  };
}

function projectOf(cwd: string | undefined): string | null {
  if (cwd === undefined) return null;
  return (
    cwd
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? cwd
  );
}
