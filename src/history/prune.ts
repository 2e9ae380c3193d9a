// `troupe prune`: what old sessions take on the disk, and how to be rid of them. Nothing is deleted that the plan does not name.

import { lstatSync, readdirSync, realpathSync, rmSync, type Stats } from 'node:fs';
import path from 'node:path';
import {
  computeListEntry,
  isAtWork,
  isoTime,
  matchesSession,
  nativeId,
  type PruneGroup,
  type PruneReport,
  type PruneSession,
  projectOf,
  type Query,
  type SessionId,
  type SessionTree,
  selectSessionStatus,
} from '../core/index.ts';
import { listFolder } from '../lib/folders.ts';
import { getOrAdd } from '../lib/group.ts';
import { foldersOfProgram } from '../lib/processes.ts';
import { messageOf, orElse } from '../lib/user-error.ts';
import {
  claim,
  type DataFolder,
  dataFoldersFor,
  type FoundSession,
  findSessions,
  isAddress,
  type OpenCache,
  ReadSessions,
  type SessionScope,
} from '../sessions/index.ts';

export interface PruneOptions {
  readonly clock: () => number;
  readonly openCache: OpenCache;
}

export interface PruneRequest {
  readonly where: SessionScope;
  /** Epoch milliseconds: sessions in which nothing happened since. Undefined: none is chosen, and the report says only what there is. */
  readonly olderThan: number | undefined;
  /** Of those, only the sessions that it matches. */
  readonly query: Query | undefined;
}

type OnProgress = (progress: { readonly done: number; readonly sessions: number }) => void;

/** Without `confirm` it only reads; else it deletes what it chose, after `confirm` was shown that and said yes. */
export type Prune = (
  request: PruneRequest,
  confirm?: (plan: PruneReport) => Promise<boolean>,
  onProgress?: OnProgress,
) => Promise<PruneReport>;

/** Whatever its host says: somebody may be at work in it. */
const YOUNG_MS = 3_600_000;

interface Candidate {
  readonly found: FoundSession;
  readonly tree: SessionTree | undefined;
  /** Whole folders as well; none is inside another. */
  readonly paths: readonly string[];
  readonly files: number;
  readonly bytes: number;
  readonly lastActivityAt: number;
  /** Of its files as they were shown. */
  readonly state: string;
}

export function createPrune({ clock, openCache }: PruneOptions): Prune {
  return async ({ where, olderThan, query }, confirm, onProgress) => {
    const places = dataFoldersFor(where);
    const all = await look(places, { clock, openCache }, onProgress);
    const now = clock();
    const isOld = ({ lastActivityAt }: Candidate): boolean => olderThan !== undefined && lastActivityAt < olderThan;
    const isWanted = ({ tree }: Candidate): boolean =>
      query === undefined || (tree !== undefined && matchesSession(query, computeListEntry(tree).subject, now));
    const old = all.filter((one) => isOld(one) && isWanted(one)).sort((a, b) => a.lastActivityAt - b.lastActivityAt);
    const kept = new Map<Candidate, string>();
    const isInUse = createUseCheck(all.map(({ found }) => found));
    for (const one of old) {
      const reason = isInUse(one) ?? whyKept(one, now);
      if (reason !== undefined) kept.set(one, reason);
    }
    keepNeeded(all, old, kept);
    const chosen = old.filter((one) => !kept.has(one));
    const plan: PruneReport = {
      sessions: all.length,
      files: sum(all, ({ files }) => files),
      bytes: sum(all, ({ bytes }) => bytes),
      groups: groupsOf(all, now),
      olderThan: isoTime(olderThan),
      chosen: chosen.map((one) => ({ ...toReport(one), paths: one.paths })),
      kept: [...kept].map(([one, reason]) => ({ ...toReport(one), reason })),
      isDeleted: false,
      failed: [],
    };
    if (!confirm || chosen.length === 0 || !(await confirm(plan))) return plan;
    return { ...plan, isDeleted: true, failed: await remove(chosen, places) };
  };
}

async function look(
  places: readonly DataFolder[],
  { clock, openCache }: PruneOptions,
  onProgress?: OnProgress,
): Promise<readonly Candidate[]> {
  const { sessions } = await findSessions(places);
  const cache = await openCache();
  const read = new ReadSessions(sessions, clock, { withoutFacts: true, cache });
  const ours: FoundSession[] = [];
  for (const session of sessions) {
    const own = cache?.knows(session) ? session : await claim(session, new Set());
    // A file of another program is none of a session, whatever its place.
    if (own) ours.push(own);
  }
  let done = 0;
  await read.add(ours, () => onProgress?.({ done: ++done, sessions: ours.length }));
  const trees = read.trees();
  const named = await entriesByIds(places);
  return ours.map((found): Candidate => {
    const { located } = found;
    const tree = trees.get(located.id);
    const own = located.sources.filter(({ shape }) => shape !== 'table').map((source) => source.path);
    const paths = withoutNested([...own, ...idsOf(found).flatMap((id) => named.get(id) ?? [])]);
    const sizes = paths.map(sizeBelow);
    const lastActivityAt = Math.max(tree?.lastActivityAt ?? 0, located.modifiedAt);
    return {
      ...{ found, tree, paths, lastActivityAt, state: stateOf(found) },
      files: sum(sizes, ({ files }) => files),
      bytes: sum(sizes, ({ bytes }) => bytes),
    };
  });
}

/** Ids of this shape name nothing else; shorter ones may be a part of any name. */
const WHOLE_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Of the session, and of its agents whose files are named by ids of their own. */
function idsOf({ located: { id, sources } }: FoundSession): readonly string[] {
  const ids = [nativeId(id), ...sources.flatMap(({ agent }) => (agent === undefined ? [] : nativeId(agent)))];
  return [...new Set(ids.map((one) => one.toLowerCase()).filter((one) => WHOLE_ID.exec(one)?.[0] === one))];
}

/** `projects/<project>/<session>`, `tmp/<project>/chats/<session>`. */
const DEPTH = 4;
const PASSED_OVER = new Set(['node_modules', '.git']);

/** What hosts keep of a session beside its transcripts is named by its id: to-do lists, copies of changed files, outputs, notes. */
async function entriesByIds(places: readonly DataFolder[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = new Map<string, string[]>();
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const { name, kind } of await listFolder(folder)) {
      const entry = path.join(folder, name);
      const id = WHOLE_ID.exec(name)?.[0].toLowerCase();
      if (id !== undefined) getOrAdd(named, id, (): string[] => []).push(entry);
      else if (kind === 'folder' && depth < DEPTH && !PASSED_OVER.has(name)) await walk(entry, depth + 1);
    }
  };
  const roots = new Set(
    places.filter(({ adapter, root }) => !adapter.deletesWith && !isAddress(root)).map(({ root }) => root),
  );
  for (const root of roots) await walk(root, 1);
  return named;
}

function withoutNested(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const isInside = (file: string): boolean => {
    for (let above = path.dirname(file); above !== path.dirname(above); above = path.dirname(above))
      if (all.has(above)) return true;
    return false;
  };
  return [...all].filter((file) => !isInside(file)).sort();
}

function sizeBelow(place: string): { readonly files: number; readonly bytes: number } {
  const stats = orElse((): Stats | undefined => lstatSync(place, { throwIfNoEntry: false }), undefined);
  if (!stats) return { files: 0, bytes: 0 };
  if (!stats.isDirectory()) return { files: 1, bytes: stats.size };
  const inside = orElse(() => readdirSync(place), []).map((name) => sizeBelow(path.join(place, name)));
  return { files: sum(inside, ({ files }) => files), bytes: sum(inside, ({ bytes }) => bytes) };
}

function whyKept({ found, tree, paths, lastActivityAt }: Candidate, now: number): string | undefined {
  const { adapter, located } = found;
  const { deletesWith } = adapter;
  if (tree && isAtWork(selectSessionStatus(tree))) return 'It is at work.';
  if (now - lastActivityAt < YOUNG_MS) return 'It was written to in the last hour.';
  if (deletesWith !== undefined) return `${adapter.title} deletes it: ${deletesWith} ${nativeId(located.id)}`;
  if (located.sources.some(({ shape }) => shape === 'table')) return 'It is in a database, with other sessions.';
  return paths.length === 0 ? 'It has no files of its own.' : undefined;
}

/**
 * Why a session must not be touched now. Some hosts do not note which session a process works on: of those, one that runs in a
 * folder may be about to go on with any session of that folder.
 */
function createUseCheck(all: readonly FoundSession[]) {
  const noted = new Set(
    all.flatMap(({ located: { facts } }) => facts.flatMap((fact) => ('pid' in fact ? fact.pid : []))),
  );
  const running = new Map<string, ReturnType<typeof foldersOfProgram>>();
  return ({ found: { adapter, located }, tree }: Pick<Candidate, 'found' | 'tree'>): string | undefined => {
    const { facts } = located;
    if (facts.some((fact) => fact.kind === 'process-seen' && (fact.alive || fact.isOutOfSight)))
      return 'A process works on it.';
    const processes = getOrAdd(running, adapter.host, () => foldersOfProgram(adapter.process.names));
    const folders = new Set(tree && computeListEntry(tree).subject.folders);
    const one = processes.find(({ pid, folder }) => !noted.has(pid) && folders.has(folder));
    return one && `${adapter.title} runs in its folder (process ${one.pid}), and may be at work on it.`;
  };
}

/** A copy of a session shows agents whose files are in the folder of its original. */
function keepNeeded(all: readonly Candidate[], old: readonly Candidate[], kept: Map<Candidate, string>): void {
  const owners = new Map(
    old.flatMap((one) =>
      one.found.located.sources.map((source) => [`${one.found.located.root} ${source.id}`, one] as const),
    ),
  );
  const isGoing = new Set(old.filter((one) => !kept.has(one)));
  const open = all.filter((one) => !isGoing.has(one));
  for (let stays = open.pop(); stays; stays = open.pop()) {
    const { root, id } = stays.found.located;
    for (const agent of stays.tree?.agents ?? [])
      for (const source of agent.sources) {
        const owner = owners.get(`${root} ${source}`);
        if (!owner || !isGoing.delete(owner)) continue;
        kept.set(owner, `Session ${nativeId(id)}, which is kept, shows agents of it.`);
        open.push(owner);
      }
  }
}

/** In an order in which a session is still found if its deletion is stopped: its transcript goes last. */
async function remove(chosen: readonly Candidate[], places: readonly DataFolder[]): Promise<PruneReport['failed']> {
  const failed: { path: string; problem: string }[] = [];
  const now = new Map((await findSessions(places)).sessions.map((found) => [keyOf(found), found]));
  const isInUse = createUseCheck([...now.values()]);
  const bases = [...new Set(places.flatMap(({ root, records = [] }) => [root, ...records]))].flatMap((base) =>
    orElse(() => [realpathSync(base)], []),
  );
  for (const { found, tree, paths, state } of chosen) {
    const current = now.get(keyOf(found));
    const isSame = current !== undefined && stateOf(current) === state;
    const transcripts = new Set(found.located.sources.map((source) => source.path));
    for (const place of paths.toSorted((a, b) => Number(transcripts.has(a)) - Number(transcripts.has(b)))) {
      try {
        if (current && isInUse({ found: current, tree }) !== undefined)
          throw new Error('a process works on its session now');
        if (!isSame) throw new Error('its session has changed since it was shown');
        // A link on the way would lead the deletion to files of somebody else; a link itself is deleted, not what it points to.
        const above = realpathSync(path.dirname(place));
        if (!bases.some((base) => above === base || above.startsWith(base + path.sep)))
          throw new Error('it is outside the data folder, behind a link');
        rmSync(place, { recursive: true, force: true });
      } catch (error) {
        failed.push({ path: place, problem: messageOf(error) });
      }
    }
  }
  return failed;
}

function keyOf({ located: { id, root } }: FoundSession): `${SessionId}\n${string}` {
  return `${id}\n${root}`;
}

function stateOf({ located: { sources } }: FoundSession): string {
  const states = sources.map(({ path: file }) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return [file, stats?.size, stats?.mtimeMs];
  });
  return JSON.stringify(states.sort());
}

function toReport({ found, tree, files, bytes, lastActivityAt }: Candidate): PruneSession {
  const { adapter, located } = found;
  return {
    id: nativeId(located.id),
    host: adapter.host,
    hostTitle: adapter.title,
    root: located.root,
    project: projectOf(tree?.cwd),
    title: tree?.title ?? null,
    lastActivityAt: isoTime(lastActivityAt),
    files,
    bytes,
  };
}

const DAY_MS = 86_400_000;
const AGES = [
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
  ['older', Number.POSITIVE_INFINITY],
] as const;

function groupsOf(all: readonly Candidate[], now: number): readonly PruneGroup[] {
  const groups = new Map<string, PruneGroup>();
  for (const one of all) {
    const { host, hostTitle, project, files, bytes } = toReport(one);
    const days = (now - one.lastActivityAt) / DAY_MS;
    const [age] = AGES.find(([, limit]) => days < limit) ?? AGES[4];
    const key = JSON.stringify([host, project, age]);
    const before = groups.get(key) ?? { host, hostTitle, project, age, sessions: 0, files: 0, bytes: 0 };
    groups.set(key, {
      ...before,
      sessions: before.sessions + 1,
      files: before.files + files,
      bytes: before.bytes + bytes,
    });
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
