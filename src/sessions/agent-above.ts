// Whether a process was started by a coding agent.

import { ADAPTERS } from '../hosts/registry.ts';
import { listAncestry } from '../lib/processes.ts';

/** Set for the commands that an agent runs; AI_AGENT also by agents that troupe does not know. */
export const AGENT_VARIABLES: readonly string[] = [
  ...ADAPTERS.map(({ process: { variable } }) => variable),
  'AI_AGENT',
];

/** In words: which process a coding agent started, and which agent that is. */
export async function findAgentAbove(pid: number): Promise<string | undefined> {
  const ancestry = await listAncestry(pid);
  const [client] = ancestry;
  if (!client) return undefined;
  const name = [...client.names].at(-1);
  for (const seen of ancestry) {
    const host = ADAPTERS.find(({ process: { names } }) => names.some((one) => seen.names.has(one)));
    if (host) return `process ${pid} (${name}) belongs to ${host.title} (process ${seen.pid})`;
  }
  for (const seen of ancestry) {
    const variable = AGENT_VARIABLES.find((one) => seen.variables.has(one));
    if (variable)
      return `process ${pid} (${name}) was started by a coding agent (${variable} is set in process ${seen.pid})`;
  }
  return undefined;
}
