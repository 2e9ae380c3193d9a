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
  type SessionLedger,
  type SessionTree,
  type ToolCallId,
  toSessionId,
  toSourceId,
} from '../../core/index.ts';
import { NO_SESSION_YET, type StreamNews } from '../../hosts/index.ts';
import type { Line } from '../../lib/lines.ts';
import { createTeller } from './create-teller.ts';
import { createFactLog, type FactLog } from './fact-log.ts';
import { type DiskJoin, joinDisk } from './follow-disk.ts';
import type { RecognisedStream } from './recognise-stream.ts';
import type { ShadowOptions } from './shadow.ts';
import { concernsTree, firstTimeIn, stamp } from './stream-facts.ts';

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
