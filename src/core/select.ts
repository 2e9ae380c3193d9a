import type { AgentKind } from './event.ts';
import { type AgentId, mainAgentOf } from './ids.ts';
import { type AgentNode, type AgentStatus, isAtWork, type SessionTree, type WaitingOn } from './tree.ts';
import { addUsage, NO_USAGE, type Usage } from './usage.ts';

export function selectMain(tree: SessionTree): AgentNode | undefined {
  return tree.agents.find((agent) => agent.id === mainAgentOf(tree.id));
}

/** Agents a person asked for, directly or not; with `internal` also those the host started for itself. */
export function selectAgents(tree: SessionTree, options: { readonly internal?: boolean } = {}): readonly AgentNode[] {
  return options.internal ? tree.agents : tree.agents.filter((agent) => agent.kind !== 'internal');
}

/** Main agent first. */
export function selectPath(tree: SessionTree, id: AgentId): readonly AgentNode[] {
  const byId = new Map(tree.agents.map((agent) => [agent.id, agent]));
  const path: AgentNode[] = [];
  for (let at = byId.get(id); at; at = at.link.parent === undefined ? undefined : byId.get(at.link.parent))
    path.unshift(at);
  return path;
}

export function selectAtWork(agents: readonly AgentNode[]): readonly AgentNode[] {
  return agents.filter((agent) => isAtWork(agent.status) && agent.waitingOn !== 'input');
}

/** What `needsPerson` looks at, of a node or of a report. */
interface Waiting {
  readonly kind: AgentKind;
  readonly status: AgentStatus;
  readonly waitingOn?: WaitingOn | null;
  readonly runs: readonly { readonly reason?: string | null }[];
}

/** It cannot go on without a word of the person. */
export function needsPerson({ kind, status, waitingOn, runs }: Waiting): boolean {
  if (status !== 'waiting') return false;
  // A main agent that has had its say only waits for the next order: it is idle. Others have nobody to order them.
  const isIdle = (kind === 'main' || kind === 'session') && (runs.at(-1)?.reason ?? null) === null;
  return waitingOn === 'permission' || (waitingOn === 'input' && !isIdle);
}

/** A main agent that has had its say may have left others at work: then the session works. */
export function selectSessionStatus(tree: SessionTree): AgentStatus {
  const main = selectMain(tree);
  if (main?.status !== 'waiting' || main.waitingOn === 'permission' || main.waitingOn === 'rate-limit')
    return main?.status ?? 'unknown';
  return selectAtWork(tree.agents).some(({ id }) => id !== main.id) ? 'running' : 'waiting';
}

/** Every message of the session once, whoever's it is. */
export function selectTotalUsage(tree: SessionTree): Usage {
  return tree.agents.reduce((total, agent) => (agent.usage ? addUsage(total, agent.usage) : total), NO_USAGE);
}
