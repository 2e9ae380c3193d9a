import type { SessionDetail } from '../../../src/core/index.ts';

/** Ids of all agents below one, at any depth. Children stand behind their parent, so one pass is enough. */
export function descendantsOf({ subagents }: SessionDetail, id: string): ReadonlySet<string> {
  const below = new Set<string>();
  for (const agent of subagents)
    if (agent.parentId !== null && (agent.parentId === id || below.has(agent.parentId))) below.add(agent.id);
  return below;
}
