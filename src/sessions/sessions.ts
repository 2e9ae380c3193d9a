import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  type AgentId,
  nativeId,
  type OnFound,
  type SessionId,
  type Sessions,
  type SessionTree,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { isThere } from '../lib/folders.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { assertFound, UserError } from '../lib/user-error.ts';
import {
  claim,
  type FoundSession,
  type FoundSessions,
  findSessions,
  isOfFiles,
  type SessionSnapshot,
} from './find-sessions.ts';
import { type Contents, glanceAt, holdsNothing, newestFirst } from './glance.ts';
import { type DataFolder, isAddress, thisMachine } from './places.ts';
import { ReadSessions, topOf } from './read-session.ts';
import type { OpenCache } from './session-cache.ts';

/** Reads from the other end of the list until it meets us, or is stopped. */
export interface SessionHelper {
  stop(): void;
}

/** A thread takes as long to start as a few sessions to read. */
const MISSES_BEFORE_HELP = 4;
const MANY = 24;

/**
 * Sessions on disk, read when asked for. `named`: by the person, so that one that is not there is a mistake, not an empty folder.
 * `snapshot`: files that appear later are not looked for.
 */
export function createSessions(
  places: readonly DataFolder[],
  {
    clock,
    named,
    snapshot,
    openCache,
    startHelper,
    isHelper = false,
  }: {
    readonly clock: Clock;
    readonly named?: boolean;
    readonly snapshot?: SessionSnapshot;
    readonly openCache?: OpenCache;
    /** Has another thread read the same sessions into the cache, the oldest first. */
    readonly startHelper?: () => SessionHelper | undefined;
    /** It is that thread. */
    readonly isHelper?: boolean;
  },
): Sessions {
  const find = async () => {
    if (named) await assertFolders(places);
    return snapshot?.find() ?? findSessions(places);
  };

  /** A file that is empty yet is no other host's. */
  const claimOrEmpty = async (found: FoundSession, ignored: Set<string>): Promise<FoundSession | undefined> => {
    if ((await openCache?.())?.knows(found)) return found;
    return (await claim(found, ignored)) ?? ((await holdsNothing(found)) ? found : undefined);
  };

  const readNamed = async (prefix: string | undefined, onFound: OnFound | undefined) => {
    const found = await find();
    const ignored = new Set(found.ignoredFiles);
    const [named] = prefix === undefined ? [] : matching(found, prefix);
    const newest = named ? await claimOrEmpty(named, ignored) : await newestSpoken(found.sessions, ignored);
    if (!newest) {
      const where = foldersOf(places).join(', ') || 'no folder';
      throw new UserError(
        'no-sessions',
        [`No sessions found (looked in ${where}).`, ...found.problems].join(' '),
        'Run one of the supported programs once, or point to its data folder with --root.',
      );
    }
    onFound?.({ files: newest.located.sources.map((source) => source.path) });
    const read = new ReadSessions(found.sessions, clock, { scan: snapshot?.scan, cache: await openCache?.() });
    await read.add([newest]);
    // Who names a session wants that one; the newest of all stands where the list has it.
    const id = prefix === undefined ? topOf(newest.located.id, read.joined()) : newest.located.id;
    return { id, read, ignoredFiles: ignored.size, problems: found.problems };
  };

  return {
    async list({ limit, withEmpty = false, since, onProgress }) {
      const all = await find();
      const isAsked = (session: FoundSession): boolean => since === undefined || wasWrittenSince(session, since);
      const found = { ...all, sessions: all.sessions.filter(isAsked) };
      const ignored = new Set(found.ignoredFiles);
      const unread = new Map(found.sessions.map((session) => [session.located.id, session]));
      const inOrder = limit < found.sessions.length ? newestFirst(found.sessions) : found.sessions.values();
      let misses = 0;
      let helper: SessionHelper | undefined;
      const onMiss = (): void => {
        // One who is called for the last few comes too late.
        if (++misses === MISSES_BEFORE_HELP && limit >= found.sessions.length && unread.size === 0)
          helper = found.sessions.length > MANY ? startHelper?.() : undefined;
      };
      const read = new ReadSessions(all.sessions, clock, {
        withoutFacts: true,
        scan: snapshot?.scan,
        cache: await openCache?.(),
        onMiss,
      });
      const listable = (): readonly SessionTree[] => read.joined().trees.filter(({ isEmpty }) => withEmpty || !isEmpty);
      let done = 0;
      const onRead = () => onProgress?.({ done: ++done, sessions: Math.min(limit, found.sessions.length) });
      // What turns out to be empty, or to stand in another one's tree, makes room for another.
      for (let missing = limit; missing > 0; missing = limit - listable().length) {
        const newest: FoundSession[] = [];
        while (newest.length < missing) {
          const { done, value: session } = await inOrder.next();
          if (done) break;
          unread.delete(session.located.id);
          const ours = await claimOrEmpty(session, ignored);
          if (ours) newest.push(ours);
        }
        if (newest.length === 0) break;
        await read.add(isHelper ? newest.toReversed() : newest, onRead).finally(() => helper?.stop());
      }
      const contents = [...read.trees().values()].map(({ isEmpty }): Contents => (isEmpty ? 'empty' : 'conversation'));
      for (const id of read.trees().keys()) unread.delete(id);
      const left: Contents[] = [];
      for (const session of unread.values()) left.push(await glanceAt(session));
      const count = (all: readonly Contents[], what: Contents): number => all.filter((one) => one === what).length;
      const trees = listable().toSorted(byLastActivity);
      return {
        trees: trees.slice(0, limit),
        total: count(contents, 'conversation') + count(left, 'conversation'),
        more: Math.max(0, trees.length - limit) + count(left, 'conversation'),
        emptySessions: count(contents, 'empty') + count(left, 'empty'),
        ignoredFiles: ignored.size,
        problems: found.problems,
        places: foldersOf(places),
      };
    },
    async open(prefix, onFound) {
      const { id, read, ...rest } = await readNamed(prefix, onFound);
      return { ...assertFound(await read.open(id), 'it has just been read'), ...rest };
    },
    async openTree(prefix, onFound) {
      const { id, read, ...rest } = await readNamed(prefix, onFound);
      return { tree: assertFound(read.openTree(id), 'it has just been read'), ...rest };
    },
  };
}

/** Drains the queue of hook events before sessions are read, if any wait. */
export function drainFirst(sessions: Sessions, drain: () => Promise<void>): Sessions {
  const drained = async (): Promise<Sessions> => {
    // A full disk must not keep sessions from being shown.
    if (isQueued()) await drain().catch(() => undefined);
    return sessions;
  };
  return {
    list: async (options) => (await drained()).list(options),
    open: async (prefix, onFound) => (await drained()).open(prefix, onFound),
    openTree: async (prefix, onFound) => (await drained()).openTree(prefix, onFound),
  };
}

function isQueued(): boolean {
  try {
    return readdirSync(path.join(stateFolder(thisMachine()), 'spool')).some((name) => name.endsWith('.json'));
  } catch {
    return false;
  }
}

/** For places that the person named. Whether a server answers, its adapter tells. */
export async function assertFolders(places: readonly DataFolder[]): Promise<void> {
  for (const { root } of places) {
    if (isAddress(root) || (await isThere(root))) continue;
    throw new UserError(
      'root-not-found',
      `There is no folder ${root}.`,
      'Give --root the data folder of a host, or a file that it exported.',
    );
  }
}

/** The clocks of disks and of other machines differ. */
const SLACK_MS = 86_400_000;

/** True also where files do not tell. */
function wasWrittenSince(session: FoundSession, since: number): boolean {
  const { modifiedAt } = session.located;
  return modifiedAt === 0 || modifiedAt >= since - SLACK_MS || !isOfFiles(session);
}

/** The newest with a conversation. */
async function newestSpoken(
  sessions: readonly FoundSession[],
  ignored: Set<string>,
): Promise<FoundSession | undefined> {
  for await (const session of sessions.length === 1 ? sessions : newestFirst(sessions)) {
    const ours = await claim(session, ignored);
    if (ours && (await glanceAt(ours)) === 'conversation') return ours;
  }
  return undefined;
}

function matching({ sessions, problems }: FoundSessions, prefix: string): readonly FoundSession[] {
  const hits = sessions.filter(({ located }) => nativeId(located.id).startsWith(prefix));
  const exact = hits.filter(({ located }) => nativeId(located.id) === prefix);
  if (exact.length > 0) return exact;
  if (hits.length === 1) return hits;
  if (hits.length === 0) {
    const said = [`No session begins with «${prefix}».`, ...problems].join(' ');
    throw new UserError('session-not-found', said, 'List them with: troupe ls');
  }
  throw ambiguous(
    'session',
    prefix,
    hits.map(({ located }) => located.id),
  );
}

/** Several ids begin with what the person gave. */
export function ambiguous(what: 'session' | 'agent', prefix: string, all: readonly (SessionId | AgentId)[]): UserError {
  const ids = all.slice(0, 5).map(nativeId).join(', ');
  const message = `${all.length} ${what}s begin with «${prefix}»: ${ids}${all.length > 5 ? ' …' : ''}`;
  return new UserError(`${what}-ambiguous`, message, 'Give more characters of the id.');
}

/** Of a folder that was named, every host looks. */
function foldersOf(places: readonly DataFolder[]): readonly string[] {
  return [...new Set(places.map(({ root }) => root))];
}

function byLastActivity(a: SessionTree, b: SessionTree): number {
  return (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0) || (a.id < b.id ? -1 : 1);
}
