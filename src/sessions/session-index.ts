import path from 'node:path';
import type { AgentEvent, SessionId } from '../core/index.ts';
import type { FollowNotes, LocatedSession, LocatedSource, SessionPart } from '../hosts/index.ts';
import { byAge, distinct, type FoundSession, joinParts, withoutLinksOut } from './find-sessions.ts';
import type { DataFolder } from './places.ts';

/** What one data folder holds of a session. */
interface PlacedPart {
  readonly place: DataFolder;
  readonly part: SessionPart;
  readonly located: LocatedSession;
}

/** Which sessions exist, in which files. Updated piece by piece, without reading any transcript. */
export class SessionIndex {
  readonly #wanted: readonly DataFolder[];
  readonly #parts = new Map<SessionId, readonly PlacedPart[]>();
  /** File → the sessions that have it. */
  readonly #holders = new Map<string, Set<SessionId>>();
  readonly #ignored = new Map<DataFolder, readonly string[]>();
  readonly #problems = new Map<DataFolder, readonly string[]>();
  readonly #notes = new Map<DataFolder, FollowNotes>();
  /** The last facts beside the sessions of a place: a session that appears gets them at once. */
  readonly #factsAt = new Map<DataFolder, (session: LocatedSession) => readonly AgentEvent[]>();
  #places: readonly DataFolder[];
  #mayIgnoreOthers = false;

  constructor(wanted: readonly DataFolder[]) {
    this.#wanted = wanted;
    this.#places = wanted;
  }

  /** Resolves the data folders, each once. */
  async findPlaces(): Promise<readonly DataFolder[]> {
    this.#places = await distinct(this.#wanted);
    return this.#places;
  }

  /** Each data folder once. */
  places(): readonly DataFolder[] {
    return this.#places;
  }

  /** What the adapter of a place has to remember of it. */
  notesOn(place: DataFolder): FollowNotes {
    const notes = this.#notes.get(place) ?? new Map<string, unknown>();
    this.#notes.set(place, notes);
    return notes;
  }

  /** What could not be looked at, in words for people. */
  problems(): readonly string[] {
    return [...new Set([...this.#problems.values()].flat())];
  }

  /** Lists one place again. Returns the sessions that it has, or had. */
  async loadPlace(place: DataFolder): Promise<ReadonlySet<SessionId>> {
    const { sessions, ignoredFiles, problems: found = [] } = await place.adapter.locate(place.root);
    const problems = [...found];
    const own = await withoutLinksOut(place.root, sessions, problems);
    this.#problems.set(place, problems);
    const factsOf = await place.adapter.follow?.readFacts(place.root);
    if (factsOf) this.#factsAt.set(place, factsOf);
    const touched = this.#dropPlace(place);
    for (const located of own) {
      this.#put(place, located);
      touched.add(located.id);
    }
    this.#ignored.set(place, ignoredFiles);
    return touched;
  }

  /** Looks again at what one folder holds of these sessions. */
  async relocate(place: DataFolder, folder: string, ids: readonly SessionId[]): Promise<void> {
    const found = (await place.adapter.follow?.locateParts(place.root, folder, ids)) ?? [];
    for (const located of await withoutLinksOut(place.root, found, []))
      this.#put(place, { ...located, facts: this.#factsAt.get(place)?.(located) ?? [] });
  }

  /** Returns the sessions whose facts have changed. */
  async refreshFacts(place: DataFolder): Promise<ReadonlySet<SessionId>> {
    const touched = new Set<SessionId>();
    const factsOf = await place.adapter.follow?.readFacts(place.root);
    if (!factsOf) return touched;
    this.#factsAt.set(place, factsOf);
    for (const [id, list] of this.#parts) {
      const fresh = list.map((part) => (part.place === place ? withFacts(part, factsOf(part.located)) : part));
      if (fresh.every((part, index) => part === list[index])) continue;
      this.#parts.set(id, fresh);
      touched.add(id);
    }
    return touched;
  }

  /** One of its files was written to: of a session in two places, the newer one counts. */
  noteModified(id: SessionId, file: string, at: number): void {
    const list = this.partsOf(id);
    const isOlder = ({ located }: PlacedPart): boolean =>
      located.modifiedAt < at && located.sources.some((source) => source.path === file);
    if (!list.some(isOlder)) return;
    const touch = (one: PlacedPart): PlacedPart =>
      isOlder(one) ? { ...one, located: { ...one.located, modifiedAt: at } } : one;
    this.#parts.set(id, list.map(touch));
  }

  get(id: SessionId): FoundSession | undefined {
    return join(this.partsOf(id));
  }

  /** Newest first. */
  all(): readonly FoundSession[] {
    return [...this.#parts.values()].flatMap((list) => join(list) ?? []).sort(byAge);
  }

  partsOf(id: SessionId): readonly PlacedPart[] {
    return this.#parts.get(id) ?? [];
  }

  isFileOf(id: SessionId, file: string): boolean {
    return this.#holders.get(file)?.has(id) ?? false;
  }

  /** Parts that have this file, read or not. */
  partsWith(file: string): readonly (PlacedPart & { readonly source: LocatedSource })[] {
    const parts = [...(this.#holders.get(file) ?? [])].flatMap((id) => this.partsOf(id));
    return parts.flatMap((one) => {
      const source = one.located.sources.find(({ path: own }) => own === file);
      return source ? [{ ...one, source }] : [];
    });
  }

  /** Parts with a file at or below one of these paths, and which path that is. One pass over all parts for all paths. */
  partsBelow(paths: ReadonlySet<string>): readonly (PlacedPart & { readonly below: string })[] {
    if (paths.size === 0) return [];
    return [...this.#parts.values()].flat().flatMap((one) => {
      const files = [one.part.folder, ...filesOf([one])];
      const below = firstAbove(files, one.place.root, paths);
      return below === undefined ? [] : [{ ...one, below }];
    });
  }

  /** Files of any session. */
  usedFiles(): ReadonlySet<string> {
    return new Set([...this.#parts.values()].flatMap(filesOf));
  }

  get ignoredFiles(): number {
    // Two hosts that look into one folder ignore each other's files.
    const used = this.usedFiles();
    return [...new Set([...this.#ignored.values()].flat())].filter((file) => !used.has(file)).length;
  }

  /** Something came or went at these paths: unless a session has them, the ignored files have changed. */
  noteEntries(files: ReadonlySet<string>): void {
    if (this.#mayIgnoreOthers || files.size === 0) return;
    const used = this.usedFiles();
    this.#mayIgnoreOthers = [...files].some((file) => !used.has(file));
  }

  /** Looks for ignored files again if they may have changed. Returns whether their number did. */
  async recountIgnored(): Promise<boolean> {
    if (!this.#mayIgnoreOthers) return false;
    this.#mayIgnoreOthers = false;
    const before = this.ignoredFiles;
    for (const place of this.#places) {
      const located = await place.adapter.locate(place.root);
      this.#ignored.set(place, located.ignoredFiles);
      const problems = [...(located.problems ?? [])];
      await withoutLinksOut(place.root, located.sessions, problems);
      this.#problems.set(place, problems);
    }
    return this.ignoredFiles !== before;
  }

  #put(place: DataFolder, located: LocatedSession): void {
    const { id, root, folder = root } = located;
    const others = this.partsOf(id).filter((one) => one.place !== place || one.part.folder !== folder);
    this.#setParts(id, located.sources.length === 0 ? others : [...others, { place, part: { id, folder }, located }]);
  }

  #dropPlace(place: DataFolder): Set<SessionId> {
    const had = new Set<SessionId>();
    for (const [id, list] of this.#parts) {
      const others = list.filter((part) => part.place !== place);
      if (others.length === list.length) continue;
      had.add(id);
      this.#setParts(id, others);
    }
    return had;
  }

  #setParts(id: SessionId, list: readonly PlacedPart[]): void {
    for (const file of filesOf(this.partsOf(id))) {
      const ids = this.#holders.get(file);
      if (ids?.delete(id) && ids.size === 0) this.#holders.delete(file);
    }
    for (const file of filesOf(list)) this.#holders.set(file, (this.#holders.get(file) ?? new Set()).add(id));
    if (list.length === 0) this.#parts.delete(id);
    else this.#parts.set(id, list);
  }
}

function join(list: readonly PlacedPart[]): FoundSession | undefined {
  return joinParts(list.map(({ place, located }) => ({ adapter: place.adapter, forced: place.forced, located })));
}

/** The wanted path that one of the files is, or lies below. */
function firstAbove(files: readonly string[], root: string, wanted: ReadonlySet<string>): string | undefined {
  for (const file of files)
    for (let above = file; above.length >= root.length; above = path.dirname(above)) {
      if (wanted.has(above)) return above;
      if (above === path.dirname(above)) break;
    }
  return undefined;
}

function filesOf(list: readonly PlacedPart[]): readonly string[] {
  return list.flatMap(({ located }) => located.sources.map((source) => source.path));
}

/** The same part if its facts are the same. */
function withFacts(part: PlacedPart, facts: readonly AgentEvent[]): PlacedPart {
  if (facts.length === 0 && part.located.facts.length === 0) return part;
  if (JSON.stringify(facts) === JSON.stringify(part.located.facts)) return part;
  return { ...part, located: { ...part.located, facts } };
}
