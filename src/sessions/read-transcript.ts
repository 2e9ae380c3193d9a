import { statSync } from 'node:fs';
import {
  type AgentNode,
  hostOf,
  type MessageRange,
  nativeId,
  type PartOfTranscript,
  type PlacedTranscript,
  type SessionTree,
  type SubAgentRef,
  sumChanges,
  type Transcript,
  type TranscriptBlock,
  type TranscriptMessage,
  titleOfConversation,
} from '../core/index.ts';
import type { MessageLines, OpenTranscript, SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { groupBy } from '../lib/group.ts';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { FoundSession } from './find-sessions.ts';
import { sourcesOf } from './read-session.ts';
import { fileStamp, type KnownPlaces, type SessionCache } from './session-cache.ts';

/** Opens the conversation of one agent in one source. */
export type TranscriptOpener = (
  adapter: SourceAdapter,
  ...of: Parameters<NonNullable<SourceAdapter['openTranscript']>>
) => OpenTranscript | undefined;

interface ReadOptions {
  readonly open?: TranscriptOpener;
  /** Images with their bytes. */
  readonly withMedia?: boolean;
  /** Hears of a file that cannot be read; the others are. Without it, that is thrown. */
  readonly onUnreadable?: (error: UserError) => void;
}

export const EVERYTHING: MessageRange = { from: 0, limit: Number.POSITIVE_INFINITY };

/** The conversation of one agent, or a part of it. */
export async function readTranscript(
  { adapter, located }: FoundSession,
  tree: SessionTree,
  node: AgentNode,
  { from, limit }: MessageRange = EVERYTHING,
  { open = openAnew, withMedia = false, onUnreadable = fail }: ReadOptions = {},
): Promise<PartOfTranscript & Pick<PlacedTranscript, 'edition'>> {
  const isForAll = from === 0 && limit === Number.POSITIVE_INFINITY;
  const opened = (await sourcesOf(adapter, located, node)).map((source) => {
    const bodies = open(adapter, located, source, node.id);
    if (!bodies)
      throw new UserError(
        'no-transcripts',
        `troupe cannot read transcripts of ${adapter.title} yet.`,
        'See its README.',
      );
    return { file: source.path, bodies };
  });
  const editionNow = (): string | undefined => (isForAll ? editionOf(opened.map(({ bodies }) => bodies)) : undefined);
  const edition = editionNow();
  const parts: (Found & (typeof opened)[number])[] = [];
  for (const one of opened) {
    const found = await reading(one.file, findMessages(one.bodies, isForAll, withMedia), onUnreadable);
    if (found) parts.push({ ...found, ...one });
  }
  const places = inOrder(parts);
  const wanted = new Set(places.slice(from, from + limit));
  const read = new Map<string, TranscriptMessage>();
  for (const part of parts) {
    if (!part.places.some((place) => wanted.has(place))) continue;
    const messages = await reading(part.file, part.read(wanted), onUnreadable);
    for (const message of messages ?? []) read.set(message.id, message);
  }
  const messages = [...wanted].flatMap(({ id }) => read.get(id) ?? []);
  const isWhole = wanted.size === places.length;
  const transcript: Transcript = {
    ...headOf(adapter, tree, node),
    diff_stats: isWhole ? sumChanges(messages) : null,
    known_from: messages.length > 0 || !isWhole ? 'transcript' : 'nothing',
    left_out: sumOf(parts.map(({ bodies }) => bodies)),
    messages,
    sub_agents: [],
  };
  const isAsBefore = parts.length === opened.length && editionNow() === edition;
  const linked = withAgentLinks(transcript, tree, node);
  return { transcript: linked, total: places.length, edition: isAsBefore ? edition : undefined };
}

function editionOf(bodies: readonly OpenTranscript[]): string | undefined {
  const files = bodies.map((one) => one.files);
  return files.every((some) => some !== undefined) ? fingerprintOf(files.flat()) : undefined;
}

function sumOf(bodies: readonly OpenTranscript[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [kind, count] of bodies.flatMap((one) => Object.entries(one.leftOut())))
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const openAnew: TranscriptOpener = (adapter, ...of) => adapter.openTranscript?.(...of);

/** Whoever asks for a conversation has to hear why there is none. Throws a `UserError`, or hands it over. */
async function reading<T>(file: string, bytes: Promise<T>, onUnreadable: (error: UserError) => void) {
  try {
    return await bytes;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = `${file} cannot be read: ${error.message}`;
    const remedy = 'See whether the file is there and yours to read, and try again.';
    onUnreadable(new UserError('transcript-unreadable', message, remedy, { cause: error }));
    return undefined;
  }
}

function fail(error: UserError): never {
  throw error;
}

type MessagePlace = Pick<MessageLines, 'id' | 'timestamp'>;

/** What stands in one file. */
interface Found {
  readonly places: readonly MessagePlace[];
  read(wanted: ReadonlySet<MessagePlace>): Promise<readonly TranscriptMessage[]>;
}

async function findMessages(bodies: OpenTranscript, isForAll: boolean, withMedia: boolean): Promise<Found> {
  if (isForAll && bodies.readAll) {
    const messages = await bodies.readAll({ withMedia });
    return { places: messages, read: async (wanted) => messages.filter((message) => wanted.has(message)) };
  }
  const places = await bodies.places();
  return {
    places,
    read: (wanted) =>
      bodies.read(
        places.filter((place) => wanted.has(place)),
        { withMedia },
      ),
  };
}

/** One agent over several files: the file that begins first comes first. Older states of a file repeat its lines. */
function inOrder(parts: readonly Found[]): readonly MessagePlace[] {
  const sorted = parts.toSorted((a, b) => (begins(a) < begins(b) ? -1 : 1)).flatMap(({ places }) => places);
  return [...new Map(sorted.map((place) => [place.id, place])).values()];
}

function begins({ places }: Found): string {
  return places[0]?.timestamp ?? '';
}

/** What the tree knows of an agent's conversation. */
function headOf({ agentName }: SourceAdapter, tree: SessionTree, node: AgentNode) {
  const { usage } = node;
  return {
    session_id: nativeId(node.id),
    parent_session_id: null,
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
  const { ids, made } = madeByTree.get(tree) ?? madeIn(tree);
  madeByTree.set(tree, { ids, made });
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

/** Of a tree with hundreds of agents, all of whom are read one after the other. */
const madeByTree = new WeakMap<SessionTree, ReturnType<typeof madeIn>>();

/** All agents, and those that calls made by the call. */
function madeIn({ agents }: SessionTree) {
  return {
    ids: new Set(agents.map(({ id }) => nativeId(id))),
    made: groupBy(agents, ({ link }): string | undefined => link.call),
  };
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

/** Where the messages of a shorter file are is found as quickly as what was kept of it. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Looks for the messages of a large file once. */
export function createCachedOpener(cache: SessionCache | undefined, clock: Clock): TranscriptOpener {
  if (!cache) return openAnew;
  return (adapter, session, source, agent) => {
    const bodies = openAnew(adapter, session, source, agent);
    const files = bodies?.files;
    if (!bodies || !files || source.shape !== 'lines' || sizeOfFile(source.path) < LARGE_BYTES) return bodies;
    const stampNow = (): string | undefined => {
      const stamps = files.map((file) => fileStamp(file, clock()));
      return stamps.includes(undefined) ? undefined : stamps.join('\n');
    };
    const conversation = JSON.stringify([files, agent]);
    let known: KnownPlaces | undefined;
    return {
      files,
      async places() {
        const stamp = stampNow();
        known = stamp === undefined ? undefined : cache.findPlaces(conversation, stamp);
        if (known) return known.places;
        const places = await bodies.places();
        // What has no bytes of its own is found only by who has read all.
        const isWhole = places.every(({ lines }) => lines.length > 0);
        if (stamp !== undefined && stamp === stampNow() && isWhole)
          cache.keepPlaces(conversation, stamp, { places, leftOut: bodies.leftOut() });
        return places;
      },
      read: (places, options) => bodies.read(places, options),
      leftOut: () => known?.leftOut ?? bodies.leftOut(),
      ...(bodies.readAll && { readAll: (options) => bodies.readAll?.(options) ?? Promise.resolve([]) }),
    };
  };
}

function sizeOfFile(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const KEPT = 16;

/** Keeps conversations whose messages were found lately: the next part of a long one costs its own bytes only. */
export function createOpener(most = KEPT): TranscriptOpener {
  const kept = new Map<string, OpenTranscript>();
  return (adapter, session, source, agent) => {
    const key = `${session.id} ${source.path} ${agent}`;
    const bodies = kept.get(key) ?? openAnew(adapter, session, source, agent);
    if (!bodies) return undefined;
    // The one asked for last stands last; the first is the one to let go.
    kept.delete(key);
    kept.set(key, bodies);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return bodies;
  };
}

/**
 * Two writes so close together may leave the same times behind: on a FAT disk, a file's clock ticks every two seconds. And what SQLite
 * has written to its log is seen by readers only when the disk has it, without another write.
 */
const REST_MS = 3_000;

/**
 * Tells this state of some files from every other one: whoever writes to one of them changes it. Undefined where that cannot be
 * relied on: something there is no file, cannot be looked at, or was written to just now.
 */
export function fingerprintOf(files: readonly string[]): string | undefined {
  const states = files.map(stateOf);
  return states.includes(undefined) ? undefined : states.join('\n');
}

function stateOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!stats) return `${file} -`;
    if (!stats.isFile() || Date.now() - Number(stats.ctimeMs) < REST_MS) return undefined;
    return `${file} ${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  } catch {
    return undefined;
  }
}
