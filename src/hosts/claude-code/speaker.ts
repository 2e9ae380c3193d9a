// Whose line it is. In generation A (up to 2.0.41) agents speak in the session's own file, on side branches without a name.

import { type AgentId, mainAgentOf, nativeId, type SessionId } from '../../core/index.ts';
import { asText } from '../../lib/json.ts';
import { agentIdOf } from './line-context.ts';
import type { RawRecord } from './record.ts';

/** Which agent each line of a side branch belongs to, by the line's id. */
export type InlineAgents = Map<string, AgentId>;

const INLINE = 'inline-';

/** Its id is of our making: the host has none for it. */
export function isInline(agent: AgentId): boolean {
  return nativeId(agent).startsWith(INLINE);
}

/** `owner`: whose file it is. The lines of an agent's file name the agent themselves. */
export function speakerOf(record: RawRecord, owner: AgentId, session: SessionId, inline: InlineAgents): AgentId {
  if (owner === mainAgentOf(session)) return inlineAgentOf(record, inline) ?? owner;
  const named = asText(record['agentId']);
  return named === undefined ? owner : agentIdOf(named);
}

/**
 * A branch begins with a line without a parent; every other line follows one of its branch. Branches of agents that work
 * at the same time lie mixed in the file. The host gives them no id, so the first line's makes one.
 */
function inlineAgentOf(record: RawRecord, inline: InlineAgents): AgentId | undefined {
  if (record['isSidechain'] !== true) return undefined;
  const id = asText(record['uuid']);
  if (id === undefined) return undefined;
  const parent = asText(record['parentUuid']);
  const agent =
    (parent === undefined ? undefined : (inline.get(parent) ?? onlyOne(inline))) ??
    agentIdOf(`${INLINE}${id.slice(0, 8)}`);
  inline.set(id, agent);
  return agent;
}

/** The line before is damaged or gone: with one branch in the file, there is no question whose it is. */
function onlyOne(inline: InlineAgents): AgentId | undefined {
  const agents = new Set(inline.values());
  return agents.size === 1 ? [...agents][0] : undefined;
}
