import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditCheck,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type CoverageReport,
  computeCoverage,
  nativeId,
  type SessionLedger,
} from '../core/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { stateFolder } from '../lib/state-folder.ts';
import {
  createCallerSessions,
  createSessions,
  type KnownSession,
  type Place,
  placesOf,
  type Subscription,
  thisMachine,
  type Where,
} from '../sessions/index.ts';
import { drainOnce } from './drain-once.ts';
import { type FollowOptions, followLog } from './follow-log.ts';
import { readLog } from './read-log.ts';
import { verifyLog } from './verify-log.ts';

export function createGuardLog(where: Where, own: Pick<GuardLogOptions, 'drain' | 'held'> = {}): GuardLog {
  return openGuardLog({
    folder: stateFolder(thisMachine()),
    places: placesOf(where),
    isNamed: where.roots.length > 0,
    clock: systemClock,
    ...own,
  });
}

export interface GuardLogOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly places: readonly Place[];
  /** The person named the places. */
  readonly isNamed?: boolean;
  readonly clock: Clock;
  /** In a process that drains whenever something comes, what waits for it to be done; left out: we drain ourselves. */
  readonly drain?: () => Promise<unknown>;
  /** In a process that follows sessions: one by its whole id, as it is now. Others are read from the disk. */
  readonly held?: (session: string) => Promise<KnownSession | undefined>;
}

/** While another process drains: so long we wait for it before we answer with what is there. */
const PATIENCE_MS = 3_000;
const FOLLOW_MS = 250;

export function openGuardLog(options: GuardLogOptions): GuardLog {
  const { folder, places, isNamed = false, clock } = options;
  const open = createCallerSessions(places, clock);
  const drain = options.drain ?? (() => drainOnce({ folder, clock, open, patienceMs: PATIENCE_MS }));
  const sessions = createSessions(places, { clock, named: isNamed });
  /** Who follows first and then reads must not miss what is written in between. */
  let beginning: Promise<void> | undefined;
  return {
    async drain() {
      await drain();
    },
    async read(filter, limit) {
      await Promise.all([drain(), beginning]);
      let badLines = 0;
      const newest: AuditEntry[] = [];
      const options = { ...filter, limit: limit + 1, onBadLine: () => void badLines++ };
      for await (const entry of readLog(folder, options)) newest.push(entry);
      const hasMore = newest.length > limit;
      return { entries: newest.slice(0, limit).reverse(), hasMore, badLines };
    },
    follow(filter, listener) {
      const end = new AbortController();
      const isDrained = options.drain ? undefined : drainUntil(end.signal, drain);
      beginning = new Promise((onBegin) => {
        const isTold = tellUntil({ ...filter, folder, signal: end.signal, onBegin }, listener).finally(onBegin);
        Promise.all([isDrained, isTold]).catch(reportTrouble);
      });
      return { close: () => end.abort() };
    },
    async verify() {
      await drain();
      const { entries, files, firstN, lastN, problems } = await verifyLog(folder);
      return { entries, files, firstN, lastN, problems };
    },
    async coverage(prefix) {
      await drain();
      const held = prefix === undefined ? undefined : await options.held?.(prefix);
      const { tree, ledger } = held ?? (await sessions.open(prefix));
      const { calls, unnamed } = await readHeard(folder, ledger);
      return computeCoverage(tree, ledger, (call) => calls.has(call), unnamed);
    },
  };
}

/** Somebody looks on: where no server drains, we do. */
async function drainUntil(signal: AbortSignal, drain: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await drain().catch(reportTrouble);
    await pause(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function tellUntil(
  { folder, ...options }: FollowOptions & { readonly folder: string },
  listener: (entry: AuditEntry) => void,
): Promise<void> {
  for await (const entry of followLog(folder, options)) listener(entry);
}

/** Clocks of the host's lines and of its hooks are the same; a hook may be called while its line is not written yet. */
const EARLIER_MS = 3_600_000;

/**
 * The calls that hooks told of since the session began. Those of other sessions, too: a session that is continued under
 * another id, or copied, has calls in it that were heard under the first one.
 */
async function readHeard(
  folder: string,
  ledger: SessionLedger,
): Promise<{ readonly calls: ReadonlySet<string>; readonly unnamed: number }> {
  const starts = [...ledger.calls.values()].flatMap(({ started }) => started?.at ?? []);
  const since = starts.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER) - EARLIER_MS;
  const calls = new Set<string>();
  let unnamed = 0;
  if (starts.length === 0) return { calls, unnamed };
  for await (const { call, session } of readLog(folder, { since })) {
    if (call !== null) calls.add(call);
    else if (session === nativeId(ledger.id)) unnamed++;
  }
  return { calls, unnamed };
}

/** What the hooks heard, and whether they heard all of it. */
export interface GuardLog {
  /** Takes in what waits in the spool; the others do so before they answer. */
  drain(): Promise<void>;
  /** The newest that match, at most `limit`. */
  read(filter: AuditFilter, limit: number): Promise<AuditPage>;
  /** Entries as they are written from now on. */
  follow(filter: AuditFilter, listener: (entry: AuditEntry) => void): Subscription;
  verify(): Promise<AuditCheck>;
  /** Of the session whose id begins so; of the newest where none is given. */
  coverage(session?: string): Promise<CoverageReport>;
}
