import path from 'node:path';
import type { SessionPart } from '../adapters/adapter.ts';
import type { SessionId } from '../model/ids.ts';
import type { ChangeBatch } from './changes.ts';
import type { FollowedSessions } from './followed-sessions.ts';
import type { Place } from './places.ts';
import type { SessionIndex } from './session-index.ts';

export interface TouchedSessions {
  /** With the files to look at; none named: all of them. */
  readonly sessions: ReadonlyMap<SessionId, ReadonlySet<string> | undefined>;
  /** Sessions or their files came or went. */
  readonly isListingChanged: boolean;
}

/** From places on disk that changed to the sessions that have to be looked at; the index is up to date afterwards. */
export async function findTouched(
  batch: ChangeBatch,
  index: SessionIndex,
  followed: FollowedSessions,
): Promise<TouchedSessions> {
  const sessions = new Map<SessionId, Set<string> | undefined>([...batch.sessions].map((id) => [id, undefined]));
  const touch = (id: SessionId, ...files: readonly string[]): void => {
    const named = sessions.get(id) ?? new Set();
    for (const file of files) named.add(file);
    if (sessions.get(id) || !sessions.has(id)) sessions.set(id, named);
  };
  const factsAt = new Set<Place>(batch.facts);
  let isListingChanged = false;
  for (const [file, what] of batch.files) {
    const readers = [...followed.readersOf(file)];
    for (const id of readers) touch(id, file);
    if (readers.length > 0 && what === 'written') continue;
    for (const place of index.places().filter(({ root }) => isAtOrBelow(file, root))) {
      const subject = (await place.adapter.follow?.subjectOf(place.root, file)) ?? { kind: 'unclear' };
      if (subject.kind === 'facts') factsAt.add(place);
      else if (subject.kind === 'unclear') for (const id of await index.loadPlace(place)) sessions.set(id, undefined);
      else {
        const found = await relocate(
          place,
          subject.kind === 'part' ? [subject.part] : below(file, place, index),
          index,
        );
        for (const { id } of found.parts) touch(id, file);
        // What is new may be what a session has been waiting for: a teammate's transcript is a session by its name.
        if (found.isNew) for (const id of followed.lookForAgents(place.root)) touch(id);
        isListingChanged ||= found.parts.length > 0;
      }
    }
  }
  for (const place of factsAt) for (const id of await index.refreshFacts(place)) touch(id);
  return { sessions, isListingChanged };
}

/** A place that is no session's may be a folder that went, and took the parts of several along. */
function below(file: string, place: Place, index: SessionIndex): readonly SessionPart[] {
  return index
    .partsBelow(file)
    .filter((one) => one.place === place)
    .map(({ part }) => part);
}

async function relocate(place: Place, parts: readonly SessionPart[], index: SessionIndex) {
  let isNew = false;
  for (const part of parts) {
    isNew ||= !index.get(part.id);
    await index.relocate(place, part);
  }
  return { parts, isNew };
}

function isAtOrBelow(file: string, root: string): boolean {
  return file === root || file.startsWith(root + path.sep);
}
