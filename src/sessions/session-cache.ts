import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import type { AgentEvent, SessionId, SessionLedger, SessionTree } from '../core/index.ts';
import type { LocatedSource, MessageLines } from '../hosts/index.ts';
import { type FileMark, hasGrownFrom } from '../lib/follow-file.ts';
import { groupBy } from '../lib/group.ts';
import type { FoundSession } from './find-sessions.ts';
import type { ReadBefore } from './follow-session.ts';
import { isAddress } from './places.ts';

/** What was read of sessions before. Never throws: a session that is not in it is read from its files. */
export interface SessionCache {
  /** Undefined if any file that the session was read from has changed since. */
  find(session: FoundSession, around: Neighbourhood): CachedSession | undefined;
  /** It was read as it is now: its files are its host's. */
  knows(session: FoundSession): boolean;
  /** If files of the session have only grown, or came: what was read of it before. */
  findBefore(session: FoundSession): CachedBefore | undefined;
  /** Where the messages of a conversation are, if its files are still in the state that `stamp` says. */
  findPlaces(conversation: string, stamp: string): KnownPlaces | undefined;
  keepPlaces(conversation: string, stamp: string, places: KnownPlaces): void;
  /** Changes when another process adds something. */
  state(): number;
  keep(session: FoundSession, read: SessionRead, around: Neighbourhood): void;
}

export type OpenCache = () => Promise<SessionCache | undefined>;

export interface CachedSession {
  /** Left out if time changes it: then it is built again from the facts. */
  readonly tree?: SessionTree;
  /** Undefined if it cannot be read any more. */
  ledger(): SessionLedger | undefined;
}

export interface CachedBefore extends ReadBefore {
  /** Of the unchanged files. */
  readonly sources: readonly SourceRead[];
}

export interface KnownPlaces {
  readonly places: readonly MessageLines[];
  readonly leftOut: Readonly<Record<string, number>>;
}

/** How far a file of a session was read. */
export interface SourceRead {
  /** What the host says of it: read as something else, it says something else. */
  readonly as: string;
  readonly path: string;
  /** Null: it was written to just before it was read. */
  readonly stamp: string | null;
  readonly mark?: FileMark | undefined;
}

export interface SessionRead {
  readonly ledger: SessionLedger;
  readonly tree: SessionTree;
  /** Of its own files before they were read. Undefined: it was being written to, or its process runs. */
  readonly stamp: string | undefined;
  readonly sources: readonly SourceRead[];
  /** Those found beside the session. */
  readonly facts: readonly AgentEvent[];
  /** Files of other sessions that it was read from. */
  readonly borrowed: readonly string[];
  /** Another session that appears may change it. */
  readonly dependsOnOthers: boolean;
}

/** Sessions whose files are still being written are not kept: two writes within one tick of the disk's clock look the same. */
const QUIET_MS = 3_000;

/** A database does not say of a session when it was last written to while the session is young. */
const YOUNG_MS = 6 * 3_600_000;

/** Undefined while the session may change without it: its process runs, or something was written just now. */
export function stampOf(session: FoundSession, now: number): string | undefined {
  const { adapter, forced, located } = session;
  if (located.facts.some((fact) => fact.kind === 'process-seen' && (fact.alive || fact.isOutOfSight))) return undefined;
  const states: unknown[] = [adapter.host, forced, located.facts];
  for (const source of located.sources) {
    const state = sourceStamp(source, located.modifiedAt, now);
    if (state === undefined) return undefined;
    const { id, role, shape, agent, standIn, path } = source;
    states.push([id, role, shape, agent, standIn, path, state]);
  }
  return createHash('sha256').update(JSON.stringify(states)).digest('base64url');
}

/** How long it takes until nothing of the session was written just now, in milliseconds; 0 if so already. */
export function quietIn({ located }: FoundSession, now: number): number {
  const files = located.sources.flatMap(({ path, shape }) => (shape === 'table' ? [path, `${path}-wal`] : [path]));
  const changed = files.map((file) => statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0);
  return Math.max(0, ...changed.map((at) => (Math.abs(now - at) < QUIET_MS ? at + QUIET_MS - now : 0)));
}

/** Before they are read. */
export function sourcesBefore({ located }: FoundSession, now: number): readonly SourceRead[] {
  return located.sources.map((source) => {
    const stamp = sourceStamp(source, located.modifiedAt, now) ?? null;
    return { as: asOf(source), path: source.path, stamp };
  });
}

/** Which of the files that were read still hold what they held then. Undefined: some other bytes are in one of them, or it is gone. */
export function unchangedOf(
  { located }: FoundSession,
  read: readonly SourceRead[],
  now: number,
): readonly SourceRead[] | undefined {
  const current = new Map(located.sources.map((source) => [source.path, source]));
  const unchanged: SourceRead[] = [];
  for (const one of read) {
    const source = current.get(one.path);
    if (!source || asOf(source) !== one.as) return undefined;
    const stamp = sourceStamp(source, located.modifiedAt, now);
    if (stamp !== undefined && stamp === one.stamp) unchanged.push(one);
    else if (source.shape !== 'lines' || !one.mark || !hasGrownFrom(one.mark, one.path)) return undefined;
  }
  return unchanged;
}

function asOf({ id, role, shape, agent, standIn }: LocatedSource): string {
  return JSON.stringify([id, role, shape, agent, standIn]);
}

function sourceStamp({ path, shape }: LocatedSource, modifiedAt: number, now: number): string | undefined {
  if (shape !== 'table') return fileStamp(path, now);
  // A server says what is in its memory.
  if (isAddress(path)) return undefined;
  if (now - modifiedAt > YOUNG_MS) return `${inodeOf(path)} ${modifiedAt}`;
  const log = `${path}-wal`;
  const [own, added] = [fileStamp(path, now), existsSync(log) ? fileStamp(log, now) : '-'];
  return own === undefined || added === undefined ? undefined : `${own} ${added}`;
}

function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
}

/** Undefined if there is no such file, or it was written to just now. */
export function fileStamp(file: string, now: number): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return Math.abs(now - ctimeMs) < QUIET_MS ? undefined : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}

export const ANYWHERE = '*';

/** Which files lie in the folder of a session, those of others included. */
export class Neighbourhood {
  readonly #byFolder: ReadonlyMap<string, readonly FoundSession[]>;
  readonly #byId: ReadonlyMap<SessionId, readonly FoundSession[]>;
  readonly #names = new Map<string, string>();

  constructor(all: readonly FoundSession[]) {
    this.#byFolder = groupBy(all, folderOf);
    this.#byId = groupBy(all, ({ located }) => located.id);
  }

  /** Which files are around it, and where its original is, which may be in another folder: anywhere while it is not known. */
  namesAround(session: FoundSession, original?: SessionId | typeof ANYWHERE): string {
    const names = this.#namesIn(folderOf(session));
    if (original === undefined) return names;
    const others = original === ANYWHERE ? [...this.#byId.values()].flat() : (this.#byId.get(original) ?? []);
    const files = others.flatMap(({ located: { sources } }) =>
      sources.flatMap(({ path, role }) => (role === 'session' ? path : [])),
    );
    const hash = createHash('sha256').update(JSON.stringify(files.sort()));
    return `${names} ${hash.digest('base64url')} ${original}`;
  }

  /** Whether it is what `namesAround` said. */
  hasNames(session: FoundSession, names: string): boolean {
    const [, , ...original] = names.split(' ');
    return names === this.namesAround(session, original.length > 0 ? (original.join(' ') as SessionId) : undefined);
  }

  #namesIn(folder: string): string {
    const known = this.#names.get(folder);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    const files = (this.#byFolder.get(folder) ?? []).flatMap(({ located: { id, sources } }) =>
      // In a database, all are in one file.
      sources.map(({ path, shape }) => (shape === 'table' ? `${path} ${id}` : path)),
    );
    for (const file of files.sort()) hash.update(`${file}\n`);
    const names = hash.digest('base64url');
    this.#names.set(folder, names);
    return names;
  }
}

function folderOf({ located: { root, folder = root } }: FoundSession): string {
  return folder;
}
