import path from 'node:path';
import type { SessionId } from '../core/index.ts';
import type { SessionPart } from '../hosts/index.ts';
import { modifiedAt, sizeOf } from '../lib/folders.ts';
import type { PlaceChange } from '../lib/watch-folders.ts';
import type { FollowedSessions } from './followed-sessions.ts';
import { sessionToldIn } from './hook-sources.ts';
import type { Place } from './places.ts';
import type { SessionIndex } from './session-index.ts';

/** What there is to look at, gathered until somebody looks. Told twice, it is looked at once. */
export interface Changes {
  addFile(file: string, what: PlaceChange): void;
  addFacts(place: Place): void;
  addSession(session: SessionId): void;
  isEmpty(): boolean;
  /** Lines of sessions that are followed: they come before everything else. */
  takeUrgent(): ChangeBatch;
  /** At most so many files and sessions of the rest, those that were told first. */
  take(limit: number): ChangeBatch;
}

export interface ChangeBatch {
  readonly files: ReadonlyMap<string, PlaceChange>;
  readonly facts: ReadonlySet<Place>;
  readonly sessions: ReadonlySet<SessionId>;
}

export function createChanges(isRead: (file: string) => boolean): Changes {
  let urgent = new Map<string, PlaceChange>();
  const files = new Map<string, PlaceChange>();
  let facts = new Set<Place>();
  const sessions = new Set<SessionId>();
  return {
    addFile(file, what) {
      // Nobody reads it yet: once somebody does, it may be too late to see that it is another's by now.
      if (what === 'written' && isRead(file)) urgent.set(file, what);
      else files.set(file, 'entry');
    },
    addFacts: (place) => void facts.add(place),
    addSession: (session) => void sessions.add(session),
    isEmpty: () => urgent.size === 0 && files.size === 0 && facts.size === 0 && sessions.size === 0,
    takeUrgent() {
      const batch = { files: urgent, facts: new Set<Place>(), sessions: new Set<SessionId>() };
      urgent = new Map();
      return batch;
    },
    take(limit) {
      const batch = { files: new Map(firstOf(files, limit)), facts, sessions: new Set(firstOf(sessions, limit)) };
      for (const file of batch.files.keys()) files.delete(file);
      for (const session of batch.sessions) sessions.delete(session);
      facts = new Set();
      return batch;
    },
  };
}

function firstOf<T>(all: Iterable<T>, limit: number): readonly T[] {
  const first: T[] = [];
  for (const one of all) {
    if (first.length >= limit) break;
    first.push(one);
  }
  return first;
}

export interface TouchedSessions {
  /** With the files to look at; none named: all of them. */
  readonly sessions: ReadonlyMap<SessionId, ReadonlySet<string> | undefined>;
  /** Sessions or their files came or went. */
  readonly isListingChanged: boolean;
}

/** Who speaks in a transcript, its first lines tell; they may come after the file. */
const FIRST_LINES_BYTES = 16 * 1024;

/** From places on disk that changed to the sessions that have to be looked at; the index is up to date afterwards. */
export async function findTouched(
  batch: ChangeBatch,
  index: SessionIndex,
  followed: FollowedSessions,
): Promise<TouchedSessions> {
  const known = [...batch.sessions].filter((id) => followed.has(id));
  const sessions = new Map<SessionId, Set<string> | undefined>(known.map((id) => [id, undefined]));
  const touch = (id: SessionId, ...files: readonly string[]): void => {
    const named = sessions.get(id) ?? new Set();
    for (const file of files) named.add(file);
    if (sessions.get(id) || !sessions.has(id)) sessions.set(id, named);
  };
  const factsAt = new Set<Place>(batch.facts);
  const unclear = new Set<Place>();
  const entries = new Set<string>();
  /** A batch may name hundreds of files of one session, and hundreds of sessions of one folder: it is looked at once. */
  const folders = new Map<string, { readonly place: Place; readonly folder: string; readonly ids: Set<SessionId> }>();
  const addPart = (place: Place, { folder, id }: SessionPart): void => {
    const key = `${place.adapter.host} ${place.root} ${folder}`;
    const known = folders.get(key) ?? { place, folder, ids: new Set() };
    known.ids.add(id);
    folders.set(key, known);
  };
  /** Data folders in which somebody may have turned up. */
  const came = new Set<string>();
  /** A place that is no session's may be a folder that went, and took the parts of several along. */
  const nobodys = new Set<string>();
  for (const [file, what] of batch.files) {
    const readers = [...followed.readersOf(file)];
    for (const id of readers) touch(id, file);
    const had = index.partsWith(file);
    // Where all who read it have borrowed it, the one whose it is may not be up to date.
    if (what === 'written' && had.some(({ part }) => readers.includes(part.id))) {
      const main = had.filter(({ source }) => !source.agent && !source.companion);
      if (main.length > 0 && (await sizeOf(file)) < FIRST_LINES_BYTES)
        for (const { place } of main) came.add(place.root);
      continue;
    }
    // Those that had it may have it no longer: whose a file is, its lines may tell, and they may be others now.
    for (const { place, part } of had) {
      addPart(place, part);
      touch(part.id, file);
    }
    for (const { told = [], adapter } of index.places()) {
      if (!told.some((folder) => isAtOrBelow(file, folder))) continue;
      for (const { place, part } of index.partsOf(sessionToldIn(adapter.host, file))) {
        addPart(place, part);
        touch(part.id, file);
      }
    }
    for (const place of index.places().filter(({ root }) => isAtOrBelow(file, root))) {
      const notes = index.notesOn(place);
      const subject = (await place.adapter.follow?.subjectOf(place.root, file, notes)) ?? { kind: 'everything' };
      if (what === 'entry' && subject.kind !== 'facts' && subject.kind !== 'shared') entries.add(file);
      if (subject.kind === 'facts') factsAt.add(place);
      else if (subject.kind === 'everything') unclear.add(place);
      else if (subject.kind === 'nothing') {
        nobodys.add(file);
        if (subject.mayHoldFacts && what === 'entry') factsAt.add(place);
      } else if (subject.kind === 'shared')
        for (const part of subject.parts) {
          // It is written to a hundred times a second: who lies in it already is not looked for again.
          if (!index.partsOf(part.id).some((known) => known.place === place)) addPart(place, part);
          touch(part.id, subject.source);
        }
      else {
        addPart(place, subject.part);
        touch(subject.part.id, file);
      }
    }
  }
  for (const { place, part, below } of index.partsBelow(nobodys)) {
    addPart(place, part);
    touch(part.id, below);
  }
  for (const { place, folder, ids } of folders.values()) await index.relocate(place, folder, [...ids]);
  // Before anything is read: which of its places is the newest decides which files are.
  for (const [id, files] of sessions)
    if (index.isInSeveralPlaces(id))
      for (const file of files ?? []) index.noteModified(id, file, await modifiedAt(file));
  for (const place of unclear) for (const id of await index.loadPlace(place)) sessions.set(id, undefined);
  for (const place of factsAt) for (const id of await index.refreshFacts(place)) touch(id);
  // What came may be what a session has been waiting for: a teammate's transcript is a session by its name.
  for (const { place } of folders.values()) came.add(place.root);
  for (const root of came) for (const id of followed.lookForAgents(root)) touch(id);
  index.noteEntries(entries);
  return { sessions, isListingChanged: folders.size > 0 || unclear.size > 0 };
}

function isAtOrBelow(file: string, root: string): boolean {
  return file === root || file.startsWith(root + path.sep);
}
