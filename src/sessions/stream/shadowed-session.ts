import { closeSync, mkdtempSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentEvent,
  type AgentId,
  type AgentNode,
  buildTree,
  createLedger,
  type DiagnosticCode,
  type EventOrigin,
  forgetSettled,
  mainAgentOf,
  type Run,
  reduce,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type ToolCallId,
  toSessionId,
  toSourceId,
} from '../../core/index.ts';
import {
  type LocatedSession,
  NO_SESSION_YET,
  type SourceAdapter,
  type StreamCapability,
  type StreamNews,
} from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import { openNewSync } from '../../lib/regular-file.ts';
import { type FollowedSession, followSession } from '../follow-session.ts';
import { TOLD_ROLE } from '../hook-sources.ts';
import type { Place } from '../places.ts';
import { createTeller } from './create-teller.ts';
import type { StreamEvent } from './stream-event.ts';

export interface ShadowedSession {
  readonly host: string;
  take(line: Line): void;
  end(counts: { readonly lines: number; readonly malformed: number }): Promise<EndedSession>;
}

export interface EndedSession {
  readonly session: string;
  readonly malformedLines: number;
  readonly subagents: number;
  readonly tree: SessionTree;
}

const STREAM = toSourceId('stream');
/** The stream itself stands for its program: as long as it is open, somebody is at work. */
const PROCESS = { kind: 'process-seen', pid: 0 } as const;
const LOOK_EVERY_MS = 120;
/** A look may take so much of the time, and no more: some data folders are large. */
const SHARE_OF_TIME = 0.1;
/** So many lines of a stream without files are remembered in full. */
const FORGET_EVERY = 2_000;
/** Files are written a little later than the lines are printed. */
const LAST_LINES_MS = 250;
/** So long the result of a call waits for the files to say more, where the host's results are not to be trusted. */
const UNSURE_MS = 600;
/** Clocks of one machine: an agent may begin so much before the first line of its stream was read. */
const SLACK_MS = 2_000;
const MALFORMED: ReadonlySet<DiagnosticCode> = new Set([
  'invalid-json',
  'torn-line',
  'not-a-record',
  'line-too-long',
  'nul-bytes',
  'glued-lines',
]);

/** One session as its stream tells it, with its files beside it: facts in one ledger, one tree, its differences as events. */
export function createShadowedSession(
  { adapter, session: native, since: begun }: RecognisedStream,
  options: ShadowOptions,
): ShadowedSession {
  const { stream, host } = adapter;
  const id = toSessionId(host, native);
  const reader = stream.createReader(id, STREAM);
  const places = stream.leavesToDisk && native !== NO_SESSION_YET ? options.placesOf(host) : [];
  const disk: DiskJoin | undefined = places.length > 0 ? joinDisk(places, id, options.onError) : undefined;
  const log: FactLog | undefined = disk && createFactLog();
  const prompts = new Map<ToolCallId, string>();
  let own = createLedger(id);
  let since = (begun ?? options.clock()) - SLACK_MS;
  let told: string | undefined;
  let malformed = 0;
  let lastAt = 0;
  let taken = 0;
  let isOpen = true;
  let hasStarted = false;
  const sessionId = (): string | null => told ?? (native === NO_SESSION_YET ? null : native);
  /** Never twice the same: what came later is later. */
  const nextInstant = (): number => {
    lastAt = Math.max(options.clock(), lastAt + 0.001);
    return lastAt;
  };
  const ofStream = new Set<AgentId>();
  const isOfStream = (agent: AgentNode): boolean => {
    const claims = ledger().agents.get(agent.id)?.links.values() ?? [];
    const isNamedHere = [...claims].some(({ origin }) => origin?.source === STREAM);
    const isYoung = (agent.startedAt ?? since) >= since;
    const is = isNamedHere || isYoung || (agent.link.parent !== undefined && ofStream.has(agent.link.parent));
    if (is) ofStream.add(agent.id);
    return is;
  };
  const isSettled = ({ signal, endedAt = 0 }: Run): boolean =>
    !isOpen || !disk || !stream.resultsAreUnsure || signal !== 'result' || options.clock() - endedAt > UNSURE_MS;
  const teller = createTeller(sessionId, {
    now: options.clock,
    promptOf: (call) => prompts.get(call),
    isOfStream,
    mayLearnParents: () => disk !== undefined,
    // Files have told of such an agent before the stream does, without saying which call made it.
    mayLearnNames: () => disk !== undefined && stream.resultsAreUnsure === true,
    isSettled,
  });
  const ledger = (): SessionLedger => own;

  const tell = (isLast = false): SessionTree => {
    reduce(own, { ...PROCESS, alive: isOpen, session: id, origin: NOWHERE });
    const tree = buildTree(own, { now: options.clock() });
    const events = [...(hasStarted ? [] : [startOf(tree)]), ...teller.tell(tree, isLast)];
    hasStarted = true;
    if (events.length > 0) {
      options.onEvents(events);
      options.onTree?.(tree);
    }
    return tree;
  };
  const at = (): string => new Date(options.clock()).toISOString();
  const startOf = ({ hostVersion, cwd }: SessionTree) =>
    ({
      type: 'session_started',
      at: at(),
      session_id: sessionId(),
      host,
      host_version: hostVersion ?? null,
      cwd: cwd ?? null,
    }) as const;

  const note = ({ facts, prompts: asked = [], result, session }: StreamNews): void => {
    for (const { call, prompt } of asked) prompts.set(call, prompt);
    if (session !== undefined) told = session;
    const stamped = facts.map((fact) => stamp(fact, nextInstant()));
    for (const fact of stamped) reduce(own, fact);
    log?.add(stamped);
    if (stream.hasIdsOfFiles) options.onFacts?.(id, stamped);
    malformed += facts.filter(isMalformed).length;
    if (++taken % FORGET_EVERY === 0 && disk?.ledger !== own) forgetSettled(own);
    if (concernsTree(facts, mainAgentOf(id), own) || (!hasStarted && facts.some(isNews))) tell();
    if (!result) return;
    tell();
    options.onEvents([
      {
        type: 'result',
        at: at(),
        session_id: sessionId(),
        is_error: result.isError,
        result: result.text ?? null,
        cost_usd: result.costUsd ?? null,
        duration_ms: result.durationMs ?? null,
      },
    ]);
  };

  /** The ledger of the files, with everything that the stream told; another one where they had to be read anew. */
  const adopt = (): void => {
    if (!disk?.ledger || disk.ledger === own) return;
    own = disk.ledger;
    log?.replay((fact) => reduce(own, fact));
  };
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    if (!disk) return;
    const hasNews = await disk.look();
    const isOther = disk.ledger !== undefined && disk.ledger !== own;
    adopt();
    if (hasNews || isOther || (stream.resultsAreUnsure && isOpen)) tell();
  };
  let timer: NodeJS.Timeout | undefined;
  const lookLater = (ms: number): void => {
    timer = setTimeout(() => {
      const begin = performance.now();
      looking = look()
        .catch(options.onError)
        .then(() => {
          if (isOpen) lookLater(Math.max(LOOK_EVERY_MS, (performance.now() - begin) / SHARE_OF_TIME));
        });
    }, ms);
  };
  if (disk) lookLater(0);

  return {
    host,
    take(line) {
      since = Math.min(since, (firstTimeIn(line) ?? since + SLACK_MS) - SLACK_MS);
      note(reader.read(line));
    },
    async end({ lines, malformed: before }) {
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
      if (disk) {
        await look().catch(options.onError);
        if (hasOpenAgents(tell())) {
          await new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS));
          await look().catch(options.onError);
        }
      }
      isOpen = false;
      const tree = tell(true);
      log?.close();
      const malformedLines = malformed + before;
      options.onEvents([
        {
          type: 'stream_ended',
          at: at(),
          session_id: sessionId(),
          lines,
          malformed_lines: malformedLines,
          subagents: teller.count,
        },
      ]);
      return { session: told ?? native, malformedLines, subagents: teller.count, tree };
    },
  };
}

const NOWHERE: EventOrigin = { source: STREAM, offset: 0, length: 0 };

function isMalformed(fact: AgentEvent): boolean {
  return fact.kind === 'problem-found' && MALFORMED.has(fact.diagnostic.code);
}

function isNews({ kind }: AgentEvent): boolean {
  return kind !== 'problem-found';
}

function hasOpenAgents({ agents }: SessionTree): boolean {
  return agents.some(({ kind, completedAt }) => kind !== 'main' && kind !== 'internal' && completedAt === undefined);
}

/** Facts that are said of a moment. Those of streams are of the moment in which they came: many lines have no time. */
const TIMED: ReadonlySet<AgentEvent['kind']> = new Set([
  'session-seen',
  'session-titled',
  'agent-seen',
  'agent-prompted',
  'run-resumed',
  'run-ended',
  'entry-added',
  'usage-counted',
  'tool-started',
  'tool-ended',
  'agent-compacted',
  'agent-asked',
]);

export function stamp(fact: AgentEvent, at: number): AgentEvent {
  return TIMED.has(fact.kind) ? ({ ...fact, at } as AgentEvent) : fact;
}

/** Whether anything was said that may change what is told: not by the main agent's own work, which is most of a stream. */
export function concernsTree(facts: readonly AgentEvent[], main: AgentId, { calls }: SessionLedger): boolean {
  return facts.some((fact) => {
    if (fact.kind === 'agent-linked' || fact.kind === 'run-ended' || fact.kind === 'run-resumed') return true;
    if (fact.kind === 'tool-ended' && calls.get(fact.call)?.spawn) return true;
    return 'agent' in fact && fact.agent !== main && fact.kind !== 'usage-counted';
  });
}

const HEAD_BYTES = 4_096;
const TIME = /"timestamp":(?:"(\d{4}-\d\d-\d\dT[^"]+)"|(\d{13}))/;

/** When the host says that a line was written; a stream may have been kept for a year. */
export function firstTimeIn({ bytes, offset }: Line): number | undefined {
  if (offset > HEAD_BYTES * 64) return undefined;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = all.lastIndexOf('"timestamp":');
  const [, iso, epoch] = at === -1 ? [] : (TIME.exec(all.subarray(at, at + 64).toString('latin1')) ?? []);
  if (epoch !== undefined) return Number(epoch);
  return iso === undefined ? undefined : Date.parse(iso) || undefined;
}

/**
 * Every fact of a stream, on the disk: where the session's files have to be read from the beginning, the stream cannot be,
 * and a gigabyte of it must not be kept in memory.
 */
export interface FactLog {
  add(facts: readonly AgentEvent[]): void;
  /** All so far, in order. */
  replay(onFact: (fact: AgentEvent) => void): void;
  close(): void;
}

const BUFFER_CHARS = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

export function createFactLog(): FactLog {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-stream-'));
  const file = openNewSync(path.join(folder, 'facts.jsonl'));
  let waiting = '';
  let length = 0;
  const flush = (): void => {
    const bytes = Buffer.from(waiting);
    waiting = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, length + at);
    length += bytes.length;
  };
  return {
    add(facts) {
      for (const fact of facts) waiting += `${JSON.stringify(fact)}\n`;
      if (waiting.length > BUFFER_CHARS) flush();
    },
    replay(onFact) {
      flush();
      const splitter = createLineSplitter();
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let at = 0; at < length; ) {
        const read = readSync(file, chunk, 0, chunk.length, at);
        if (read === 0) break;
        at += read;
        for (const { bytes } of splitter.push(chunk.subarray(0, read)))
          onFact(JSON.parse(Buffer.from(bytes).toString('utf8')) as AgentEvent);
      }
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The files of one session while its program prints: what they tell, and the print does not. */
export interface DiskJoin {
  /** Undefined as long as the session has left nothing on the disk. Another one where all had to be read anew. */
  readonly ledger: SessionLedger | undefined;
  /** Reads what came since the last look. Whether there was anything. Never throws. */
  look(): Promise<boolean>;
}

interface Found {
  readonly adapter: SourceAdapter;
  readonly followed: FollowedSession;
  /** Looks only where the session is known to lie. */
  locate(): Promise<LocatedSession | undefined>;
}

export function joinDisk(places: readonly Place[], id: SessionId, onError: (error: unknown) => void): DiskJoin {
  let found: Found | undefined;
  return {
    get ledger() {
      return found?.followed.ledger;
    },
    async look() {
      try {
        found ??= await find(places, id);
        const located = await found?.locate();
        if (!found || !located || located.sources.length === 0) return false;
        const before = found.followed.generation;
        const { progress } = await found.followed.refresh(located);
        return progress.length > 0 || found.followed.generation !== before;
      } catch (error) {
        onError(error);
        return false;
      }
    },
  };
}

async function find(places: readonly Place[], id: SessionId): Promise<Found | undefined> {
  for (const { adapter, root } of places) {
    const { sessions } = await adapter.locate(root);
    const located = sessions.find((session) => session.id === id);
    if (!located || withoutCopies(located).sources.length === 0) continue;
    const { folder = root } = located;
    return {
      adapter,
      followed: followSession(adapter, withoutCopies(located)),
      async locate() {
        const [part] = adapter.follow
          ? await adapter.follow.locateParts(root, folder, [id])
          : (await adapter.locate(root)).sessions.filter((session) => session.id === id);
        return part && withoutCopies(part);
      },
    };
  }
  return undefined;
}

/** Kept prints are what comes through the pipe already; what is said of processes, the pipe itself knows better. */
function withoutCopies(session: LocatedSession): LocatedSession {
  const facts = session.facts.filter(({ kind }) => kind !== 'process-seen');
  const sources = session.sources.filter(({ standIn, role }) => !standIn && role !== TOLD_ROLE);
  return { ...session, facts, sources };
}

export interface ShadowOptions {
  /** Hosts whose streams may come; one where the person named it. */
  readonly adapters: readonly StreamAdapter[];
  readonly clock: Clock;
  /** Where the sessions of a host lie; none where nobody is to look at the disk. */
  readonly placesOf: (host: string) => readonly Place[];
  onEvents(events: readonly StreamEvent[]): void;
  /** The tree as it is now, whenever something of it was told. */
  readonly onTree?: (tree: SessionTree) => void;
  /** What the stream itself told, where it can be put beside what files tell. */
  readonly onFacts?: (session: SessionId, facts: readonly AgentEvent[]) => void;
  /** What must not stop the stream. */
  onError(error: unknown): void;
}

/** An adapter that reads streams. */
export type StreamAdapter = SourceAdapter & { readonly stream: StreamCapability };

export function readsStreams(adapter: SourceAdapter): adapter is StreamAdapter {
  return adapter.stream !== undefined;
}

export interface RecognisedStream {
  readonly adapter: StreamAdapter;
  /** The host's own id of it, or `NO_SESSION_YET`. */
  readonly session: string;
  /** Epoch milliseconds: when its program began, where that is known. Agents that began earlier are of an earlier run. */
  readonly since?: number;
}
