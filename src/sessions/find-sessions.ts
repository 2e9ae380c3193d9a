import { lstatSync, realpathSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AgentScan, type LocatedSession, type LocatedSource, type SourceAdapter } from '../hosts/index.ts';
import { groupBy } from '../lib/group.ts';
import { readHead } from '../lib/read-lines.ts';
import { orElse } from '../lib/user-error.ts';
import type { DataFolder } from './places.ts';

/** A session and the adapter that claimed it. */
export interface FoundSession {
  readonly adapter: SourceAdapter;
  /** The person said whose the files are. */
  readonly forced: boolean;
  readonly located: LocatedSession;
}

export interface FoundSessions {
  /** Newest first. Not yet claimed: `claim` looks into a file when its session is wanted. */
  readonly sessions: readonly FoundSession[];
  readonly ignoredFiles: ReadonlySet<string>;
  /** What could not be looked at, in words for people. */
  readonly problems: readonly string[];
}

/** For a job over many sessions: all places are listed once, not again for each session. */
export class SessionSnapshot {
  readonly #places: readonly DataFolder[];
  #found: Promise<FoundSessions> | undefined;
  /** What adapters found while they looked for files that several sessions share. */
  readonly scan = new AgentScan({ isOfMany: true });

  constructor(places: readonly DataFolder[]) {
    this.#places = places;
  }

  find(): Promise<FoundSessions> {
    this.#found ??= findSessions(this.#places);
    return this.#found;
  }
}

/** Lists the sessions of all places, newest first, without reading any conversation. */
export async function findSessions(places: readonly DataFolder[]): Promise<FoundSessions> {
  const sessions: FoundSession[] = [];
  const used = new Set<string>();
  const ignored = new Set<string>();
  const problems: string[] = [];
  for (const { adapter, root, forced } of await distinct(places)) {
    const located = await adapter.locate(root);
    for (const session of await withoutLinksOut(root, located.sessions, problems)) {
      if (session.sources.length === 0) continue;
      sessions.push({ adapter, located: session, forced });
      for (const source of session.sources) used.add(source.path);
    }
    for (const file of located.ignoredFiles) ignored.add(file);
    problems.push(...(located.problems ?? []));
  }
  for (const file of used) ignored.delete(file);
  const byId = groupBy(sessions, ({ located }) => located.id);
  const joined = [...byId.values()].flatMap((parts) => joinParts(parts) ?? []);
  return { sessions: joined.sort(byAge), ignoredFiles: ignored, problems };
}

/** An agent could link a file of any other place into a data folder, and read it on the page. Linked folders are the person's. */
export async function withoutLinksOut(
  root: string,
  sessions: readonly LocatedSession[],
  problems: string[],
): Promise<readonly LocatedSession[]> {
  const leadsOut = await linksOutOf(root);
  return sessions.map((session) => {
    const out = new Set(session.sources.filter(({ path: file }) => leadsOut(file)));
    for (const { path: file } of out) problems.push(`${file} is a link to a file outside ${root}, and is not read.`);
    return out.size === 0 ? session : { ...session, sources: session.sources.filter((source) => !out.has(source)) };
  });
}

async function linksOutOf(root: string): Promise<(file: string) => boolean> {
  const real = await realpath(root).catch(() => root);
  return (file) => {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
    const to = orElse(() => realpathSync(file), undefined);
    if (to === undefined || to.startsWith(`${real}${path.sep}`)) return false;
    // Anything else is never read, and reported when its session is.
    return orElse(() => statSync(to).isFile(), true);
  };
}

/** The newest first. */
export function byAge({ located: a }: FoundSession, { located: b }: FoundSession): number {
  return b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1);
}

/**
 * One session in two places: it was moved to another project and left files in the first one's folder, or its data
 * folder was copied to another. Of a file that is in both, the one of the newer place.
 */
export function joinParts(parts: readonly FoundSession[]): FoundSession | undefined {
  const [newest, ...others] = parts.toSorted(byAgeAndPlace);
  if (!newest || others.length === 0) return newest;
  const sources = new Map(newest.located.sources.map((source) => [source.id, source]));
  for (const { located } of others)
    for (const source of located.sources) if (!sources.has(source.id)) sources.set(source.id, source);
  const facts = [newest, ...others].flatMap(({ located }) => located.facts);
  return { ...newest, located: { ...newest.located, sources: withoutStandIns([...sources.values()]), facts } };
}

function withoutStandIns(sources: readonly LocatedSource[]): readonly LocatedSource[] {
  const isWhole = sources.some(({ standIn, companion }) => !standIn && !companion);
  return isWhole ? sources.filter(({ standIn }) => !standIn) : sources;
}

/** Parts of the same age are put in order by their place: however they were found, the same one comes first. */
function byAgeAndPlace({ located: a }: FoundSession, { located: b }: FoundSession): number {
  return b.modifiedAt - a.modifiedAt || (`${a.root} ${a.folder}` < `${b.root} ${b.folder}` ? -1 : 1);
}

/** One folder may be reached by two names: people link one of a host's folders to another. */
export async function distinct(places: readonly DataFolder[]): Promise<readonly DataFolder[]> {
  const seen = new Set<string>();
  const result: DataFolder[] = [];
  for (const place of places) {
    const key = `${place.adapter.host} ${await realpath(place.root).catch(() => place.root)}`;
    if (!seen.has(key)) result.push(place);
    seen.add(key);
  }
  return result;
}

/** A first line may be longer: adapters know it by its beginning. */
const HEAD_BYTES = 8 * 1024;
const NEWLINE = 10;

/**
 * Whether the session's files are the adapter's by their content. Sources of another host drop out, and are counted; a
 * session with nothing in it yet is none.
 */
export async function claim(
  found: FoundSession,
  ignoredFiles: Set<string>,
  /** Files that were found to be ours before: a file does not change sides. */
  ours: Set<string> = new Set(),
): Promise<FoundSession | undefined> {
  const { adapter, located, forced } = found;
  const sources: LocatedSource[] = [];
  let isOurs = false;
  for (const source of located.sources) {
    const isKnown = forced || source.verified || ours.has(source.path);
    const whose = source.companion ? 'comes along' : isKnown ? 'ours' : await judge(adapter, source.path);
    if (whose === 'ours') ours.add(source.path);
    else ours.delete(source.path);
    if (whose === 'not ours') ignoredFiles.add(source.path);
    else {
      ignoredFiles.delete(source.path);
      sources.push(source);
    }
    isOurs ||= whose === 'ours' || whose === 'ours so far';
  }
  return isOurs ? { ...found, located: { ...located, sources } } : undefined;
}

/** A file that cannot be read is not another host's: it stays, and what is wrong with it is told when it is read. */
async function judge(adapter: SourceAdapter, file: string): Promise<'ours' | 'ours so far' | 'not ours' | 'empty'> {
  try {
    const head = await readHead(file, HEAD_BYTES);
    if (head.length === 0) return 'empty';
    if (!adapter.sniff(head)) return 'not ours';
    // By a line that is still being written: it may turn out otherwise.
    const isSure = head.length === HEAD_BYTES || adapter.sniff(head.subarray(0, head.lastIndexOf(NEWLINE) + 1));
    return isSure ? 'ours' : 'ours so far';
  } catch {
    return 'ours';
  }
}

/** A database or a server has its own reader, which stays with who opened it. */
export function isOfFiles({ located }: FoundSession): boolean {
  return located.sources.every(({ shape }) => shape !== 'table');
}
