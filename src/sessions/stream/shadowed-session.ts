import { closeSync, mkdtempSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
  type StreamReader,
  type StreamUpdate,
} from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import { openNewSync } from '../../lib/regular-file.ts';
import { FollowedSession } from '../follow-session.ts';
import type { DataFolder } from '../places.ts';
import { STREAM_ROLE } from '../session-records.ts';
import type { StreamEvent } from './stream-event.ts';
import { TreeEvents } from './tree-events.ts';

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

/** One session as its stream reports it, with its files beside it: facts in one ledger, one tree, its differences as events. */
export class ShadowedSession {
  readonly host: string;
  readonly #native: string;
  readonly #id: SessionId;
  readonly #stream: StreamCapability;
  readonly #options: ShadowOptions;
  readonly #reader: StreamReader;
  readonly #files: SessionFiles | undefined;
  readonly #log: FactLog | undefined;
  readonly #events: TreeEvents;
  readonly #prompts = new Map<ToolCallId, string>();
  readonly #ofStream = new Set<AgentId>();
  #ledger: SessionLedger;
  /** Agents that began earlier are of an earlier stream of the same session. */
  #since: number;
  /** The session's id as the stream says it, if it says it late. */
  #named: string | undefined;
  #malformed = 0;
  #lastAt = 0;
  #readings = 0;
  #isOpen = true;
  #hasStarted = false;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor({ adapter, session: native, since }: RecognisedStream, options: ShadowOptions) {
    const { stream, host } = adapter;
    this.host = host;
    this.#native = native;
    this.#id = toSessionId(host, native);
    this.#stream = stream;
    this.#options = options;
    this.#reader = stream.createReader(this.#id, STREAM);
    const places = stream.leavesToDisk && native !== NO_SESSION_YET ? options.placesOf(host) : [];
    if (places.length > 0) {
      this.#files = new SessionFiles(places, this.#id);
      this.#log = new FactLog();
    }
    this.#ledger = createLedger(this.#id);
    this.#since = (since ?? options.clock()) - SLACK_MS;
    const hasFiles = this.#files !== undefined;
    this.#events = new TreeEvents({
      about: () => this.#about(),
      promptOf: (call) => this.#prompts.get(call),
      isOfStream: (agent) => this.#isOfStream(agent),
      mayLearnParents: hasFiles,
      // Files report such an agent before the stream does, without saying which call made it.
      mayLearnNames: hasFiles && stream.resultsAreUnsure === true,
      isSettled: (run) => this.#isSettled(run),
    });
    if (hasFiles) this.#lookLater(0);
  }

  take(line: Line): void {
    this.#since = Math.min(this.#since, (firstTimeIn(line) ?? this.#since + SLACK_MS) - SLACK_MS);
    this.#note(this.#reader.read(line));
  }

  /** Looks at the files for the last time, and reports how everything ended. */
  async end({ lines, malformed }: { readonly lines: number; readonly malformed: number }) {
    const { onError, onEvents } = this.#options;
    clearTimeout(this.#timer);
    await this.#looking;
    clearTimeout(this.#timer);
    if (this.#files) {
      await this.#look().catch(onError);
      if (hasOpenAgents(this.#report())) {
        await sleep(LAST_LINES_MS);
        await this.#look().catch(onError);
      }
    }
    this.#isOpen = false;
    const tree = this.#report(true);
    this.#log?.close();
    const malformedLines = this.#malformed + malformed;
    const subagents = this.#events.count;
    onEvents([{ type: 'stream_ended', ...this.#about(), lines, malformed_lines: malformedLines, subagents }]);
    return { session: this.#named ?? this.#native, malformedLines, subagents, tree };
  }

  #note({ facts, prompts = [], result, session }: StreamUpdate): void {
    for (const { call, prompt } of prompts) this.#prompts.set(call, prompt);
    if (session !== undefined) this.#named = session;
    const stamped = facts.map((fact) => stamp(fact, this.#nextInstant()));
    for (const fact of stamped) reduce(this.#ledger, fact);
    this.#log?.add(stamped);
    if (this.#stream.hasIdsOfFiles) this.#options.onFacts?.(this.#id, stamped);
    this.#malformed += facts.filter(isMalformed).length;
    if (++this.#readings % FORGET_EVERY === 0 && this.#files?.ledger !== this.#ledger) forgetSettled(this.#ledger);
    const isStart = !this.#hasStarted && facts.some(({ kind }) => kind !== 'problem-found');
    if (isStart || concernsTree(facts, mainAgentOf(this.#id), this.#ledger)) this.#report();
    if (!result) return;
    this.#report();
    this.#options.onEvents([
      {
        type: 'result',
        ...this.#about(),
        is_error: result.isError,
        result: result.text ?? null,
        cost_usd: result.costUsd ?? null,
        duration_ms: result.durationMs ?? null,
      },
    ]);
  }

  #report(isLast = false): SessionTree {
    const { clock, onEvents, onTree } = this.#options;
    reduce(this.#ledger, { ...PROCESS, alive: this.#isOpen, session: this.#id, origin: NOWHERE });
    const tree = buildTree(this.#ledger, { now: clock() });
    const events = [...(this.#hasStarted ? [] : [this.#startOf(tree)]), ...this.#events.takeNew(tree, isLast)];
    this.#hasStarted = true;
    if (events.length > 0) {
      onEvents(events);
      onTree?.(tree);
    }
    return tree;
  }

  #startOf({ hostVersion, cwd }: SessionTree): StreamEvent {
    const { host } = this;
    return { type: 'session_started', ...this.#about(), host, host_version: hostVersion ?? null, cwd: cwd ?? null };
  }

  #about() {
    const session = this.#named ?? (this.#native === NO_SESSION_YET ? null : this.#native);
    return { at: new Date(this.#options.clock()).toISOString(), session_id: session };
  }

  /** Never twice the same: what came later is later. */
  #nextInstant(): number {
    this.#lastAt = Math.max(this.#options.clock(), this.#lastAt + 0.001);
    return this.#lastAt;
  }

  #isOfStream({ id, startedAt, link: { parent } }: AgentNode): boolean {
    const claims = this.#ledger.agents.get(id)?.links.values() ?? [];
    const isNamedHere = [...claims].some(({ origin }) => origin?.source === STREAM);
    const isYoung = (startedAt ?? this.#since) >= this.#since;
    const is = isNamedHere || isYoung || (parent !== undefined && this.#ofStream.has(parent));
    if (is) this.#ofStream.add(id);
    return is;
  }

  #isSettled({ signal, endedAt = 0 }: Run): boolean {
    if (!this.#isOpen || !this.#files || !this.#stream.resultsAreUnsure || signal !== 'result') return true;
    return this.#options.clock() - endedAt > UNSURE_MS;
  }

  async #look(): Promise<void> {
    if (!this.#files) return;
    const hasNews = await this.#files.look().catch(this.#options.onError);
    const { ledger } = this.#files;
    const isOther = ledger !== undefined && ledger !== this.#ledger;
    if (isOther) {
      // Files were read from the beginning: what the stream reported is added again.
      this.#ledger = ledger;
      this.#log?.replay((fact) => reduce(ledger, fact));
    }
    if (hasNews || isOther || (this.#stream.resultsAreUnsure && this.#isOpen)) this.#report();
  }

  #lookLater(ms: number): void {
    this.#timer = setTimeout(() => {
      const begin = performance.now();
      this.#looking = this.#look()
        .catch(this.#options.onError)
        .then(() => {
          if (!this.#isOpen) return;
          this.#lookLater(Math.max(LOOK_EVERY_MS, (performance.now() - begin) / SHARE_OF_TIME));
        });
    }, ms);
  }
}

const NOWHERE: EventOrigin = { source: STREAM, offset: 0, length: 0 };

function isMalformed(fact: AgentEvent): boolean {
  return fact.kind === 'problem-found' && MALFORMED.has(fact.diagnostic.code);
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

function stamp(fact: AgentEvent, at: number): AgentEvent {
  return TIMED.has(fact.kind) ? ({ ...fact, at } as AgentEvent) : fact;
}

/** Whether anything was said that may change what is told: not by the main agent's own work, which is most of a stream. */
function concernsTree(facts: readonly AgentEvent[], main: AgentId, { calls }: SessionLedger): boolean {
  return facts.some((fact) => {
    if (fact.kind === 'agent-linked' || fact.kind === 'run-ended' || fact.kind === 'run-resumed') return true;
    if (fact.kind === 'tool-ended' && calls.get(fact.call)?.spawn) return true;
    return 'agent' in fact && fact.agent !== main && fact.kind !== 'usage-counted';
  });
}

const HEAD_BYTES = 4_096;
const TIME = /"timestamp":(?:"(\d{4}-\d\d-\d\dT[^"]+)"|(\d{13}))/;

/** When the host says that a line was written; a stream may have been kept for a year. */
function firstTimeIn({ bytes, offset }: Line): number | undefined {
  if (offset > HEAD_BYTES * 64) return undefined;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = all.lastIndexOf('"timestamp":');
  const [, iso, epoch] = at === -1 ? [] : (TIME.exec(all.subarray(at, at + 64).toString('latin1')) ?? []);
  if (epoch !== undefined) return Number(epoch);
  return iso === undefined ? undefined : Date.parse(iso) || undefined;
}

const BUFFER_CHARS = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * Every fact of a stream, on disk: if the session's files have to be read from the beginning, the stream cannot be, and a
 * gigabyte of it must not be kept in memory.
 */
class FactLog {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'troupe-stream-'));
  readonly #file = openNewSync(path.join(this.#folder, 'facts.jsonl'));
  #waiting = '';
  #length = 0;

  add(facts: readonly AgentEvent[]): void {
    for (const fact of facts) this.#waiting += `${JSON.stringify(fact)}\n`;
    if (this.#waiting.length > BUFFER_CHARS) this.#flush();
  }

  /** All so far, in order. */
  replay(onFact: (fact: AgentEvent) => void): void {
    this.#flush();
    const splitter = createLineSplitter();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < this.#length; ) {
      const read = readSync(this.#file, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      for (const { bytes } of splitter.push(chunk.subarray(0, read)))
        onFact(JSON.parse(Buffer.from(bytes).toString('utf8')) as AgentEvent);
    }
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    const begin = this.#length;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, begin + at);
    this.#length += bytes.length;
  }
}

type FilesFound = DataFolder & { readonly folder: string; readonly followed: FollowedSession };

/** The files of one session while its program prints: what they say and the stream does not. */
class SessionFiles {
  readonly #places: readonly DataFolder[];
  readonly #id: SessionId;
  #found: FilesFound | undefined;

  constructor(places: readonly DataFolder[], id: SessionId) {
    this.#places = places;
    this.#id = id;
  }

  /** Undefined while the session has no files. Another object after everything was read from the beginning. */
  get ledger(): SessionLedger | undefined {
    return this.#found?.followed.ledger;
  }

  /** Reads what came since the last look. Returns whether there was anything. */
  async look(): Promise<boolean> {
    this.#found ??= await this.#find();
    if (!this.#found) return false;
    const { adapter, root, folder, followed } = this.#found;
    // A look at its own folder is cheaper than a look at all of them.
    const sessions = adapter.follow
      ? await adapter.follow.locateParts(root, folder, [this.#id])
      : (await adapter.locate(root)).sessions;
    const located = sessions.filter(({ id }) => id === this.#id).map(withoutCopies)[0];
    if (!located || located.sources.length === 0) return false;
    const before = followed.generation;
    const { progress } = await followed.refresh(located);
    return progress.length > 0 || followed.generation !== before;
  }

  async #find(): Promise<FilesFound | undefined> {
    for (const place of this.#places) {
      const { adapter, root } = place;
      const located = (await adapter.locate(root)).sessions.find(({ id }) => id === this.#id);
      if (located && withoutCopies(located).sources.length > 0)
        return { ...place, folder: located.folder ?? root, followed: new FollowedSession(adapter, located) };
    }
    return undefined;
  }
}

/** Kept prints are what comes through the pipe already; what is said of processes, the pipe itself knows better. */
function withoutCopies(session: LocatedSession): LocatedSession {
  const facts = session.facts.filter(({ kind }) => kind !== 'process-seen');
  const sources = session.sources.filter(({ standIn, role }) => !standIn && role !== STREAM_ROLE);
  return { ...session, facts, sources };
}

export interface ShadowOptions {
  /** Hosts whose streams may come; one where the person named it. */
  readonly adapters: readonly StreamAdapter[];
  readonly clock: Clock;
  /** Where the sessions of a host lie; none where nobody is to look at the disk. */
  readonly placesOf: (host: string) => readonly DataFolder[];
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
