import type { Bodies, BodyPlace, LocatedSession, LocatedSource, SourceAdapter } from '../adapters/adapter.ts';
import { isSystemError } from '../base/system-error.ts';
import { UserError } from '../base/user-error.ts';
import { sumChanges } from '../model/diff-stats.ts';
import { hostOf, nativeId } from '../model/ids.ts';
import type { MessageRange, PartOfTranscript } from '../model/ports.ts';
import type { SubAgentRef, Transcript, TranscriptMessage } from '../model/transcript.ts';
import type { AgentNode, SessionTree } from '../model/tree.ts';
import type { FoundSession } from './find-sessions.ts';
import { sourcesOf } from './read-session.ts';

/** Files whose messages have been found already: the next part of a long conversation costs its own bytes only. */
export interface OpenBodies {
  open(session: LocatedSession, source: LocatedSource, agent: AgentNode): Bodies | undefined;
}

const EVERYTHING: MessageRange = { from: 0, limit: Number.POSITIVE_INFINITY };

/** The conversation of one agent, or a part of it. */
export async function readTranscript(
  { adapter, located }: FoundSession,
  tree: SessionTree,
  node: AgentNode,
  { from, limit }: MessageRange = EVERYTHING,
  opened = openedAnew(adapter),
): Promise<PartOfTranscript> {
  const parts: Part[] = [];
  for (const source of await sourcesOf(adapter, located, node)) {
    const bodies = opened.open(located, source, node);
    if (!bodies) throw noTranscripts(adapter);
    const file = source.path;
    parts.push({ file, bodies, places: await reading(file, bodies.places()) });
  }
  const all = inOrder(parts);
  const wanted = new Set(all.slice(from, from + limit));
  const read = new Map<string, TranscriptMessage>();
  for (const { file, bodies, places } of parts) {
    const here = places.filter((place) => wanted.has(place));
    if (here.length > 0) for (const message of await reading(file, bodies.read(here))) read.set(message.id, message);
  }
  const messages = [...wanted].flatMap(({ id }) => read.get(id) ?? []);
  const isWhole = wanted.size === all.length;
  const transcript = toTranscript(adapter, tree, node, {
    messages,
    isWhole,
    leftOut: sumOf(parts.map(({ bodies }) => bodies)),
  });
  return { transcript, total: all.length };
}

interface ReadBodies {
  readonly messages: readonly TranscriptMessage[];
  readonly isWhole: boolean;
  readonly leftOut: Readonly<Record<string, number>>;
}

function sumOf(bodies: readonly Bodies[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [kind, count] of bodies.flatMap((one) => Object.entries(one.leftOut())))
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function openedAnew(adapter: SourceAdapter): OpenBodies {
  return { open: (session, source, agent) => adapter.openBodies?.(session, source, agent.id) };
}

/** Whoever asks for a conversation has to hear why there is none. Throws a `UserError`. */
async function reading<T>(file: string, bytes: Promise<T>): Promise<T> {
  try {
    return await bytes;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const remedy = 'See whether the file is there and yours to read, and try again.';
    throw new UserError('transcript-unreadable', `${file} cannot be read: ${error.message}`, remedy, { cause: error });
  }
}

interface Part {
  readonly file: string;
  readonly bodies: Bodies;
  readonly places: readonly BodyPlace[];
}

/** One agent over several files: the file that begins first comes first. Older states of a file repeat its lines. */
function inOrder(parts: readonly Part[]): readonly BodyPlace[] {
  const sorted = parts.toSorted((a, b) => (begins(a) < begins(b) ? -1 : 1)).flatMap(({ places }) => places);
  return [...new Map(sorted.map((place) => [place.id, place])).values()];
}

function begins({ places }: Part): string {
  return places[0]?.timestamp ?? '';
}

function noTranscripts({ title }: SourceAdapter): UserError {
  return new UserError('no-transcripts', `troupe cannot read transcripts of ${title} yet.`, 'See its README.');
}

function toTranscript(
  { agentName }: SourceAdapter,
  tree: SessionTree,
  node: AgentNode,
  { messages, isWhole, leftOut }: ReadBodies,
): Transcript {
  const refs = new Map(
    tree.agents.flatMap((agent) => (agent.link.call === undefined ? [] : [[agent.link.call as string, agent]])),
  );
  const { usage } = node;
  return {
    session_id: nativeId(node.id),
    parent_session_id: node.link.parent === undefined ? null : nativeId(node.link.parent),
    agent: agentName ?? hostOf(node.id),
    model: node.model ?? null,
    title: node.kind === 'main' ? (tree.title ?? null) : (node.description ?? node.promptHead ?? null),
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
