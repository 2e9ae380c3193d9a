import {
  type AgentEvent,
  type AgentId,
  type AgentRecord,
  copyTimeOf,
  createLedger,
  type Diagnostic,
  type EventOrigin,
  MESSAGE_DELIVERY,
  mainAgentOf,
  type ProcessSeen,
  parseStartedBy,
  reduce,
  retract,
  type SessionBegun,
  type SessionContinued,
  type SessionForked,
  type SessionId,
  type SessionLedger,
  type SourceId,
  type SourceProgress,
  type ToolCallId,
} from '../core/index.ts';
import {
  AgentScan,
  type LocatedSession,
  type LocatedSource,
  type SourceAdapter,
  type SourceReader,
  type TableCursor,
} from '../hosts/index.ts';
import { atMost } from '../lib/clock.ts';
import { createDocumentCursor, createLineCursor, type FileMark, type Look } from '../lib/follow-file.ts';
import { known } from '../lib/json.ts';
import type { Line } from '../lib/lines.ts';
import { variableOf } from '../lib/processes.ts';
import { MAX_DOCUMENT_BYTES, MAX_SMALL_BYTES } from '../lib/regular-file.ts';
import { UnreadableDatabase } from '../lib/sqlite.ts';
import { isGone, isSystemError } from '../lib/user-error.ts';

interface Refreshed {
  readonly progress: FollowedProgress[];
  /** Files that hold other bytes than before, or are gone: they may belong to another session now. */
  readonly replaced: Set<string>;
  /** Files that were gone when they were to be read for the first time: they may no longer be listed. */
  readonly missing: Set<string>;
  /** Files in the middle of a write: to be read again a little later. */
  readonly unfinished: Set<string>;
}

/** How far a file was read. */
export interface FollowedProgress extends SourceProgress {
  readonly path: string;
  readonly modifiedAt: number;
}

/** What is known of a session whose files have grown since: facts may be told twice, so those files are read whole. */
export interface ReadBefore {
  readonly ledger: SessionLedger;
  /** Those found beside the session then. */
  readonly facts: readonly AgentEvent[];
  /** Paths. */
  readonly unchanged: ReadonlySet<string>;
}

/** Files that are read at the same time: while one is parsed, the system fetches the others. */
const SIDE_BY_SIDE = 8;
/** A file that changes faster than we can start over is read as far as it goes, and again next time. */
const TRIES = 3;

/** A session that may still be written to: each `refresh` reads what came since the last one. */
export class FollowedSession {
  readonly #adapter: SourceAdapter;
  readonly #id: SessionId;
  /** Who started it, by process: each is asked once, and its answer holds after it has ended. */
  readonly #starts = new Map<number, SessionBegun | undefined>();
  #ledger: SessionLedger;
  #followed = new Map<SourceId, FollowedSource>();
  /** Transcripts of its agents that lie elsewhere. */
  #borrowed: readonly LocatedSource[] = [];
  /** Files of its own that are another agent's than their names say. */
  readonly #reassigned = new Map<SourceId, LocatedSource>();
  /** Until when the lines of borrowed files count: they end for this session when it became a copy. */
  #borrowedUntil: number | undefined;
  #isOriginKnown = false;
  /** The answer to the last search for its original; undefined if nobody searched. */
  #origin: string | undefined;
  /** The last search for transcripts elsewhere, and its answer. */
  #search: { readonly away: readonly AgentId[]; readonly calls: readonly ToolCallId[]; found: string } | undefined;
  /** Agents that were looked for elsewhere; undefined: look for them next time. */
  #searched: ReadonlySet<AgentId | ToolCallId> | undefined;
  #generation = 0;
  /** By path, how far files were read that are read again although they may have nothing new. */
  readonly #reported = new Map<string, number>();
  /** The facts that were last found beside the session. */
  #facts: readonly AgentEvent[] = [];
  /** Files of which the ledger holds everything already. */
  #unchanged: ReadonlySet<string> = new Set();

  /** `before`: what an earlier process read of it. */
  constructor(adapter: SourceAdapter, { id }: Pick<LocatedSession, 'id'>, before?: ReadBefore) {
    this.#adapter = adapter;
    this.#id = id;
    this.#ledger = before?.ledger ?? createLedger(id, adapter.title, adapter.deletesAfterDays);
    if (!before) return;
    this.#facts = before.facts;
    this.#unchanged = before.unchanged;
  }

  get ledger(): SessionLedger {
    return this.#ledger;
  }

  /** Its files, including those that lie elsewhere. */
  get sources(): readonly LocatedSource[] {
    return [...this.#followed.values()].map(({ source }) => source);
  }

  /** How far each of its files of lines was read, by path. */
  marks(): ReadonlyMap<string, FileMark> {
    const marks = new Map<string, FileMark>();
    for (const { source, mark } of this.#followed.values()) {
      const read = mark();
      if (read) marks.set(source.path, read);
    }
    return marks;
  }

  /** How often everything was read from the beginning. */
  get generation(): number {
    return this.#generation;
  }

  /** It names agents whose transcripts are not among its own files. */
  isWaiting(): boolean {
    return this.#searched?.size !== 0;
  }

  /** Agents that the session names may have turned up elsewhere since. */
  lookForAgents(): void {
    this.#searched = undefined;
  }

  /** Files of other sessions decide what it shows. */
  dependsOnOthers(): boolean {
    const { locateAgents } = this.#adapter;
    if (mayBeCopy(this.#ledger) || this.#borrowed.length > 0 || this.#reassigned.size > 0) return true;
    return locateAgents !== undefined && this.isWaiting();
  }

  /** Searches again for what it has of others, beside its reading. False if a fresh read would find something else. */
  compareWithOthers(session: LocatedSession): (scan: AgentScan) => Promise<boolean> {
    const [ledger, origin, search] = [this.#ledger, this.#origin, this.#search];
    return async (scan) => {
      const found = search && (await this.#adapter.locateAgents?.(session, search.away, scan, search.calls));
      if (found && describeAll(found) !== search.found) return false;
      return origin === undefined || describe(await originOf(this.#adapter, session, ledger, scan)) === origin;
    };
  }

  /** The next look reads everything from the beginning, as if the session had never been read. */
  startOver(): void {
    for (const one of this.#followed.values()) this.#reported.set(one.source.path, one.progress().bytes);
    this.#reassigned.clear();
    this.#borrowedUntil = undefined;
    this.#restart();
  }

  /**
   * Reads what is new in the session's files, or in those that have `changed`. Never throws on their content: a file that
   * cannot be read is a diagnostic, and the others are read.
   */
  async refresh(session: LocatedSession, changed?: ReadonlySet<string>, scan = new AgentScan()): Promise<Refreshed> {
    const reading: Refreshed = { progress: [], replaced: new Set(), missing: new Set(), unfinished: new Set() };
    for (let tries = 0; !(await this.#readOnce(session, changed, scan, reading)) && tries < TRIES; tries++) {
      this.#restart();
      reading.progress.length = 0;
    }
    return reading;
  }

  #restart(): void {
    this.#ledger = createLedger(this.#id, this.#adapter.title, this.#adapter.deletesAfterDays);
    this.#followed = new Map();
    this.#borrowed = [];
    this.#isOriginKnown = false;
    this.#origin = undefined;
    this.#search = undefined;
    this.#searched = undefined;
    this.#facts = [];
    this.#unchanged = new Set();
    this.#generation++;
  }

  /** False if everything has to be read from the beginning. */
  async #readOnce(
    session: LocatedSession,
    changed: ReadonlySet<string> | undefined,
    scan: AgentScan,
    reading: Refreshed,
  ): Promise<boolean> {
    this.#noteFacts(session);
    const own = session.sources.map((source) => {
      const reassigned = this.#reassigned.get(source.id);
      // The same file in another data folder may be another agent's.
      return reassigned?.path === source.path ? reassigned : source;
    });
    const sources = [...own, ...this.#borrowed];
    const listed = new Set(sources.map(({ id, path }) => `${id} ${path}`));
    if (this.sources.some(({ id, path }) => !listed.has(`${id} ${path}`))) return false;
    const wanted = sources.filter(({ id, path }) =>
      this.#unchanged.has(path) ? false : !changed || changed.has(path) || !this.#followed.has(id),
    );
    return (await this.#readAll(session, wanted, reading)) && (await this.#readElsewhere(session, scan, reading));
  }

  /** Process records vanish, letters are read and deleted: facts that are gone are retracted. */
  #noteFacts({ facts }: LocatedSession): void {
    const current = new Set(facts.map((fact) => JSON.stringify(fact)));
    const lost = this.#facts.filter((fact) => fact.kind !== 'process-seen' && !current.has(JSON.stringify(fact)));
    if (!lost.every((fact) => retract(this.#ledger, fact))) this.#restart();
    this.#ledger.processes.clear();
    for (const fact of facts) {
      reduce(this.#ledger, fact);
      if (fact.kind === 'process-seen' && fact.alive && !fact.isShared && !this.#starts.has(fact.pid))
        this.#starts.set(fact.pid, startOf(fact));
    }
    for (const start of this.#starts.values()) if (start) reduce(this.#ledger, start);
    this.#facts = facts;
  }

  /** In any order: the ledger does not depend on it. Returns whether all files hold what they held before. */
  async #readAll(session: LocatedSession, sources: readonly LocatedSource[], reading: Refreshed): Promise<boolean> {
    let isReplaced = false;
    const fewAtOnce = atMost(SIDE_BY_SIDE);
    const readOne = async (source: LocatedSource): Promise<void> => {
      const isElsewhere = this.#borrowed.some(({ id }) => id === source.id);
      const isBorrowed = isElsewhere && !source.goesOn;
      const one =
        this.#followed.get(source.id) ??
        followSource(this.#adapter, session, source, {
          isElsewhere,
          copiedAt: isBorrowed ? this.#borrowedUntil : undefined,
        });
      this.#followed.set(source.id, one);
      const origin = { source: source.id, offset: 0, length: 0 };
      if (isBorrowed) reduce(this.#ledger, { kind: 'source-borrowed', session: session.id, origin });
      const look = await one.look(this.#ledger);
      if (look === 'replaced' || look === 'gone') {
        isReplaced = true;
        reading.replaced.add(source.path);
      }
      if (one.isMissing()) reading.missing.add(source.path);
      if (look === 'later') reading.unfinished.add(source.path);
      if (look === 'news' && this.#reported.get(source.path) !== one.progress().bytes)
        reading.progress.push(one.progress());
      this.#reported.delete(source.path);
    };
    await Promise.all(sources.map((source) => fewAtOnce(() => readOne(source))));
    return !isReplaced;
  }

  /**
   * Transcripts found elsewhere may name further agents. False if a borrowed file has moved or its agent has come back: then
   * nothing of what it said holds.
   */
  async #readElsewhere(session: LocatedSession, scan: AgentScan, reading: Refreshed): Promise<boolean> {
    const ownById = new Map(session.sources.map((source) => [source.id, source]));
    const own = new Set(ownById.keys());
    if (!(await this.#isFrozen(session, scan))) return false;
    while (this.#adapter.locateAgents) {
      const [away, calls] = [agentsElsewhere(this.#ledger, own), callsOfOriginal(this.#ledger, own)];
      const wanted = [...away, ...calls];
      if (this.#searched?.size === wanted.length && wanted.every((one) => this.#searched?.has(one))) return true;
      this.#searched = new Set<AgentId | ToolCallId>(wanted);
      if (wanted.length === 0 && this.#borrowed.length === 0) return true;
      const found = new Map<SourceId, LocatedSource>();
      let isReassigned = false;
      const located = await this.#adapter.locateAgents(session, away, scan, calls);
      this.#search = { away, calls, found: describeAll(located) };
      for (const source of located) {
        if (own.has(source.id)) {
          const before = this.#reassigned.get(source.id) ?? ownById.get(source.id);
          isReassigned ||= before?.agent !== source.agent || before?.role !== source.role;
          this.#reassigned.set(source.id, source);
        } else if (!found.has(source.id)) found.set(source.id, source);
      }
      if (isReassigned) return false;
      if (this.#borrowed.some(({ id, path }) => found.get(id)?.path !== path)) return false;
      this.#borrowed = [...found.values()];
      if (!(await this.#isFrozen(session, scan))) return false;
      const added = this.#borrowed.filter(({ id }) => !this.#followed.has(id));
      if (!(await this.#readAll(session, added, reading))) return false;
      const lost = added.filter(({ id }) => this.#followed.get(id)?.isMissing());
      if (lost.length > 0) return this.#forget(lost);
    }
    return true;
  }

  /** False if borrowed files were read beyond the moment at which the session became a copy. */
  async #isFrozen(session: LocatedSession, scan: AgentScan): Promise<boolean> {
    await this.#noteOrigin(session, scan);
    const until = copyTimeOf(this.#ledger);
    if (until === this.#borrowedUntil) return true;
    this.#borrowedUntil = until;
    return !this.#borrowed.some(({ id, goesOn }) => !goesOn && this.#followed.has(id));
  }

  /** A session that borrows agents, or whose own lines say that it may go on from another one, is compared with its neighbours. */
  async #noteOrigin(session: LocatedSession, scan: AgentScan): Promise<void> {
    if (this.#isOriginKnown) return;
    if (!goesOnFromAnother(this.#ledger) && this.#borrowed.every(this.#isTeammates)) return;
    const fact = await originOf(this.#adapter, session, this.#ledger, scan);
    if (fact === 'too early') return;
    if (fact) reduce(this.#ledger, fact);
    // When it began to go its own way is not known before it has.
    if (fact?.kind === 'session-forked' && copyTimeOf(this.#ledger) === undefined) return;
    this.#isOriginKnown = true;
    this.#origin = describe(fact);
  }

  /** They are in other sessions because they have terminals of their own. */
  readonly #isTeammates = ({ agent }: LocatedSource): boolean =>
    agent === undefined || this.#ledger.agents.get(agent)?.agentKind?.value === 'teammate';

  /** Files that went away between the search and the reading: they are looked for again at the next look. */
  #forget(sources: readonly LocatedSource[]): true {
    for (const { id } of sources) this.#followed.delete(id);
    this.#borrowed = this.#borrowed.filter(({ id }) => this.#followed.has(id));
    this.#searched = undefined;
    return true;
  }
}

const describe = (one: object | string | undefined): string => JSON.stringify(one ?? null);

const describeAll = (sources: readonly LocatedSource[]): string => JSON.stringify(sources.map(describe).sort());

/** It says so, or some of its lines are older than it is. */
export function mayBeCopy({ mayBeCopy, copiedAt, forkedFrom }: SessionLedger): boolean {
  return mayBeCopy === true || copiedAt !== undefined || forkedFrom !== undefined;
}

function goesOnFromAnother(ledger: SessionLedger): boolean {
  return ledger.beganEmpty === true || mayBeCopy(ledger);
}

/**
 * The fact that it began as a copy of an older session, or where one was emptied; `too early` until something was said in it.
 * Expensive: it reads the neighbouring sessions.
 */
async function originOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
  scan?: AgentScan,
): Promise<SessionForked | SessionContinued | 'too early' | undefined> {
  if (!adapter.findOrigin) return undefined;
  const main = mainAgentOf(session.id);
  const asked = [...ledger.messages.values()].filter(({ role, agents }) => role === 'user' && agents.has(main));
  const [first] = asked.sort((a, b) => a.origin.offset - b.origin.offset);
  if (!first) return 'too early';
  const found = await adapter.findOrigin(session, first.id, scan).catch((error) => {
    if (!isSystemError(error) && !(error instanceof UnreadableDatabase)) throw error;
    // The transcript disappeared while it was read: the next read decides.
    return isGone(error) ? 'too early' : undefined;
  });
  if (!found || found === 'too early') return found;
  const { id: from, leftAt: at, totals } = found;
  const fact = { session: session.id, origin: first.origin, from };
  if (found.isEmptied) return { ...fact, kind: 'session-continued' };
  const replies = [...found.replies].filter((id) => ledger.messages.has(id));
  return { ...fact, kind: 'session-forked', replies, ...known({ at, totals }) };
}

interface FollowedSource {
  readonly source: LocatedSource;
  look(ledger: SessionLedger): Promise<Look>;
  /** The last look was the first to find that there is no such file: a link to nothing may be listed for ever. */
  isMissing(): boolean;
  progress(): FollowedProgress;
  mark(): FileMark | undefined;
}

function followSource(
  adapter: SourceAdapter,
  session: LocatedSession,
  source: LocatedSource,
  { isElsewhere, copiedAt }: { readonly isElsewhere: boolean; readonly copiedAt: number | undefined },
): FollowedSource {
  const { id, path, agent, shape } = source;
  const noteFailure: NoteFailure = (ledger, error, line) => {
    const origin = { source: id, offset: line?.offset ?? 0, length: line?.length ?? 0 };
    reduce(ledger, { kind: 'problem-found', session: session.id, origin, diagnostic: { ...failure(error), origin } });
  };
  const { read, progress, mark } =
    shape === 'table' && adapter.openTable
      ? openTable(adapter.openTable(session, source))
      : openFile(until(adapter.createReader(session, source), copiedAt), source, noteFailure);
  let hasFailed = false;
  let isMissing = false;
  return {
    source,
    progress: () => ({ source: id, path, ...progress(), ...known({ agent }) }),
    isMissing: () => isMissing,
    mark: () => (hasFailed ? undefined : mark()),
    async look(ledger) {
      isMissing = false;
      try {
        return await read(ledger, hasFailed);
      } catch (error) {
        if (hasFailed) return 'nothing';
        hasFailed = true;
        isMissing = shape !== 'table' && isGone(error);
        // It may have been moved or deleted since it was found, or not be written yet: it is looked for again.
        if (isMissing && isElsewhere) return 'nothing';
        noteFailure(ledger, error);
        return 'news';
      }
    },
  };
}

/** A copy of a session knows of agents that went on in the other one: only what came before it is told here. */
function until(reader: SourceReader, copiedAt: number | undefined): SourceReader {
  if (copiedAt === undefined) return reader;
  const isBefore = (event: AgentEvent): boolean =>
    'at' in event && event.at !== undefined ? event.at < copiedAt : event.kind !== 'run-ended';
  return { read: (line) => reader.read(line).filter(isBefore) };
}

type NoteFailure = (ledger: SessionLedger, error: unknown, line?: Line) => void;

interface OpenSource {
  /** After a failure, what was said of it no longer holds once it can be read: then everything is read anew. */
  read(ledger: SessionLedger, hasFailed: boolean): Promise<Look>;
  progress(): Pick<FollowedProgress, 'bytes' | 'modifiedAt'>;
  mark(): FileMark | undefined;
}

function openFile(reader: SourceReader, source: LocatedSource, noteFailure: NoteFailure): OpenSource {
  const isDocument = source.shape === 'document';
  const maxBytes = source.companion ? MAX_SMALL_BYTES : MAX_DOCUMENT_BYTES;
  const cursor = isDocument ? createDocumentCursor(source.path, maxBytes) : createLineCursor(source.path);
  const taker = isDocument ? takeDocument(reader) : takeLines(reader);
  return {
    progress: () => ({ bytes: cursor.next, modifiedAt: cursor.modifiedAt }),
    mark: () => cursor.mark(),
    async read(ledger, hasFailed) {
      let isReplaced = false;
      const look = await cursor.look((line) => {
        try {
          isReplaced = !taker.take(ledger, line) || isReplaced;
        } catch (error) {
          noteFailure(ledger, error, line);
        }
      });
      if (look === 'nothing' && taker.isUnsure()) return taker.settle(ledger) ? 'news' : 'replaced';
      if (isReplaced || (hasFailed && look === 'news')) return 'replaced';
      return taker.isUnsure() ? 'later' : look;
    },
  };
}

function openTable(cursor: TableCursor): OpenSource {
  return {
    progress: () => ({ bytes: 0, modifiedAt: cursor.modifiedAt }),
    mark: () => undefined,
    async read(ledger, hasFailed) {
      const look = await cursor.look((facts) => {
        for (const fact of facts) reduce(ledger, fact);
      });
      return hasFailed && look !== 'later' ? 'replaced' : look;
    },
  };
}

interface LineTaker {
  /** Whether the ledger can be brought up to date; else everything has to be read again. */
  take(ledger: SessionLedger, line: Line): boolean;
  /** What came last is half a text, as it seems: what the whole one said holds until somebody has looked again. */
  isUnsure(): boolean;
  /** Half a text is all there is. As `take`. */
  settle(ledger: SessionLedger): boolean;
}

function takeLines(reader: SourceReader): LineTaker {
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
function takeDocument(reader: SourceReader): LineTaker {
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

/** A file that cannot be read, by the system or by a database (`lib/sqlite.ts`), or a bug of ours in it: told with its place. */
function failure(error: unknown): Pick<Diagnostic, 'code' | 'detail'> {
  if (error instanceof UnreadableDatabase || isSystemError(error))
    return { code: 'unreadable-file', detail: error.message };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'reader-failed', detail: stack.split('\n').slice(0, 3).join(' ') };
}

/** Copied calls of agents that were at work when the copy was made: only the original names their agents. */
function callsOfOriginal(ledger: SessionLedger, own: ReadonlySet<SourceId>): readonly ToolCallId[] {
  const until = copyTimeOf(ledger);
  if (until === undefined) return [];
  const isHere = ({ sources }: AgentRecord): boolean => [...sources].some((file) => own.has(file));
  const links = [...ledger.agents.values()].flatMap((agent) =>
    [...agent.links.values()].filter(({ evidence }) => evidence !== 'sidecar' || isHere(agent)),
  );
  const answered = new Set(links.flatMap(({ call }) => call ?? []));
  return [...ledger.calls.values()]
    .filter(({ id, spawn, started }) => spawn && (started?.at ?? until) < until && !answered.has(id))
    .map(({ id }) => id);
}

/**
 * Agents of which files may lie elsewhere: those that a call's result or the notice of their end names and that have no file
 * here (a sidecar alone may be another session's); teammates, if messages were delivered to somebody; those whose file goes
 * on from another one; and those whose process left the session while they were at work, whatever a later process assumes of
 * their end.
 */
function agentsElsewhere(ledger: SessionLedger, own: ReadonlySet<SourceId>): readonly AgentId[] {
  const agents = [...ledger.agents.values()];
  const isTeammate = ({ agentKind }: AgentRecord): boolean => agentKind?.value === 'teammate';
  const hasDeliveries = agents.some(
    (agent) => agent.internal?.value === MESSAGE_DELIVERY && agent.tails.size > 0 && !isTeammate(agent),
  );
  const isLeft = ![...ledger.processes.values()].some(({ alive, movedTo }) => alive && movedTo === undefined);
  // By its own files alone: what was found elsewhere must not decide whether it is looked for there.
  const isOwn = (said: { readonly origin: EventOrigin } | undefined): boolean => !!said && own.has(said.origin.source);
  const isUnfinished = ({ ends, links }: AgentRecord): boolean =>
    ![...ends.values()].some((end) => isOwn(end) && !end.isAssumed) &&
    [...links.values()].some(({ call }) => call !== undefined && ledger.calls.get(call)?.launched);
  const isNamed = ({ links }: AgentRecord): boolean =>
    [...links.values()].some(
      ({ evidence, call }) =>
        evidence !== 'sidecar' && (evidence !== 'notification' || call === undefined || ledger.calls.has(call)),
    );
  return agents
    .filter((agent) => {
      const files = [...agent.sources];
      const isHere = files.some((file) => own.has(file));
      if ((agent.isContinued?.value && isOwn(agent.isContinued)) || (isLeft && isUnfinished(agent))) return true;
      if (ledger.wasEmptied && isHere && agent.links.size > 0) return true;
      return isNamed(agent) && (!isHere || (hasDeliveries && isTeammate(agent)));
    })
    .map((agent) => agent.id);
}

/** Which agent started a running process, by the variable that guard/identity.ts sets: for hosts without our hooks. */
function startOf({ pid, session, origin }: ProcessSeen): SessionBegun | undefined {
  const by = parseStartedBy(variableOf(pid, 'TROUPE_PARENT') ?? '');
  return by && { kind: 'session-begun', session, origin, by };
}
