// What a short look into a session's files tells a list: when its last line was written, and whether it holds a conversation.

import {
  type AgentEvent,
  buildTree,
  computeListEntry,
  type LiveListing,
  type OlderSummary,
  type SessionId,
  type SessionTree,
  selectSessionStatus,
} from '../core/index.ts';
import type { LocatedSource, SourceReader } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { sizeOf } from '../lib/folders.ts';
import { known } from '../lib/json.ts';
import { createLineSplitter, type Line } from '../lib/lines.ts';
import { readHead, readLinesBackwards, readTail } from '../lib/read-lines.ts';
import { readRegular } from '../lib/regular-file.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { readSession } from './read-session.ts';
import { type CachedSession, Neighbourhood, type OpenCache, type SessionCache } from './session-cache.ts';

/** Nearly always the first is enough; a header with a project's instructions fits into the second. */
const HEAD_BYTES = [4 * 1024 - 1, 64 * 1024];
const TAIL_BYTES = 8 * 1024;
/** Farther from the end, no line is looked for that has a time. */
const MAX_TAIL_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** `foreign`: its files are not those of the host that was asked. */
export type Contents = 'conversation' | 'empty' | 'foreign';

/** Nearly always the size or the first lines tell; else the session is read. */
export async function glanceAt(found: FoundSession): Promise<Contents> {
  const { adapter, located } = found;
  const { sources, facts, isEmpty } = located;
  if (facts.some((fact) => fact.kind === 'process-seen' && fact.alive)) return 'conversation';
  if (sources.some(({ shape }) => shape === 'table')) return isEmpty ? 'empty' : 'conversation';
  for (const source of sources) {
    if (!isOfMain(source) || source.shape !== 'lines') continue;
    if ((await sizeOf(source.path)) > (adapter.maxEmptyBytes ?? Number.POSITIVE_INFINITY)) return 'conversation';
    if (await beginsConversation(found, source)) return 'conversation';
  }
  if (await holdsNothing(found)) return 'empty';
  const ours = await claim(found, new Set());
  if (!ours) return 'foreign';
  return buildTree(await readSession(adapter, ours.located), { now: 0 }).isEmpty ? 'empty' : 'conversation';
}

/** All its files are empty: there is nothing yet by which a host could be told. */
export async function holdsNothing({ located: { sources } }: FoundSession): Promise<boolean> {
  for (const { companion, shape, path } of sources) {
    if (companion) continue;
    if (shape === 'table') return false;
    // One that cannot be read may hold anything.
    if ((await readHead(path, 1).catch(() => undefined))?.length !== 0) return false;
  }
  return true;
}

function isOfMain({ companion, agent }: LocatedSource): boolean {
  return !companion && agent === undefined;
}

async function beginsConversation({ adapter, located, forced }: FoundSession, source: LocatedSource) {
  for (const bytes of HEAD_BYTES) {
    const head = await readHead(source.path, bytes).catch(() => new Uint8Array());
    if (!forced && !source.verified && !adapter.sniff(head)) return false;
    const reader = adapter.createReader(located, source);
    for (const line of createLineSplitter().push(head))
      if (readSafely(reader, line).some((event) => event.kind === 'entry-added' && event.entry !== 'note')) return true;
    if (head.length < bytes) return false;
  }
  return false;
}

/** What a reader fails at is told when the session is read. */
function readSafely(reader: SourceReader, line: Line): readonly AgentEvent[] {
  try {
    return reader.read(line);
  } catch {
    return [];
  }
}

/** Some disks round the times of files. */
const SLACK_MS = 3_000;

/**
 * Sessions by their last lines, the youngest first. `sessions` come by the times of their files, which are later than the lines in them, much
 * later in a copy: looks only into as many files as that leaves in doubt. If a file is older than its lines (the oldest one is looked into for
 * that, as times may have been set by hand or by a tool), nothing is taken from files.
 */
export async function* newestFirst(sessions: readonly FoundSession[]): AsyncGenerator<FoundSession> {
  const waiting: { readonly found: FoundSession; readonly at: number }[] = [];
  const oldest = sessions.at(-1);
  let areFilesLater = oldest === undefined || isFileLater(oldest, await lastTimeOf(oldest));
  let looked = 0;
  const mayBeNewer = (at: number): boolean => {
    const next = sessions[looked];
    return next !== undefined && (!areFilesLater || next.located.modifiedAt + SLACK_MS >= at);
  };
  while (looked < sessions.length || waiting.length > 0) {
    for (let next = sessions[looked]; next && mayBeNewer(waiting[0]?.at ?? 0); next = sessions[looked]) {
      const at = await lastTimeOf(next);
      areFilesLater &&= isFileLater(next, at);
      looked++;
      const place = waiting.findIndex((other) => other.at < at);
      waiting.splice(place === -1 ? waiting.length : place, 0, { found: next, at });
    }
    const newest = waiting.shift();
    if (newest) yield newest.found;
  }
}

function isFileLater({ located }: FoundSession, lastAt: number): boolean {
  return lastAt <= located.modifiedAt + SLACK_MS;
}

/** At most so many. Looks into none if there are no more than that. */
export async function newestOf(sessions: readonly FoundSession[], limit: number): Promise<readonly FoundSession[]> {
  if (sessions.length <= limit) return sessions;
  const newest: FoundSession[] = [];
  for await (const session of newestFirst(sessions)) {
    if (newest.length === limit) break;
    newest.push(session);
  }
  return newest;
}

/** Of its last line, in any of its files; without such a line, of its newest file. Epoch milliseconds. */
export async function lastTimeOf({ adapter, located }: FoundSession): Promise<number> {
  const { sources, modifiedAt } = located;
  // The rows of a table say themselves when they were written.
  if (sources.some(({ shape }) => shape === 'table')) return modifiedAt;
  const times: number[] = [];
  for (const source of sources) {
    if (source.companion) continue;
    const reader = adapter.createReader(located, source);
    times.push(await lastTimeIn(reader, source).catch(() => 0));
  }
  return Math.max(0, ...times) || modifiedAt;
}

async function lastTimeIn(reader: SourceReader, { shape, path }: LocatedSource): Promise<number> {
  const timeIn = (bytes: Uint8Array, offset: number): number =>
    lastOf(readSafely(reader, { bytes, offset, length: bytes.length, torn: false, tooLong: false }));
  if (shape === 'document') return timeIn(await readRegular(path), 0);
  const { bytes, offset } = await readTail(path, TAIL_BYTES);
  for (let to = bytes.length; to > 0; ) {
    const from = to === 1 ? -1 : bytes.lastIndexOf(NEWLINE, to - 2);
    // The rest of a line that begins before.
    if (from === -1 && offset > 0) break;
    const at = timeIn(bytes.subarray(from + 1, bytes[to - 1] === NEWLINE ? to - 1 : to), offset + from + 1);
    if (at > 0) return at;
    to = from + 1;
  }
  if (offset === 0) return 0;
  for await (const line of readLinesBackwards(path)) {
    const at = timeIn(line.bytes, line.offset);
    if (at > 0) return at;
    if (line.offset < offset - MAX_TAIL_BYTES) break;
  }
  return 0;
}

function lastOf(events: readonly AgentEvent[]): number {
  return events.reduce((last, event) => Math.max(last, ('at' in event && event.at) || 0), 0);
}

async function glanceOf(found: FoundSession): Promise<Pick<Glance, 'contents' | 'lastAt'>> {
  return { contents: await glanceAt(found), lastAt: await lastTimeOf(found) };
}

function glanceFrom(
  { isEmpty, lastActivityAt }: SessionTree,
  { located }: FoundSession,
): Pick<Glance, 'contents' | 'lastAt'> {
  return { contents: isEmpty ? 'empty' : 'conversation', lastAt: lastActivityAt ?? located.modifiedAt };
}

function treeOf(cached: CachedSession, now: number): SessionTree | undefined {
  if (cached.tree) return cached.tree;
  const ledger = cached.ledger();
  return ledger && buildTree(ledger, { now });
}

function summarise(tree: SessionTree): OlderSummary {
  const agents = tree.agents.filter(({ kind }) => kind !== 'internal').length;
  const entry = computeListEntry(tree);
  return { status: selectSessionStatus(tree), agents, entry, ...known({ title: tree.title, cwd: tree.cwd }) };
}

interface Glance {
  /** Of its files when they were looked at. */
  readonly modifiedAt: number;
  readonly files: number;
  readonly contents: Contents;
  readonly lastAt: number;
  readonly summary?: OlderSummary;
  /** Of the index when nothing of it was there. */
  readonly missedAt?: number;
}

/** Sessions that are listed and not read. They are looked at once each, and again when their files have changed. */
export class OlderSessions {
  readonly #glances = new Map<SessionId, Glance>();
  readonly #openCache: OpenCache | undefined;
  #cache: SessionCache | undefined;
  #lastState: number | undefined;

  readonly #clock: Clock;

  constructor(clock: Clock, openCache?: OpenCache) {
    this.#clock = clock;
    this.#openCache = openCache;
  }

  /** Newest first; what was not looked at yet goes by its files. */
  list(sessions: readonly FoundSession[]): Pick<LiveListing, 'older' | 'emptySessions'> {
    const seen = sessions.map((found) => ({ found, glance: this.#glanceOf(found) }));
    const older = seen
      .filter(({ glance }) => glance === undefined || glance.contents === 'conversation')
      .map(({ found: { located }, glance }) => ({
        id: located.id,
        modifiedAt: glance?.lastAt ?? located.modifiedAt,
        files: located.sources.length,
        ...known({ summary: glance?.summary }),
      }));
    return {
      older: older.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1)),
      emptySessions: seen.filter(({ glance }) => glance?.contents === 'empty').length,
    };
  }

  /**
   * For so long, in milliseconds. `all`: with those that are not in `sessions`, which may be their neighbours. Returns whether that changed
   * what `list` says, whether more are left, and how many the index does not have.
   */
  async look(sessions: readonly FoundSession[], all: readonly FoundSession[], ms: number) {
    this.#cache ??= await this.#openCache?.();
    const state = this.#cache?.state();
    this.#lastState = state;
    const unseen = sessions.filter((found) => {
      const glance = this.#glanceOf(found);
      return glance === undefined || (glance.missedAt !== undefined && glance.missedAt !== state);
    });
    const around = new Neighbourhood(all);
    const end = performance.now() + ms;
    let [isNews, looked] = [false, 0];
    for (const found of unseen) {
      const { id, modifiedAt, sources } = found.located;
      const cached = this.#cache?.find(found, around);
      const tree = cached && treeOf(cached, this.#clock());
      const before = this.#glanceOf(found);
      const { contents, lastAt } = tree ? glanceFrom(tree, found) : (before ?? (await glanceOf(found)));
      const summary = tree && summarise(tree);
      // What time changes is built again when somebody else has read something.
      const missedAt = cached?.tree ? undefined : state;
      this.#glances.set(id, { modifiedAt, files: sources.length, contents, lastAt, ...known({ summary, missedAt }) });
      isNews ||= before === undefined && (contents !== 'conversation' || lastAt !== modifiedAt);
      isNews ||= summary !== undefined && JSON.stringify(summary) !== JSON.stringify(before?.summary);
      looked++;
      if (performance.now() > end) break;
    }
    return { isNews, isMore: looked < unseen.length, unread: this.#cache ? this.#countUnread(sessions) : 0 };
  }

  #countUnread(sessions: readonly FoundSession[]): number {
    return sessions.filter((found) => {
      const glance = this.#glanceOf(found);
      return glance?.contents === 'conversation' && !glance.summary;
    }).length;
  }

  /** Another process has read sessions since the last look. */
  hasNews(): boolean {
    return this.#cache !== undefined && this.#cache.state() !== this.#lastState;
  }

  #glanceOf({ located: { id, modifiedAt, sources } }: FoundSession): Glance | undefined {
    const glance = this.#glances.get(id);
    return glance?.modifiedAt === modifiedAt && glance.files === sources.length ? glance : undefined;
  }
}
