import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/user-error.ts';
import { buildTree } from '../model/build-tree.ts';
import { type AgentId, hostOf, mainAgentOf, nativeId } from '../model/ids.ts';
import type { Transcripts } from '../model/ports.ts';
import type { SubAgentRef, Transcript, TranscriptMessage } from '../model/transcript.ts';
import type { AgentNode, SessionTree } from '../model/tree.ts';
import { claim, type FoundSession, findSessions } from './find-sessions.ts';
import type { Place } from './places.ts';
import { readSession, sourcesOf } from './read-session.ts';

export function createTranscripts(places: readonly Place[], clock: Clock): Transcripts {
  const openIn = async (session: FoundSession, choose: (tree: SessionTree) => AgentNode | undefined) => {
    const ours = await claim(session, new Set());
    if (!ours) return undefined;
    const tree = buildTree(await readSession(ours.adapter, ours.located), { now: clock() });
    const node = choose(tree);
    return node && { tree, agent: node.id, transcript: await readTranscript(ours, tree, node) };
  };
  return {
    async read(wanted, session) {
      const found = await findSessions(places);
      const sessions = found.sessions.filter(
        ({ located }) => session === undefined || nativeId(located.id) === session,
      );
      const hit = findById(sessions, wanted);
      const opened = hit && (await openIn(hit.session, (tree) => tree.agents.find(({ id }) => id === hit.agent)));
      if (opened) return opened;
      for (const one of sessions.slice(0, SEARCHED_BY_NAME)) {
        const named = await openIn(one, (tree) => byName(tree, wanted));
        if (named) return named;
      }
      throw new UserError(
        'agent-not-found',
        `No agent's id begins with «${wanted}», and the newest sessions have none of that name.`,
        'See the ids with: troupe tree --json',
      );
    },
  };
}

/** A name has to be read to be found. */
const SEARCHED_BY_NAME = 20;

interface Hit {
  readonly session: FoundSession;
  readonly agent: AgentId;
}

/** An id, or the beginning of one, is found by file names alone. A sidecar may lie in another session's folder, too. */
function findById(sessions: readonly FoundSession[], wanted: string): Hit | undefined {
  const hits = new Map<AgentId, Hit>();
  for (const session of sessions) {
    const own = session.located.sources.filter(({ companion }) => !companion).flatMap(({ agent }) => agent ?? []);
    for (const agent of [mainAgentOf(session.located.id), ...own]) {
      if (nativeId(agent).startsWith(wanted) && !hits.has(agent)) hits.set(agent, { session, agent });
    }
  }
  const exact = [...hits.values()].find(({ agent }) => nativeId(agent) === wanted);
  if (exact || hits.size <= 1) return exact ?? [...hits.values()][0];
  throw ambiguous(wanted, [...hits.keys()]);
}

function ambiguous(wanted: string, agents: readonly AgentId[]): UserError {
  const ids = agents.slice(0, 5).map(nativeId).join(', ');
  const message = `${agents.length} agents begin with «${wanted}»: ${ids}${agents.length > 5 ? ' …' : ''}`;
  return new UserError('agent-ambiguous', message, 'Give more characters of the id.');
}

/** By name or description; by the beginning of an id, too, for agents that have no file of their own. */
function byName(tree: SessionTree, wanted: string): AgentNode | undefined {
  const named = tree.agents.filter(({ name, description }) => name === wanted || description === wanted);
  const found = named.length > 0 ? named : tree.agents.filter(({ id }) => nativeId(id).startsWith(wanted));
  if (found.length > 1)
    throw ambiguous(
      wanted,
      found.map(({ id }) => id),
    );
  return found[0];
}

async function readTranscript(
  { adapter, located }: FoundSession,
  tree: SessionTree,
  node: AgentNode,
): Promise<Transcript> {
  if (!adapter.readBodies) {
    throw new UserError('no-transcripts', `troupe cannot read transcripts of ${adapter.title} yet.`, 'See its README.');
  }
  const parts: (readonly TranscriptMessage[])[] = [];
  for (const source of await sourcesOf(adapter, located, node))
    parts.push(await adapter.readBodies(located, source, node.id));
  // One agent over several files: the file that begins first comes first.
  const inOrder = parts.sort((a, b) => ((a[0]?.timestamp ?? '') < (b[0]?.timestamp ?? '') ? -1 : 1)).flat();
  // Older states of a file repeat the lines of the newer one.
  const messages = [...new Map(inOrder.map((message) => [message.id, message])).values()];
  const refs = new Map(
    tree.agents.flatMap((agent) => (agent.link.call === undefined ? [] : [[agent.link.call as string, agent]])),
  );
  const { usage } = node;
  return {
    session_id: nativeId(node.id),
    parent_session_id: node.link.parent === undefined ? null : nativeId(node.link.parent),
    agent: hostOf(node.id) === 'claude-code' ? 'claude' : hostOf(node.id),
    model: node.model ?? null,
    title: node.kind === 'main' ? (tree.title ?? null) : (node.description ?? node.promptHead ?? null),
    created_at: toIso(node.startedAt),
    updated_at: toIso(node.lastActivityAt),
    usage: usage
      ? {
          input_tokens: usage.input,
          output_tokens: usage.output,
          cache_read_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
        }
      : null,
    messages: messages.map((message) => withRefs(message, refs)),
    sub_agents: [],
  };
}

/** The door from a call into the transcript of the agent that it made. */
function withRefs(message: TranscriptMessage, agents: ReadonlyMap<string, AgentNode>): TranscriptMessage {
  const content = message.content.map((block) => {
    const agent = block.type === 'tool_use' ? agents.get(block.tool_use_id) : undefined;
    return agent && block.type === 'tool_use' ? { ...block, sub_agent_ref: toRef(agent) } : block;
  });
  return { ...message, content };
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
