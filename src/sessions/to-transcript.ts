import {
  type AgentNode,
  hostOf,
  nativeId,
  type SessionTree,
  type SubAgentRef,
  sumChanges,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
  titleOfConversation,
} from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { groupBy } from '../lib/group.ts';

export interface ReadBodies {
  readonly messages: readonly TranscriptMessage[];
  readonly isWhole: boolean;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** What was read of an agent's conversation, with what the tree knows of it. */
export function toTranscript(
  { agentName }: Pick<SourceAdapter, 'agentName'>,
  tree: SessionTree,
  node: AgentNode,
  { messages, isWhole, leftOut }: ReadBodies,
): Transcript {
  const { usage } = node;
  const doors = doorsIn(tree, node);
  return {
    session_id: nativeId(node.id),
    parent_session_id: node.link.parent === undefined ? null : nativeId(node.link.parent),
    agent: agentName ?? hostOf(node.id),
    model: node.model ?? null,
    title: titleOfConversation(tree, node) ?? null,
    created_at: toIso(node.startedAt),
    updated_at: toIso(node.lastActivityAt),
    author: null,
    usage: usage
      ? {
          input_tokens: usage.input,
          output_tokens: usage.output,
          cache_read_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
        }
      : null,
    diff_stats: isWhole ? sumChanges(messages) : null,
    known_from: messages.length > 0 || !isWhole ? 'transcript' : 'nothing',
    left_out: leftOut,
    messages: messages.map((message) => ({ ...message, content: message.content.map(doors) })),
    sub_agents: [],
  };
}

/** The same transcript in a tree that knows more: what a command of the agent started, and who started the agent. */
export function withDoors(transcript: Transcript, tree: SessionTree, node: AgentNode): Transcript {
  const doors = doorsIn(tree, node);
  return {
    ...transcript,
    parent_session_id: node.link.parent === undefined ? null : nativeId(node.link.parent),
    messages: transcript.messages.map((message) => ({ ...message, content: message.content.map(doors) })),
  };
}

/**
 * Puts doors into blocks: from a call to the agents that it made. A fork's transcript holds the very call that made it,
 * and no door to itself. A notice may be about something that is no agent.
 */
function doorsIn(tree: SessionTree, self: AgentNode): (block: TranscriptBlock) => TranscriptBlock {
  const { ids, made } = madeIn(tree);
  return (block) => {
    if (block.type === 'notice' && block.agent_id !== null && !ids.has(block.agent_id))
      return { ...block, agent_id: null };
    const all = block.type === 'tool_use' ? (made.get(block.tool_use_id) ?? []) : [];
    const refs = all.filter(({ id }) => id !== self.id).map(toRef);
    const [first] = refs;
    if (block.type !== 'tool_use' || !first) return block;
    return { ...block, sub_agent_ref: first, ...(refs.length > 1 && { sub_agent_refs: refs }) };
  };
}

interface MadeAgents {
  readonly ids: ReadonlySet<string>;
  /** By the call that made them. */
  readonly made: ReadonlyMap<string | undefined, readonly AgentNode[]>;
}

/** Of a tree with hundreds of agents, all of whom are read one after the other. */
const madeByTree = new WeakMap<SessionTree, MadeAgents>();

function madeIn(tree: SessionTree): MadeAgents {
  const known = madeByTree.get(tree) ?? {
    ids: new Set(tree.agents.map(({ id }) => nativeId(id))),
    made: groupBy(
      tree.agents.filter(({ link }) => link.call !== undefined),
      ({ link }) => link.call as string | undefined,
    ),
  };
  madeByTree.set(tree, known);
  return known;
}

function toRef({ id, name, description, type, group }: AgentNode): SubAgentRef {
  const team = group?.kind === 'team' ? group.id : undefined;
  return {
    agent_id: nativeId(id),
    agent_name: name ?? description ?? null,
    agent_type: type ?? null,
    team_name: team ?? null,
  };
}

function toIso(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
