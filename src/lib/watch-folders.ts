import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isFolder, listFolder } from './folders.ts';
import { codeOf, orElse } from './user-error.ts';

/** `written`: a file was written to. `entry`: something with this name appeared, disappeared or was replaced. */
export type PlaceChange = 'written' | 'entry';

export interface WatchHandlers {
  /** Called soon after something changed at this path. */
  onChange(place: string, what: PlaceChange): void;
  /** Unwanted folders below the root are not watched, if the system can watch single folders. */
  isWanted?(folder: string): boolean;
  /** Default: `watch` of `node:fs`. */
  readonly watch?: typeof watch;
}

interface Folder {
  watcher: FSWatcher | undefined;
  readonly realPath: string;
  readonly inode: number;
  /** Modification time of the folder itself, in milliseconds. */
  changedAt: number;
  names: ReadonlySet<string>;
  /** Its files when it was last read. Kept only for a folder without a watch. */
  states: FileStates;
}

/** Longest stretch of a sweep before other work gets a turn. */
const STEP_MS = 5;
/** Two changes within this time may leave the same modification time. */
const TICK_MS = 20;
/** Linux: one watch per folder is five times cheaper than Node's recursive watch, and misses nothing. */
const IS_WATCH_PER_FOLDER = process.platform === 'linux';

/**
 * Reports what changed below a folder; the caller reads the new state. New folders are watched as they appear, and files
 * written into them before that are reported too. Reports are hints: the system may run out of watches, and network file
 * systems have none, so callers run `sweep` now and then.
 */
export class FolderWatch {
  /** Resolves when everything that existed at the start is watched. */
  readonly ready: Promise<void>;
  readonly #root: string;
  readonly #onChange: WatchHandlers['onChange'];
  readonly #isWanted: (folder: string) => boolean;
  readonly #watch: typeof watch;
  readonly #folders = new Map<string, Folder>();
  /** Names that a queued walk will read. */
  readonly #queued = new Set<string>();
  /** Walks run one after another: an overlapping one can add a folder that is replaced before its parent is watched. */
  #walks: Promise<void> = Promise.resolve();
  /** Set while the root does not exist. */
  #waiting: { close(): void } | undefined;
  #isClosed = false;
  #isLimitReached = false;

  constructor(root: string, { onChange, isWanted = () => true, watch: watchFolder = watch }: WatchHandlers) {
    this.#root = root;
    this.#onChange = onChange;
    this.#isWanted = isWanted;
    this.#watch = watchFolder;
    this.ready = this.#inTurn(() => this.#begin(false));
  }

  /** Finds changes that no watch reported, and tries again to watch folders that could not be watched. */
  async sweep(): Promise<void> {
    if (!this.#folders.has(this.#root)) await this.#inTurn(() => this.#begin(true));
    this.#isLimitReached = false;
    await this.#forEachFolder((folder, entry) => {
      this.#sweepFolder(folder);
      // One refusal for lack of watches is enough for all folders.
      if (!this.#isUnwatched(entry) || this.#isLimitReached) return;
      if (!IS_WATCH_PER_FOLDER && folder !== this.#root) return;
      entry.watcher = this.#watchOne(folder);
      if (entry.watcher) this.#reportWritten(folder, entry);
    });
  }

  /** Reads the folders that the system does not watch, and the states of their files. */
  async readUnwatched(): Promise<void> {
    await this.#forEachFolder((folder, entry) => {
      if (!this.#isUnwatched(entry)) return;
      this.#sweepFolder(folder);
      this.#reportWritten(folder, entry);
    });
  }

  /** Folders from the root down, how many of them have no watch, and whether that is because the system has no more watches. */
  counts(): { readonly folders: number; readonly unwatched: number; readonly isLimitReached: boolean } {
    const unwatched = [...this.#folders.values()].filter((entry) => this.#isUnwatched(entry)).length;
    return { folders: this.#folders.size, unwatched, isLimitReached: this.#isLimitReached && unwatched > 0 };
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.close();
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
  }

  #inTurn(walk: () => Promise<void>): Promise<void> {
    this.#walks = this.#walks.then(walk, walk);
    return this.#walks;
  }

  async #begin(reports: boolean): Promise<void> {
    this.#waiting?.close();
    this.#waiting = undefined;
    await this.#add(this.#root, reports);
    if (this.#isClosed || this.#folders.has(this.#root)) return;
    this.#waiting ??= awaitFolder(this.#root, () => void this.#inTurn(() => this.#begin(true)));
  }

  #onEvent(folder: string, event: string, name: string | null): void {
    if (this.#isClosed) return;
    // An event with the root's own name means that the root went, unless it holds an entry of the same name.
    if (name === null || (folder === this.#root && name === path.basename(this.#root))) this.#sweepFolder(folder);
    if (name === null) return;
    const place = path.join(folder, name);
    this.#onChange(place, event === 'rename' ? 'entry' : 'written');
    if (event === 'rename' && (this.#isWanted(place) || this.#folders.has(place))) this.#readInTurn(place);
  }

  #watchOne(folder: string): FSWatcher | undefined {
    try {
      const options = { persistent: false, recursive: !IS_WATCH_PER_FOLDER };
      const watcher = this.#watch(folder, options, (event, name) => this.#onEvent(folder, event, name));
      watcher.on('error', () => this.#drop(folder));
      return watcher;
    } catch (error) {
      this.#isLimitReached ||= codeOf(error) === 'ENOSPC' || codeOf(error) === 'EMFILE';
      return undefined;
    }
  }

  /** With a recursive watch, the root's watch serves all folders. */
  #isUnwatched({ watcher }: Folder): boolean {
    return !(IS_WATCH_PER_FOLDER ? watcher : this.#folders.get(this.#root)?.watcher);
  }

  /** Watches a folder and all below it; `reports`: reports the entries that it already has. */
  async #add(folder: string, reports: boolean): Promise<void> {
    const isKnown = () => this.#isClosed || this.#folders.has(folder);
    if (isKnown() || (folder !== this.#root && !this.#isWanted(folder))) return;
    const realPath = await realpath(folder).catch(() => undefined);
    const state = stateOf(folder);
    if (realPath === undefined || !state || isKnown()) return;
    if (this.#isLoop(folder, realPath)) return;
    const entry: Folder = { watcher: undefined, realPath, ...state, names: new Set(), states: new Map() };
    this.#folders.set(folder, entry);
    if (IS_WATCH_PER_FOLDER || folder === this.#root) entry.watcher = this.#watchOne(folder);
    const entries = await listFolder(folder).catch(() => []);
    entry.names = new Set(entries.map(({ name }) => name));
    if (this.#isUnwatched(entry)) entry.states = fileStates(folder, entry.names);
    for (const { name, kind } of entries) {
      if (reports) this.#onChange(path.join(folder, name), 'entry');
      if (kind === 'folder') await this.#add(path.join(folder, name), reports);
    }
  }

  /** A link back to a folder above it. Two names of one folder are both reported: a reader may know either. */
  #isLoop(folder: string, realPath: string): boolean {
    for (let above = path.dirname(folder); this.#folders.has(above); above = path.dirname(above))
      if (this.#folders.get(above)?.realPath === realPath) return true;
    return false;
  }

  #readInTurn(place: string): void {
    if (this.#queued.has(place)) return;
    this.#queued.add(place);
    void this.#inTurn(() => this.#read(place));
  }

  /** After an entry appeared or disappeared: watches a new folder, and drops the watches of one that is gone. */
  async #read(place: string): Promise<void> {
    this.#queued.delete(place);
    if (this.#isClosed) return;
    const known = [...this.#folders.keys()].filter((folder) => folder === place || folder.startsWith(place + path.sep));
    for (const folder of known) this.#drop(folder);
    if (place === this.#root) await this.#begin(true);
    else if (await isFolder(place).catch(() => false)) await this.#add(place, true);
    // Entries below may have disappeared while nothing watched them.
    if (known.length > 0) this.#onChange(place, 'entry');
  }

  #drop(folder: string): void {
    this.#folders.get(folder)?.watcher?.close();
    this.#folders.delete(folder);
  }

  #sweepFolder(folder: string): void {
    const entry = this.#folders.get(folder);
    if (!entry) return;
    const state = stateOf(folder);
    if (state?.inode !== entry.inode) {
      this.#onChange(folder, 'entry');
      this.#readInTurn(folder);
      return;
    }
    if (state.changedAt === entry.changedAt) return;
    entry.changedAt = state.changedAt;
    const names = new Set(orElse(() => readdirSync(folder), []));
    for (const name of names) if (!entry.names.has(name)) this.#reportEntry(path.join(folder, name), true);
    for (const name of entry.names) if (!names.has(name)) this.#reportEntry(path.join(folder, name), false);
    entry.names = names;
  }

  #reportWritten(folder: string, entry: Folder): void {
    const states = fileStates(folder, entry.names);
    for (const [name, state] of states)
      if (entry.states.get(name) !== state) this.#onChange(path.join(folder, name), 'written');
    entry.states = states;
  }

  #reportEntry(place: string, exists: boolean): void {
    this.#onChange(place, 'entry');
    // A watch usually reported it already; only a folder that is not yet known, or still known, is read.
    if (this.#folders.has(place) !== exists) this.#readInTurn(place);
  }

  /** Yields to other work, so that thousands of folders are not one long step. */
  async #forEachFolder(visit: (folder: string, entry: Folder) => void): Promise<void> {
    let rested = performance.now();
    for (const [folder, entry] of [...this.#folders]) {
      if (this.#isClosed) return;
      if (this.#folders.get(folder) === entry) visit(folder, entry);
      if (performance.now() - rested < STEP_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      rested = performance.now();
    }
  }
}

function stateOf(folder: string): Pick<Folder, 'inode' | 'changedAt'> | undefined {
  const stats = orElse(() => statSync(folder), undefined);
  // A change right after this call may get the same time, so a time this young is not trusted.
  return stats && { inode: stats.ino, changedAt: Date.now() - stats.mtimeMs < TICK_MS ? Number.NaN : stats.mtimeMs };
}

/**
 * Calls back once the folder exists. Until then it watches the nearest existing folder above, and moves down as folders
 * appear. If the system refuses the watch, there is no call back: callers check now and then.
 */
export function awaitFolder(folder: string, onThere: () => void): { close(): void } {
  let watcher: FSWatcher | undefined;
  let closed = false;
  const close = (): void => {
    closed = true;
    watcher?.close();
  };
  const look = (): void => {
    if (closed) return;
    watcher?.close();
    if (isFolderThere(folder)) {
      close();
      onThere();
      return;
    }
    const { above, awaited } = nearestAbove(folder);
    watcher = watchFor(above, awaited, look);
    // It may have appeared before the watch began.
    if (isFolderThere(path.join(above, awaited))) look();
  };
  look();
  return { close };
}

/** The nearest folder above that exists, and the name that is missing in it. */
function nearestAbove(folder: string): { readonly above: string; readonly awaited: string } {
  const above = path.dirname(folder);
  return above === folder || isFolderThere(above) ? { above, awaited: path.basename(folder) } : nearestAbove(above);
}

/** The system reports a folder's own name when the folder itself disappears. */
function watchFor(above: string, awaited: string, onChange: () => void): FSWatcher | undefined {
  try {
    const names = new Set([awaited, path.basename(above), null]);
    const watcher = watch(above, { persistent: false }, (_event, name) => names.has(name) && onChange());
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function isFolderThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The state of each file of a folder, by name: a different state means that the file was written to. */
export type FileStates = ReadonlyMap<string, string>;

/** Reads no contents. What is not a file, or is gone by now, has no state. */
export function fileStates(folder: string, names: Iterable<string>): FileStates {
  const states = new Map<string, string>();
  for (const name of names) {
    const stats = orElse(() => statSync(path.join(folder, name), { throwIfNoEntry: false }), undefined);
    if (stats?.isFile()) states.set(name, `${stats.ino} ${stats.size} ${stats.mtimeMs}`);
  }
  return states;
}
