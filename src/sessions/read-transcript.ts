import type { AgentNode, MessageRange, PartOfTranscript, SessionTree, TranscriptMessage } from '../core/index.ts';
import type { Bodies, BodyPlace, LocatedSession, LocatedSource, SourceAdapter } from '../hosts/index.ts';
import { editionOf } from '../lib/edition.ts';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { FoundSession } from './find-sessions.ts';
import { sourcesOf } from './read-session.ts';
import { toTranscript } from './to-transcript.ts';

/** Files whose messages have been found already: the next part of a long conversation costs its own bytes only. */
export interface OpenBodies {
  open(session: LocatedSession, source: LocatedSource, agent: AgentNode): Bodies | undefined;
}

export interface ReadOptions {
  readonly opened?: OpenBodies;
  /** Images with their bytes. */
  readonly withMedia?: boolean;
  /** Hears of a file that cannot be read; the others are. Without it, that is thrown. */
  readonly onUnreadable?: (error: UserError) => void;
}

export const EVERYTHING: MessageRange = { from: 0, limit: Number.POSITIVE_INFINITY };

export interface ReadTranscript extends PartOfTranscript {
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
export async function editionOfTranscript(
  { adapter, located }: Pick<FoundSession, 'adapter' | 'located'>,
  node: AgentNode,
  opened: OpenBodies = openedAnew(adapter),
): Promise<string | undefined> {
  return editionOfAll(await bodiesOf({ adapter, located }, node, opened));
}

interface OpenedSource {
  readonly source: LocatedSource;
  readonly bodies: Bodies;
}

async function bodiesOf(
  { adapter, located }: Pick<FoundSession, 'adapter' | 'located'>,
  node: AgentNode,
  opened: OpenBodies,
): Promise<readonly OpenedSource[]> {
  return (await sourcesOf(adapter, located, node)).map((source) => {
    const bodies = opened.open(located, source, node);
    if (!bodies) throw noTranscripts(adapter);
    return { source, bodies };
  });
}

function editionOfAll(all: readonly OpenedSource[]): string | undefined {
  const files = all.map(({ bodies }) => bodies.files);
  return files.every((some) => some !== undefined) ? editionOf(files.flat()) : undefined;
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

type MessagePlace = Pick<BodyPlace, 'id' | 'timestamp'>;

interface Part extends Found {
  readonly file: string;
  readonly bodies: Bodies;
}

async function lookForPlaces(bodies: Bodies, withMedia: boolean): Promise<Found> {
  const places = await bodies.places();
  return { places, read: (wanted) => bodies.read(ofThem(places, wanted), { withMedia }) };
}

async function lookAtAll(bodies: Bodies, withMedia: boolean): Promise<Found> {
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
