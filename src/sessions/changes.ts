import path from 'node:path';
import type { SessionId } from '../core/index.ts';
import type { SessionPart } from '../hosts/index.ts';
import { modifiedAt, sizeOf } from '../lib/folders.ts';
import type { PlaceChange } from '../lib/watch-folders.ts';
import type { FollowedSessions } from './followed-sessions.ts';
import type { DataFolder } from './places.ts';
import type { SessionIndex } from './session-index.ts';
import { sessionOfRecord } from './session-records.ts';

export interface ChangeBatch {
  readonly files: ReadonlyMap<string, PlaceChange>;
  readonly facts: ReadonlySet<DataFolder>;
  readonly sessions: ReadonlySet<SessionId>;
}

/** Changes that wait to be looked at. One that is reported twice is looked at once. */
export class Changes {
  readonly #isRead: (file: string) => boolean;
  #urgent = new Map<string, PlaceChange>();
  readonly #files = new Map<string, PlaceChange>();
  readonly facts = new Set<DataFolder>();
  readonly sessions = new Set<SessionId>();

  constructor(isRead: (file: string) => boolean) {
    this.#isRead = isRead;
  }

  addFile(file: string, what: PlaceChange): void {
    // A file that no session reads yet may belong to another session by the time it is read: look at it as a new entry.
    if (what === 'written' && this.#isRead(file)) this.#urgent.set(file, what);
    else this.#files.set(file, 'entry');
  }

  isEmpty(): boolean {
    return [this.#urgent, this.#files, this.facts, this.sessions].every(({ size }) => size === 0);
  }

  /** Lines of sessions that are followed: they come before everything else. */
  takeUrgent(): ChangeBatch {
    const files = this.#urgent;
    this.#urgent = new Map();
    return { files, facts: new Set(), sessions: new Set() };
  }

  /** At most so many files and sessions of the rest, oldest first. */
  take(limit: number): ChangeBatch {
    const files = new Map([...this.#files].slice(0, limit));
    const sessions = new Set([...this.sessions].slice(0, limit));
    const facts = new Set(this.facts);
    for (const file of files.keys()) this.#files.delete(file);
    for (const session of sessions) this.sessions.delete(session);
    this.facts.clear();
    return { files, facts, sessions };
  }
}

/** Who speaks in a transcript, its first lines tell; they may come after the file. */
const FIRST_LINES_BYTES = 16 * 1024;

/** From places on disk that changed to the sessions that have to be looked at; the index is up to date afterwards. */
export async function findTouched(batch: ChangeBatch, index: SessionIndex, followed: FollowedSessions) {
  const known = [...batch.sessions].filter((id) => followed.has(id));
  /** With the files to look at; none named: all of them. */
  const sessions = new Map<SessionId, Set<string> | undefined>(known.map((id) => [id, undefined]));
  const touch = (id: SessionId, ...files: readonly string[]): void => {
    const named = sessions.get(id) ?? new Set();
    for (const file of files) named.add(file);
    if (sessions.get(id) || !sessions.has(id)) sessions.set(id, named);
  };
  const factsAt = new Set<DataFolder>(batch.facts);
  const unclear = new Set<DataFolder>();
  const entries = new Set<string>();
  /** A batch may name hundreds of files of one session, and hundreds of sessions of one folder: it is looked at once. */
  const folders = new Map<string, { place: DataFolder; folder: string; ids: Set<SessionId> }>();
  const addPart = (place: DataFolder, { folder, id }: SessionPart): void => {
    const key = `${place.adapter.host} ${place.root} ${folder}`;
    const known = folders.get(key) ?? { place, folder, ids: new Set() };
    known.ids.add(id);
    folders.set(key, known);
  };
  const touchPart = (place: DataFolder, part: SessionPart, file: string): void => {
    addPart(place, part);
    touch(part.id, file);
  };
  /** Data folders in which somebody may have turned up. */
  const came = new Set<string>();
  /** A place that is no session's may be a folder that went, and took the parts of several along. */
  const unowned = new Set<string>();
  for (const [file, what] of batch.files) {
    const readers = [...followed.readersOf(file)];
    for (const id of readers) touch(id, file);
    const had = index.partsWith(file);
    // Where all who read it have borrowed it, the one whose it is may not be up to date.
    if (what === 'written' && had.some(({ part }) => readers.includes(part.id))) {
      const main = had.filter(({ source }) => !source.agent && !source.companion);
      if (main.length > 0 && (await sizeOf(file)) < FIRST_LINES_BYTES)
        for (const { place } of main) {
          came.add(place.root);
          factsAt.add(place);
        }
      continue;
    }
    // Those that had it may have it no longer: whose a file is, its lines may tell, and they may be others now.
    for (const { place, part } of had) touchPart(place, part, file);
    for (const { records = [], adapter } of index.places()) {
      if (!records.some((folder) => isAtOrBelow(file, folder))) continue;
      const session = sessionOfRecord(adapter.host, file);
      for (const { place, part } of index.partsOf(session)) touchPart(place, part, file);
    }
    for (const place of index.places().filter(({ root }) => isAtOrBelow(file, root))) {
      const notes = index.notesOn(place);
      const subject = (await place.adapter.follow?.subjectOf(place.root, file, notes)) ?? { kind: 'everything' };
      if (what === 'entry' && subject.kind !== 'facts' && subject.kind !== 'shared') entries.add(file);
      if (subject.kind === 'facts') factsAt.add(place);
      else if (subject.kind === 'everything') unclear.add(place);
      else if (subject.kind === 'nothing') {
        unowned.add(file);
        if (subject.mayHoldFacts && what === 'entry') factsAt.add(place);
      } else if (subject.kind === 'shared')
        for (const part of subject.parts) {
          // It is written to a hundred times a second: who lies in it already is not looked for again.
          const held = index.partsOf(part.id).find((known) => known.place === place);
          if (!held) addPart(place, part);
          // A process writes that was not there when the facts were read.
          if (!held || held.located.facts.some(({ kind }) => kind !== 'process-seen')) factsAt.add(place);
          touch(part.id, subject.source);
        }
      else {
        // By its first lines, a process may have gone on in it.
        if (index.partsOf(subject.part.id).length === 0) factsAt.add(place);
        touchPart(place, subject.part, file);
      }
    }
  }
  for (const { place, part, below } of index.partsBelow(unowned)) touchPart(place, part, below);
  for (const { place, folder, ids } of folders.values()) await index.relocate(place, folder, [...ids]);
  // Before anything is read: which of its places is the newest decides which files are.
  for (const [id, files] of sessions)
    if (index.partsOf(id).length > 1)
      for (const file of files ?? []) index.noteModified(id, file, await modifiedAt(file));
  for (const place of unclear) for (const id of await index.loadPlace(place)) sessions.set(id, undefined);
  for (const place of factsAt) for (const id of await index.refreshFacts(place)) touch(id);
  // What came may be what a session has been waiting for: a teammate's transcript is a session by its name.
  for (const { place } of folders.values()) came.add(place.root);
  for (const root of came) for (const id of followed.lookForAgents(root)) touch(id);
  index.noteEntries(entries);
  /** Sessions or their files came or went. */
  const isListingChanged = folders.size > 0 || unclear.size > 0;
  return { sessions, isListingChanged };
}

function isAtOrBelow(file: string, root: string): boolean {
  return file === root || file.startsWith(root + path.sep);
}
