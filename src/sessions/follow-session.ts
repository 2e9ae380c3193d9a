import {
  type AgentEvent,
  type AgentId,
  createLedger,
  type Diagnostic,
  type ProcessSeen,
  parseStartedBy,
  reduce,
  retract,
  type SessionBegun,
  type SessionLedger,
  type SourceId,
  type SourceProgress,
} from '../core/index.ts';
import type {
  AgentScan,
  LocatedSession,
  LocatedSource,
  SourceAdapter,
  SourceReader,
  TableCursor,
} from '../hosts/index.ts';
import { createDocumentCursor, createLineCursor, type LineCursor, type Look } from '../lib/follow-file.ts';
import type { Line } from '../lib/lines.ts';
import { variableOf } from '../lib/processes.ts';
import { MAX_DOCUMENT_BYTES, MAX_SMALL_BYTES } from '../lib/regular-file.ts';
import { UnreadableDatabase } from '../lib/sqlite.ts';
import { isGone } from '../lib/user-error.ts';

/** A session that may still be written: each `refresh` reads what came since the last one. */
export interface FollowedSession {
  readonly ledger: SessionLedger;
  /** Its files, those that lie elsewhere included. */
  readonly sources: readonly LocatedSource[];
  /** How often everything was read from the beginning. */
  readonly generation: number;
  /**
   * Reads what is new in the session's files, or in those that are said to have `changed`. Never throws on what it
   * finds: a file that cannot be read is a diagnostic, and the others go on.
   */
  refresh(session: LocatedSession, changed?: ReadonlySet<string>, scan?: AgentScan): Promise<Refreshed>;
  /** It names agents whose transcripts are not among its own files. */
  isWaiting(): boolean;
  /** Agents that the session names may have turned up elsewhere since. */
  lookForAgents(): void;
}

export interface Refreshed {
  readonly progress: readonly FollowedProgress[];
  /** Files that hold other bytes than before, or are gone: whose they are is to be asked anew. */
  readonly replaced: ReadonlySet<string>;
  /** Files that were gone when they were to be read for the first time: whether they are still listed is to be asked anew. */
  readonly missing: ReadonlySet<string>;
  /** Files that are in the middle of something: to be looked at again a little later. */
  readonly unfinished: ReadonlySet<string>;
}

/** How far a file was read. */
export interface FollowedProgress extends SourceProgress {
  readonly path: string;
  readonly modifiedAt: number;
}

/** Files that are read at the same time: while one is taken apart, the system fetches the others. */
const SIDE_BY_SIDE = 8;
/** A file that changes faster than we can begin anew is read as far as it goes, and again at the next look. */
const TRIES = 3;

export function followSession(adapter: SourceAdapter, first: LocatedSession): FollowedSession {
  let ledger = createLedger(first.id, adapter.title);
  let followed = new Map<SourceId, FollowedSource>();
  let borrowed: readonly LocatedSource[] = [];
  /** Agents that were looked for elsewhere; none told: they are to be looked for. */
  let asked: ReadonlySet<AgentId> | undefined;
  let generation = 0;
  /** What was last said beside the session. */
  let told: readonly AgentEvent[] = [];
  /** Who started it, by its processes: each is asked once, and what it said holds when it is gone. */
  const starts = new Map<number, SessionBegun | undefined>();

  const restart = (): void => {
    ledger = createLedger(first.id, adapter.title);
    followed = new Map();
    borrowed = [];
    asked = undefined;
    told = [];
    generation++;
  };
  /** Records of processes vanish, letters are read and thrown away: what is no longer said is taken back. */
  const noteFacts = ({ facts }: LocatedSession): void => {
    const said = new Set(facts.map((fact) => JSON.stringify(fact)));
    const lost = told.filter((fact) => fact.kind !== 'process-seen' && !said.has(JSON.stringify(fact)));
    if (!lost.every((fact) => retract(ledger, fact))) restart();
    ledger.processes.clear();
    for (const fact of facts) {
      reduce(ledger, fact);
      if (fact.kind === 'process-seen' && fact.alive && !starts.has(fact.pid)) starts.set(fact.pid, startOf(fact));
    }
    for (const start of starts.values()) if (start) reduce(ledger, start);
    told = facts;
  };
  /** In any order: the ledger does not care which file comes first. Whether all of them hold what they held before. */
  const readAll = async (
    session: LocatedSession,
    sources: readonly LocatedSource[],
    { progress, replaced, missing, unfinished }: Reading,
  ): Promise<boolean> => {
    const queue = sources.values();
    let isReplaced = false;
    const readOn = async (): Promise<void> => {
      for (const source of queue) {
        const one = followed.get(source.id) ?? followSource(adapter, session, source);
        followed.set(source.id, one);
        const look = await one.look(ledger);
        if (look === 'replaced' || look === 'gone') {
          isReplaced = true;
          replaced.add(source.path);
        }
        if (one.isMissing()) missing.add(source.path);
        if (look === 'later') unfinished.add(source.path);
        if (look === 'news') progress.push(one.progress());
      }
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, sources.length) }, readOn));
    return !isReplaced;
  };
  /**
   * What is found elsewhere may name agents of its own. Whether it stays with what was borrowed before: an agent may have
   * come back, or its files may lie in another place by now, and then nothing of what they said holds.
   */
  const readElsewhere = async (session: LocatedSession, scan: AgentScan, reading: Reading): Promise<boolean> => {
    const own = new Set(session.sources.map(({ id }) => id));
    while (adapter.locateAgents) {
      const away = agentsElsewhere(ledger, own);
      if (asked && away.length === asked.size && away.every((agent) => asked?.has(agent))) return true;
      asked = new Set(away);
      if (away.length === 0 && borrowed.length === 0) return true;
      const found = new Map<SourceId, LocatedSource>();
      for (const source of await adapter.locateAgents(session, away, scan))
        if (!own.has(source.id) && !found.has(source.id)) found.set(source.id, source);
      if (borrowed.some(({ id, path }) => found.get(id)?.path !== path)) return false;
      borrowed = [...found.values()];
      const news = borrowed.filter(({ id }) => !followed.has(id));
      if (!(await readAll(session, news, reading))) return false;
    }
    return true;
  };
  /** Whether all of it is read now; if not, everything has to be read from the beginning. */
  const readOnce = async (
    session: LocatedSession,
    changed: ReadonlySet<string> | undefined,
    scan: AgentScan,
    reading: Reading,
  ): Promise<boolean> => {
    noteFacts(session);
    const sources = [...session.sources, ...borrowed];
    const there = new Set(sources.map(({ id, path }) => `${id} ${path}`));
    if ([...followed.values()].some(({ source }) => !there.has(`${source.id} ${source.path}`))) return false;
    const wanted = sources.filter(({ id, path }) => !changed || changed.has(path) || !followed.has(id));
    return (await readAll(session, wanted, reading)) && (await readElsewhere(session, scan, reading));
  };

  return {
    get ledger() {
      return ledger;
    },
    get sources() {
      return [...followed.values()].map(({ source }) => source);
    },
    get generation() {
      return generation;
    },
    isWaiting: () => asked?.size !== 0,
    lookForAgents() {
      asked = undefined;
    },
    async refresh(session, changed, scan = new Map()) {
      const reading: Reading = { progress: [], replaced: new Set(), missing: new Set(), unfinished: new Set() };
      for (let tries = 0; !(await readOnce(session, changed, scan, reading)) && tries < TRIES; tries++) {
        restart();
        reading.progress.length = 0;
      }
      return reading;
    },
  };
}

interface Reading extends Refreshed {
  readonly progress: FollowedProgress[];
  readonly replaced: Set<string>;
  readonly missing: Set<string>;
  readonly unfinished: Set<string>;
}

interface FollowedSource {
  readonly source: LocatedSource;
  look(ledger: SessionLedger): Promise<Look>;
  /** The last look was the first to find that there is no such file: a link to nothing may be listed for ever. */
  isMissing(): boolean;
  progress(): FollowedProgress;
}

function followSource(adapter: SourceAdapter, session: LocatedSession, source: LocatedSource): FollowedSource {
  if (source.shape === 'table' && adapter.openTable)
    return followTable(adapter.openTable(session, source), session, source);
  const reader = adapter.createReader(session, source);
  const maxBytes = source.companion ? MAX_SMALL_BYTES : MAX_DOCUMENT_BYTES;
  const cursor =
    source.shape === 'document' ? createDocumentCursor(source.path, maxBytes) : createLineCursor(source.path);
  const taker = source.shape === 'document' ? takeDocument(reader) : takeLines(reader);
  let hasFailed = false;
  let isMissing = false;
  const fail = (ledger: SessionLedger, error: unknown, line?: Line): void =>
    noteFailure(ledger, session, source, error, line);
  return {
    source,
    progress: () => progressOf(source, cursor),
    isMissing: () => isMissing,
    async look(ledger) {
      let isReplaced = false;
      isMissing = false;
      try {
        const look = await cursor.look((line) => {
          try {
            isReplaced = !taker.take(ledger, line) || isReplaced;
          } catch (error) {
            fail(ledger, error, line);
          }
        });
        if (look === 'nothing' && taker.isUnsure()) return taker.settle(ledger) ? 'news' : 'replaced';
        // It can be read again: what was said of it no longer holds.
        if (isReplaced || (hasFailed && look === 'news')) return 'replaced';
        return taker.isUnsure() ? 'later' : look;
      } catch (error) {
        if (hasFailed) return 'nothing';
        hasFailed = true;
        isMissing = isGone(error);
        fail(ledger, error);
        return 'news';
      }
    },
  };
}

/** What cannot be read now may be readable at the next look: then everything is read anew, without the failure. */
function followTable(cursor: TableCursor, session: LocatedSession, source: LocatedSource): FollowedSource {
  let hasFailed = false;
  return {
    source,
    progress: () => progressOf(source, { next: 0, modifiedAt: cursor.modifiedAt }),
    isMissing: () => false,
    async look(ledger) {
      try {
        const look = await cursor.look((facts) => {
          for (const fact of facts) reduce(ledger, fact);
        });
        return hasFailed && look !== 'later' ? 'replaced' : look;
      } catch (error) {
        if (hasFailed) return 'nothing';
        hasFailed = true;
        noteFailure(ledger, session, source, error);
        return 'news';
      }
    },
  };
}

function noteFailure(
  ledger: SessionLedger,
  session: LocatedSession,
  source: LocatedSource,
  error: unknown,
  line?: Line,
): void {
  const origin = { source: source.id, offset: line?.offset ?? 0, length: line?.length ?? 0 };
  const diagnostic = { ...failure(error), origin };
  reduce(ledger, { kind: 'problem-found', session: session.id, origin, diagnostic });
}

interface Taker {
  /** Whether the ledger can be brought up to date; else everything has to be read again. */
  take(ledger: SessionLedger, line: Line): boolean;
  /** What came last is half a text, as it seems: what the whole one said holds until somebody has looked again. */
  isUnsure(): boolean;
  /** Half a text is all there is. As `take`. */
  settle(ledger: SessionLedger): boolean;
}

function takeLines(reader: SourceReader): Taker {
  /** What a torn last line made us say: it no longer holds once the line has grown. */
  let torn: readonly AgentEvent[] = [];
  return {
    take(ledger, line) {
      for (const event of torn) retract(ledger, event);
      torn = [];
      const events = reader.read(line);
      for (const event of events) reduce(ledger, event);
      if (line.torn) torn = events.filter(({ kind }) => kind === 'problem-found');
      return true;
    },
    isUnsure: () => false,
    settle: () => true,
  };
}

/** What the last text said and this one does not is taken back. */
function takeDocument(reader: SourceReader): Taker {
  let last: readonly AgentEvent[] = [];
  let half: readonly AgentEvent[] | undefined;
  const replaceBy = (ledger: SessionLedger, events: readonly AgentEvent[]): boolean => {
    const said = new Set(events.map(withoutPlace));
    const isUpToDate = last.filter((event) => !said.has(withoutPlace(event))).every((lost) => retract(ledger, lost));
    for (const event of events) reduce(ledger, event);
    last = events;
    half = undefined;
    return isUpToDate;
  };
  return {
    take(ledger, line) {
      const events = reader.read(line);
      if (isOnlyProblem(last) || !isOnlyProblem(events)) return replaceBy(ledger, events);
      half = events;
      return true;
    },
    isUnsure: () => half !== undefined,
    settle: (ledger) => half === undefined || replaceBy(ledger, half),
  };
}

function isOnlyProblem(events: readonly AgentEvent[]): boolean {
  return events.every(({ kind }) => kind === 'problem-found');
}

function withoutPlace({ origin: _origin, ...event }: AgentEvent): string {
  return JSON.stringify(event);
}

function progressOf(
  { id, path, agent }: LocatedSource,
  { next, modifiedAt }: Pick<LineCursor, 'next' | 'modifiedAt'>,
): FollowedProgress {
  return { source: id, path, bytes: next, modifiedAt, ...(agent && { agent }) };
}

/** The system says why, or a database does (`lib/sqlite.ts`). */
function isUnreadable(error: unknown): error is Error {
  return error instanceof UnreadableDatabase || (error instanceof Error && 'syscall' in error);
}

/** A file that cannot be read, or a bug of ours in it: told with its place. */
function failure(error: unknown): Pick<Diagnostic, 'code' | 'detail'> {
  if (isUnreadable(error)) return { code: 'unreadable-file', detail: error.message };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'reader-failed', detail: stack.split('\n').slice(0, 3).join(' ') };
}

/**
 * Named by a call's result or by the notice of its end, and no file of this session is its own. A sidecar alone may be
 * another session's. One that was found elsewhere may have more files there: a teammate has one for each time it woke.
 */
function agentsElsewhere(ledger: SessionLedger, own: ReadonlySet<SourceId>): readonly AgentId[] {
  return [...ledger.agents.values()]
    .filter((agent) => ![...agent.sources].some((source) => own.has(source)))
    .filter((agent) => [...agent.links.values()].some(({ evidence }) => evidence !== 'sidecar'))
    .map((agent) => agent.id);
}

/** Which agent started a process that runs, as it was told (guard/tell-identity.ts): for hosts whose hooks are not ours. */
export function startOf({ pid, session, origin }: ProcessSeen): SessionBegun | undefined {
  const by = parseStartedBy(variableOf(pid, 'TROUPE_PARENT') ?? '');
  return by && { kind: 'session-begun', session, origin, by };
}
