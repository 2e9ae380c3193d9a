import type { SessionId } from '../core/index.ts';
import type { PlaceChange } from '../lib/watch-folders.ts';
import type { Place } from './places.ts';

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
