import type { PlaceChange } from '../io/watch-folders.ts';
import type { SessionId } from '../model/ids.ts';
import type { Place } from './places.ts';

/** What there is to look at, gathered until somebody looks. Told twice, it is looked at once. */
export interface Changes {
  addFile(file: string, what: PlaceChange): void;
  addFacts(place: Place): void;
  addSession(session: SessionId): void;
  isEmpty(): boolean;
  take(): ChangeBatch;
}

export interface ChangeBatch {
  readonly files: ReadonlyMap<string, PlaceChange>;
  readonly facts: ReadonlySet<Place>;
  readonly sessions: ReadonlySet<SessionId>;
}

export function createChanges(): Changes {
  let files = new Map<string, PlaceChange>();
  let facts = new Set<Place>();
  let sessions = new Set<SessionId>();
  return {
    addFile: (file, what) => void (files.get(file) !== 'entry' && files.set(file, what)),
    addFacts: (place) => void facts.add(place),
    addSession: (session) => void sessions.add(session),
    isEmpty: () => files.size === 0 && facts.size === 0 && sessions.size === 0,
    take() {
      const batch = { files, facts, sessions };
      files = new Map();
      facts = new Set();
      sessions = new Set();
      return batch;
    },
  };
}
