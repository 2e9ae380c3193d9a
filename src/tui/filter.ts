import {
  type AgentReport,
  agentsOf,
  doingText,
  formatStatus,
  isBusy,
  type SessionDetail,
  standingOf,
  typeText,
  type WatchView,
} from '../core/index.ts';

/** Agents that the view lets through, with all those above them: a tree without its trunk says nothing. */
export function visibleAgents(session: SessionDetail, view: WatchView): readonly AgentReport[] {
  const agents = agentsOf(session);
  const isBusyOnly = view.hidesFinished;
  const words = wordsOf(view.filter);
  if (!isBusyOnly && words.length === 0) return agents;
  const around = words.length === 0 ? '' : sessionText(session);
  const isHit = (agent: AgentReport): boolean =>
    (!isBusyOnly || isBusy(agent)) && (words.length === 0 || hasAll(`${agentText(agent)}\n${around}`, words));
  return withAncestors(agents, agents.filter(isHit));
}

/** Every word must be there, in any order. */
function wordsOf(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function sessionText({ id, host, project, title, branch }: SessionDetail): string {
  return [id, host, project, title, branch].join('\n');
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
