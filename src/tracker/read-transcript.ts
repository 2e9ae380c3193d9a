import type { Bodies, BodyPlace, LocatedSession, LocatedSource, SourceAdapter } from '../adapters/adapter.ts';
import { isSystemError } from '../base/system-error.ts';
import { UserError } from '../base/user-error.ts';
import type { MessageRange, PartOfTranscript } from '../model/ports.ts';
import type { TranscriptMessage } from '../model/transcript.ts';
import type { AgentNode, SessionTree } from '../model/tree.ts';
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

/** The conversation of one agent, or a part of it. */
export async function readTranscript(
  { adapter, located }: FoundSession,
  tree: SessionTree,
  node: AgentNode,
  { from, limit }: MessageRange = EVERYTHING,
  { opened = openedAnew(adapter), withMedia = false, onUnreadable }: ReadOptions = {},
): Promise<PartOfTranscript> {
  const parts: Part[] = [];
  for (const source of await sourcesOf(adapter, located, node)) {
    const bodies = opened.open(located, source, node);
    if (!bodies) throw noTranscripts(adapter);
    const file = source.path;
    const places = await reading(file, bodies.places(), onUnreadable);
    if (places) parts.push({ file, bodies, places });
  }
  const all = inOrder(parts);
  const wanted = new Set(all.slice(from, from + limit));
  const read = new Map<string, TranscriptMessage>();
  for (const { file, bodies, places } of parts) {
    const here = places.filter((place) => wanted.has(place));
    if (here.length === 0) continue;
    const messages = await reading(file, bodies.read(here, { withMedia }), onUnreadable);
    for (const message of messages ?? []) read.set(message.id, message);
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
