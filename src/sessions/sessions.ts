import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type AgentId, nativeId, type SessionId, type Sessions, type SessionTree } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { isThere } from '../lib/folders.ts';
import { readTail } from '../lib/read-lines.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { assertFound, UserError } from '../lib/user-error.ts';
import { claim, type FoundSession, type FoundSessions, findSessions } from './find-sessions.ts';
import { type DataFolder, isAddress, thisMachine } from './places.ts';
import { createReadSessions, topOf } from './read-session.ts';

/** Sessions on disk, read when asked for. `named`: by the person, so that one that is not there is a mistake, not an empty folder. */
export function createSessions(
  places: readonly DataFolder[],
  { clock, named }: { readonly clock: Clock; readonly named?: boolean },
): Sessions {
  const find = async () => {
    if (named) await assertFolders(places);
    return findSessions(places);
  };

  /** The newest that turn out to be ours, up to `limit`. */
  const claimNewest = async (sessions: readonly FoundSession[], limit: number, ignored: Set<string>) => {
    const claimed: FoundSession[] = [];
    let strangers = 0;
    for (const session of sessions) {
      if (claimed.length >= limit) break;
      const ours = await claim(session, ignored);
      if (ours) claimed.push(ours);
      else strangers++;
    }
    return { claimed, strangers };
  };

  return {
    async list({ limit }) {
      const found = await find();
      const ignored = new Set(found.ignoredFiles);
      const read = createReadSessions(found.sessions, clock, { withoutFacts: true });
      let joined = read.joined();
      let strangers = 0;
      // What turns out to stand in another one's tree makes room for another.
      for (let wanted = limit; ; wanted += limit - joined.trees.length) {
        const newest = await claimNewest(found.sessions, Math.max(wanted, NEWEST_BY_LINES), ignored);
        ({ strangers } = newest);
        await read.add(await lastActive(newest.claimed, wanted));
        joined = read.joined();
        if (joined.trees.length >= limit || newest.claimed.length < wanted) break;
      }
      return {
        trees: joined.trees.toSorted(byLastActivity).slice(0, limit),
        total: found.sessions.length - strangers - joined.within.size,
        ignoredFiles: ignored.size,
        problems: found.problems,
        places: foldersOf(places),
      };
    },
    async open(prefix, onFound) {
      const found = await find();
      const ignored = new Set(found.ignoredFiles);
      const wanted = prefix === undefined ? found.sessions : matching(found, prefix);
      const { claimed } = await claimNewest(wanted, prefix === undefined ? NEWEST_BY_LINES : 1, ignored);
      const [newest] = await lastActive(claimed, 1);
      if (!newest) {
        const where = foldersOf(places).join(', ') || 'no folder';
        throw new UserError(
          'no-sessions',
          [`No sessions found (looked in ${where}).`, ...found.problems].join(' '),
          'Run one of the supported programs once, or point to its data folder with --root.',
        );
      }
      onFound?.({ files: newest.located.sources.map((source) => source.path) });
      const read = createReadSessions(found.sessions, clock);
      await read.add([newest]);
      // Who names a session wants that one; the newest of all stands where the list has it.
      const id = prefix === undefined ? topOf(newest.located.id, read.joined()) : newest.located.id;
      const opened = assertFound(await read.open(id), 'it has just been read');
      return { ...opened, ignoredFiles: ignored.size, problems: found.problems };
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

/** File times are those of the copy where a folder was copied: among the newest few, the lines decide. */
const NEWEST_BY_LINES = 3;
const TAIL_BYTES = 64 * 1024;

/** The sessions whose last lines are the youngest, by a look at the ends of their files. */
async function lastActive(sessions: readonly FoundSession[], limit: number): Promise<readonly FoundSession[]> {
  if (sessions.length <= limit) return sessions;
  const ages = await Promise.all(
    sessions.map(async (session) => {
      const { sources, modifiedAt } = session.located;
      const files = sources.filter(({ shape }) => shape === 'lines');
      // The rows of a table say themselves when they were written.
      const byRows = sources.some(({ shape }) => shape === 'table') ? new Date(modifiedAt).toISOString() : '';
      const byLines = await Promise.all(files.map(({ path }) => lastTimeIn(path)));
      return { session, at: byLines.reduce((a, b) => (a > b ? a : b), byRows) };
    }),
  );
  const youngest = ages.sort((a, b) => (a.at === b.at ? 0 : a.at > b.at ? -1 : 1));
  return youngest.slice(0, limit).map(({ session }) => session);
}

/** Times in the same notation compare as texts. */
async function lastTimeIn(file: string): Promise<string> {
  const tail = await readTail(file, TAIL_BYTES).catch(() => undefined);
  const text = Buffer.from(tail?.bytes ?? []).toString('latin1');
  const times = [...text.matchAll(/"timestamp":"([^"\\]+)"/g)].map(([, at = '']) => at);
  return times.sort().at(-1) ?? '';
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
