import {
  type AgentNode,
  hostOf,
  type MessageRange,
  nativeId,
  type PartOfTranscript,
  type SessionTree,
  type SubAgentRef,
  sumChanges,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
  titleOfConversation,
} from '../core/index.ts';
import type { LocatedSession, LocatedSource, MessageLines, OpenTranscript, SourceAdapter } from '../hosts/index.ts';
import { fingerprintOf } from '../lib/edition.ts';
import { groupBy } from '../lib/group.ts';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { FoundSession } from './find-sessions.ts';
import { sourcesOf } from './read-session.ts';

/** Files whose messages have been found already: the next part of a long conversation costs its own bytes only. */
export interface OpenTranscripts {
  open(session: LocatedSession, source: LocatedSource, agent: AgentNode): OpenTranscript | undefined;
}

export interface ReadOptions {
  readonly opened?: OpenTranscripts;
  /** Images with their bytes. */
  readonly withMedia?: boolean;
  /** Hears of a file that cannot be read; the others are. Without it, that is thrown. */
  readonly onUnreadable?: (error: UserError) => void;
}

export const EVERYTHING: MessageRange = { from: 0, limit: Number.POSITIVE_INFINITY };

interface ReadTranscript extends PartOfTranscript {
  /** As `PlacedTranscript` has it. */
  readonly edition: string | undefined;
}

/** The conversation of one agent, or a part of it. */
export async function readTranscript(
  { adapter, located }: FoundSession,
  tree: SessionTree,
  node: AgentNode,
  { from, limit }: MessageRange = EVERYTHING,
  { opened = openedAnew(adapter), withMedia = false, onUnreadable }: ReadOptions = {},
): Promise<ReadTranscript> {
  const parts: Part[] = [];
  const isForAll = from === 0 && limit === Number.POSITIVE_INFINITY;
  const all = await bodiesOf({ adapter, located }, node, opened);
  const edition = isForAll ? editionOfAll(all) : undefined;
  for (const { source, bodies } of all) {
    const look = isForAll ? lookAtAll(bodies, withMedia) : lookForPlaces(bodies, withMedia);
    const part = await reading(source.path, look, onUnreadable);
    if (part) parts.push({ ...part, file: source.path, bodies });
  }
  const places = inOrder(parts);
  const wanted = new Set(places.slice(from, from + limit));
  const read = new Map<string, TranscriptMessage>();
  for (const { file, places: found, read: readHere } of parts) {
    const here = found.filter((place) => wanted.has(place));
    if (here.length === 0) continue;
    const messages = await reading(file, readHere(here), onUnreadable);
    for (const message of messages ?? []) read.set(message.id, message);
  }
  const messages = [...wanted].flatMap(({ id }) => read.get(id) ?? []);
  const isWhole = wanted.size === places.length;
  const transcript = toTranscript(adapter, tree, node, {
    messages,
    isWhole,
    leftOut: sumOf(parts.map(({ bodies }) => bodies)),
  });
  const isAsBefore = edition !== undefined && parts.length === all.length && editionOfAll(all) === edition;
  return { transcript, total: places.length, edition: isAsBefore ? edition : undefined };
}

/** Of all that a conversation stands in. */
export async function fingerprintOfTranscript(
  { adapter, located }: Pick<FoundSession, 'adapter' | 'located'>,
  node: AgentNode,
  opened: OpenTranscripts = openedAnew(adapter),
): Promise<string | undefined> {
  return editionOfAll(await bodiesOf({ adapter, located }, node, opened));
}

interface OpenedSource {
  readonly source: LocatedSource;
  readonly bodies: OpenTranscript;
}

async function bodiesOf(
  { adapter, located }: Pick<FoundSession, 'adapter' | 'located'>,
  node: AgentNode,
  opened: OpenTranscripts,
): Promise<readonly OpenedSource[]> {
  return (await sourcesOf(adapter, located, node)).map((source) => {
    const bodies = opened.open(located, source, node);
    if (!bodies) throw noTranscripts(adapter);
    return { source, bodies };
  });
}

function editionOfAll(all: readonly OpenedSource[]): string | undefined {
  const files = all.map(({ bodies }) => bodies.files);
  return files.every((some) => some !== undefined) ? fingerprintOf(files.flat()) : undefined;
}

function sumOf(bodies: readonly OpenTranscript[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [kind, count] of bodies.flatMap((one) => Object.entries(one.leftOut())))
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function openedAnew(adapter: SourceAdapter): OpenTranscripts {
  return { open: (session, source, agent) => adapter.openTranscript?.(session, source, agent.id) };
}

/** Whoever asks for a conversation has to hear why there is none. Throws a `UserError`, or hands it over. */
async function reading<T>(
  file: string,
  bytes: Promise<T>,
  onUnreadable: ReadOptions['onUnreadable'],
): Promise<T | undefined> {
  try {
    return await bytes;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const remedy = 'See whether the file is there and yours to read, and try again.';
    const told = new UserError('transcript-unreadable', `${file} cannot be read: ${error.message}`, remedy, {
      cause: error,
    });
    if (!onUnreadable) throw told;
    onUnreadable(told);
    return undefined;
  }
}

/** What stands in one file. */
interface Found {
  readonly places: readonly MessagePlace[];
  read(places: readonly MessagePlace[]): Promise<readonly TranscriptMessage[]>;
}

type MessagePlace = Pick<MessageLines, 'id' | 'timestamp'>;

interface Part extends Found {
  readonly file: string;
  readonly bodies: OpenTranscript;
}

async function lookForPlaces(bodies: OpenTranscript, withMedia: boolean): Promise<Found> {
  const places = await bodies.places();
  return { places, read: (wanted) => bodies.read(ofThem(places, wanted), { withMedia }) };
}

async function lookAtAll(bodies: OpenTranscript, withMedia: boolean): Promise<Found> {
  if (!bodies.readAll) return lookForPlaces(bodies, withMedia);
  const messages = await bodies.readAll({ withMedia });
  return { places: messages, read: async (wanted) => ofThem(messages, wanted) };
}

function ofThem<Place extends MessagePlace>(
  places: readonly Place[],
  wanted: readonly MessagePlace[],
): readonly Place[] {
  const set = new Set(wanted);
  return places.filter((place) => set.has(place));
}

/** One agent over several files: the file that begins first comes first. Older states of a file repeat its lines. */
function inOrder(parts: readonly Part[]): readonly MessagePlace[] {
  const sorted = parts.toSorted((a, b) => (begins(a) < begins(b) ? -1 : 1)).flatMap(({ places }) => places);
  return [...new Map(sorted.map((place) => [place.id, place])).values()];
}

function begins({ places }: Part): string {
  return places[0]?.timestamp ?? '';
}

function noTranscripts({ title }: SourceAdapter): UserError {
  return new UserError('no-transcripts', `troupe cannot read transcripts of ${title} yet.`, 'See its README.');
}

interface ReadBodies {
  readonly messages: readonly TranscriptMessage[];
  readonly isWhole: boolean;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** What was read of an agent's conversation, with what the tree knows of it. */
function toTranscript(
  { agentName }: Pick<SourceAdapter, 'agentName'>,
  tree: SessionTree,
  node: AgentNode,
  { messages, isWhole, leftOut }: ReadBodies,
): Transcript {
  const { usage } = node;
  const linkAgents = linkerFor(tree, node);
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
    messages: messages.map((message) => ({ ...message, content: message.content.map(linkAgents) })),
    sub_agents: [],
  };
}

/** The same transcript in a tree that knows more: what a command of the agent started, and who started the agent. */
export function withAgentLinks(transcript: Transcript, tree: SessionTree, node: AgentNode): Transcript {
  const linkAgents = linkerFor(tree, node);
  return {
    ...transcript,
    parent_session_id: node.link.parent === undefined ? null : nativeId(node.link.parent),
    messages: transcript.messages.map((message) => ({ ...message, content: message.content.map(linkAgents) })),
  };
}

/**
 * Links calls to the agents that they made. A fork's transcript holds the very call that made it, and gets no link to
 * itself. A notice may be about something that is not an agent.
 */
function linkerFor(tree: SessionTree, self: AgentNode): (block: TranscriptBlock) => TranscriptBlock {
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

/** Conversations whose messages were found lately. */
export interface OpenedTranscript {
  of(adapter: SourceAdapter): OpenTranscripts;
}

const KEPT = 16;

export function createOpenTranscripts(most = KEPT): OpenedTranscript {
  const kept = new Map<string, OpenTranscript>();
  return {
    of: (adapter) => ({
      open(session, source, { id }) {
        const key = `${session.id} ${source.path} ${id}`;
        const bodies = kept.get(key) ?? adapter.openTranscript?.(session, source, id);
        if (!bodies) return undefined;
        // The one asked for last stands last; the first is the one to let go.
        kept.delete(key);
        kept.set(key, bodies);
        const [oldest] = kept.keys();
        if (kept.size > most && oldest !== undefined) kept.delete(oldest);
        return bodies;
      },
    }),
  };
}
