import { isEqual } from '../lib/json.ts';
import type { SessionTree } from './tree.ts';

/** The new tree, with the very nodes of the old one where nothing about them changed: who compares them compares names. */
export function shareUnchanged(before: SessionTree | undefined, after: SessionTree): SessionTree {
  if (!before) return after;
  const known = new Map(before.agents.map((agent) => [agent.id, agent]));
  const agents = after.agents.map((agent) => {
    const old = known.get(agent.id);
    return old && isEqual(old, agent) ? old : agent;
  });
  const diagnostics = isEqual(before.diagnostics, after.diagnostics) ? before.diagnostics : after.diagnostics;
  return { ...after, agents, diagnostics };
}
