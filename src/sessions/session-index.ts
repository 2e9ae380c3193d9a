import path from 'node:path';
import type { AgentEvent, SessionId } from '../core/index.ts';
import type { FollowNotes, LocatedSession, LocatedSource, SessionPart } from '../hosts/index.ts';
import { byAge, distinct, type FoundSession, joinParts } from './find-sessions.ts';
import type { Place } from './places.ts';

/** Which sessions there are, in which files. Kept up to date piece by piece; no conversation is read for it. */
export interface SessionIndex {
  /** Finds out which data folders there are, each once. */
  findPlaces(): Promise<readonly Place[]>;
  /** Looks at one place anew. Tells which sessions it has, or had. */
  loadPlace(place: Place): Promise<ReadonlySet<SessionId>>;
  /** Looks anew at what of some sessions lies in one folder. */
  relocate(place: Place, folder: string, ids: readonly SessionId[]): Promise<void>;
  /** Tells which sessions something else is said of now. */
  refreshFacts(place: Place): Promise<ReadonlySet<SessionId>>;
  /** One of its files was written to: of a session in two places, the newer one counts. */
  noteModified(id: SessionId, file: string, at: number): void;
  get(id: SessionId): FoundSession | undefined;
  partsOf(id: SessionId): readonly { readonly place: Place; readonly part: SessionPart }[];
  isInSeveralPlaces(id: SessionId): boolean;
  /** Newest first. */
  all(): readonly FoundSession[];
  /** Parts that have this file, whether anybody reads it or not. */
  partsWith(file: string): readonly PartWith[];
  /** Parts whose files lie at or below one of these places, and which. All parts are gone through once for all places. */
  partsBelow(places: ReadonlySet<string>): readonly PartBelow[];
  readonly ignoredFiles: number;
  /** Something came or went at these places: where it is no session's, the ignored files are others now. */
  noteEntries(files: ReadonlySet<string>): void;
  /** Looks for ignored files anew, where they may be others. Whether there are more or fewer. */
  recountIgnored(): Promise<boolean>;
  /** Files of any session. */
  usedFiles(): ReadonlySet<string>;
  /** Each data folder once. */
  places(): readonly Place[];
  /** What its adapter has to remember of a place. */
  notesOn(place: Place): FollowNotes;
  /** What could not be looked at, in words for people. */
  problems(): readonly string[];
}

export interface PartWith {
  readonly place: Place;
  readonly part: SessionPart;
  readonly source: LocatedSource;
}

export interface PartBelow {
  readonly place: Place;
  readonly part: SessionPart;
  readonly below: string;
}

interface Part {
  readonly place: Place;
  readonly folder: string;
  readonly located: LocatedSession;
}

export function createSessionIndex(wanted: readonly Place[]): SessionIndex {
  const parts = new Map<SessionId, Part[]>();
  /** Whose a file is. */
  const holders = new Map<string, Set<SessionId>>();
  const ignored = new Map<Place, readonly string[]>();
  const problems = new Map<Place, readonly string[]>();
  const notes = new Map<Place, FollowNotes>();
  /** What was said last beside the sessions: a session that appears is told at once. */
  const factsAt = new Map<Place, (session: LocatedSession) => readonly AgentEvent[]>();
  let places: readonly Place[] = wanted;
  let mayIgnoreOthers = false;

  const folderOf = (located: LocatedSession): string => located.folder ?? located.root;
  const setParts = (id: SessionId, list: Part[]): void => {
    for (const file of filesOf(parts.get(id) ?? [])) {
      const ids = holders.get(file);
      if (ids?.delete(id) && ids.size === 0) holders.delete(file);
    }
    for (const file of filesOf(list)) holders.set(file, (holders.get(file) ?? new Set()).add(id));
    if (list.length === 0) parts.delete(id);
    else parts.set(id, list);
  };
  const put = (place: Place, located: LocatedSession): void => {
    const folder = folderOf(located);
    const others = (parts.get(located.id) ?? []).filter((part) => part.place !== place || part.folder !== folder);
    setParts(located.id, located.sources.length === 0 ? others : [...others, { place, folder, located }]);
  };
  const dropPlace = (place: Place): Set<SessionId> => {
    const had = new Set<SessionId>();
    for (const [id, list] of parts) {
      const others = list.filter((part) => part.place !== place);
      if (others.length === list.length) continue;
      had.add(id);
      setParts(id, others);
    }
    return had;
  };
  const loadPlace = async (place: Place): Promise<ReadonlySet<SessionId>> => {
    const { sessions, ignoredFiles, problems: found = [] } = await place.adapter.locate(place.root);
    problems.set(place, found);
    const factsOf = await place.adapter.follow?.readFacts(place.root);
    if (factsOf) factsAt.set(place, factsOf);
    const touched = dropPlace(place);
    for (const located of sessions) {
      put(place, located);
      touched.add(located.id);
    }
    ignored.set(place, ignoredFiles);
    return touched;
  };
  const found = (list: readonly Part[]): FoundSession | undefined =>
    joinParts(list.map(({ place, located }) => ({ adapter: place.adapter, forced: place.forced, located })));

  const usedFiles = (): ReadonlySet<string> =>
    new Set([...parts.values()].flat().flatMap(({ located }) => located.sources.map((source) => source.path)));
  const countIgnored = (): number => {
    // Of two hosts that look into one folder, each has no use for the other's files.
    const used = usedFiles();
    return [...new Set([...ignored.values()].flat())].filter((file) => !used.has(file)).length;
  };

  return {
    places: () => places,
    notesOn(place) {
      const kept = notes.get(place) ?? new Map<string, unknown>();
      notes.set(place, kept);
      return kept;
    },
    problems: () => [...new Set([...problems.values()].flat())],
    async findPlaces() {
      places = await distinct(wanted);
      return places;
    },
    loadPlace,
    async relocate(place, folder, ids) {
      for (const located of (await place.adapter.follow?.locateParts(place.root, folder, ids)) ?? [])
        put(place, { ...located, facts: factsAt.get(place)?.(located) ?? [] });
    },
    async refreshFacts(place) {
      const touched = new Set<SessionId>();
      const factsOf = await place.adapter.follow?.readFacts(place.root);
      if (!factsOf) return touched;
      factsAt.set(place, factsOf);
      for (const [id, list] of parts) {
        const fresh = list.map((part) => (part.place === place ? withFacts(part, factsOf(part.located)) : part));
        if (fresh.every((part, index) => part === list[index])) continue;
        parts.set(id, fresh);
        touched.add(id);
      }
      return touched;
    },
    noteModified(id, file, at) {
      const list = parts.get(id) ?? [];
      const isOlder = ({ located }: Part): boolean =>
        located.modifiedAt < at && located.sources.some((source) => source.path === file);
      if (!list.some(isOlder)) return;
      parts.set(
        id,
        list.map((part) => (isOlder(part) ? { ...part, located: { ...part.located, modifiedAt: at } } : part)),
      );
    },
    get: (id) => found(parts.get(id) ?? []),
    partsOf: (id) => (parts.get(id) ?? []).map(({ place, folder }) => ({ place, part: { id, folder } })),
    isInSeveralPlaces: (id) => (parts.get(id)?.length ?? 0) > 1,
    all: () => [...parts.values()].flatMap((list) => found(list) ?? []).sort(byAge),
    partsWith: (file) =>
      [...(holders.get(file) ?? [])].flatMap((id) =>
        (parts.get(id) ?? []).flatMap(({ place, folder, located }) => {
          const source = located.sources.find(({ path: own }) => own === file);
          return source ? [{ place, part: { id, folder }, source }] : [];
        }),
      ),
    partsBelow(wanted) {
      if (wanted.size === 0) return [];
      return [...parts].flatMap(([id, list]) =>
        list.flatMap(({ place, folder, located }) => {
          const files = [folder, ...located.sources.map((source) => source.path)];
          const below = firstAbove(files, place.root, wanted);
          return below === undefined ? [] : [{ place, part: { id, folder }, below }];
        }),
      );
    },
    get ignoredFiles() {
      return countIgnored();
    },
    usedFiles,
    noteEntries(files) {
      if (mayIgnoreOthers || files.size === 0) return;
      const used = usedFiles();
      mayIgnoreOthers = [...files].some((file) => !used.has(file));
    },
    async recountIgnored() {
      if (!mayIgnoreOthers) return false;
      mayIgnoreOthers = false;
      const before = countIgnored();
      for (const place of places) {
        const located = await place.adapter.locate(place.root);
        ignored.set(place, located.ignoredFiles);
        problems.set(place, located.problems ?? []);
      }
      return countIgnored() !== before;
    },
  };
}

/** Which of the wanted places one of the files is, or lies below. */
function firstAbove(files: readonly string[], root: string, wanted: ReadonlySet<string>): string | undefined {
  for (const file of files)
    for (let above = file; above.length >= root.length; above = path.dirname(above)) {
      if (wanted.has(above)) return above;
      if (above === path.dirname(above)) break;
    }
  return undefined;
}

function filesOf(list: readonly Part[]): readonly string[] {
  return list.flatMap(({ located }) => located.sources.map((source) => source.path));
}

/** The same part where nothing else is said of it. */
function withFacts(part: Part, facts: readonly AgentEvent[]): Part {
  if (facts.length === 0 && part.located.facts.length === 0) return part;
  if (JSON.stringify(facts) === JSON.stringify(part.located.facts)) return part;
  return { ...part, located: { ...part.located, facts } };
}
