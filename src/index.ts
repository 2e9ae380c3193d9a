/**
 * troupe as a library: the sub-agents of your coding agents as data. Reads, changes nothing, sends nothing anywhere; only
 * `runSession` runs a program.
 * Everything here is stable: names are added, never changed. See docs/LIBRARY.md.
 */

import path from 'node:path';
import {
  createAttach,
  createChunkQueue,
  type RunningSession,
  type SessionConfig,
  startSession,
} from './control/index.ts';
import {
  type AttachReport,
  computeIdentity,
  computeSessions,
  computeTree,
  type IdentityReport,
  readDocument,
  type SessionsReport,
  type SessionTree,
  type Transcript,
  type TranscriptDocument,
  type TreeReport,
  toToolCallId,
} from './core/index.ts';
import { parseDocument } from './export/index.ts';
import { loadHosts } from './hosts/registry.ts';
import { systemClock } from './lib/clock.ts';
import { known } from './lib/json.ts';
import { stateFolder } from './lib/state-folder.ts';
import { UserError } from './lib/user-error.ts';
import { createRedactor } from './redact/index.ts';
import {
  adaptersFor,
  createIdentifier,
  createSessions,
  createSessionTranscripts,
  createShadow,
  createTranscripts,
  listDataFolders,
  readsStreams,
  type StreamEvent,
  thisMachine,
  watchSession,
} from './sessions/index.ts';

// Programs that use the library call synchronous functions right away.
const ADAPTERS = await loadHosts();

export type * from './control/session-chunk.ts';
export type { TranscriptDocument } from './core/reports/export.ts';
export type * from './core/reports/shapes.ts';
export type { AttachCommand, AttachReport } from './core/resume.ts';
export type * from './core/transcript.ts';
export type * from './sessions/stream/stream-event.ts';
/** Thrown where you can do something about it: `code` is stable, `remedy` says what. */
export { UserError as TroupeError };

/** Where to look. By default: the data folders of every host on this machine. */
export interface Where {
  /** In place of the hosts' own data folders. */
  readonly roots?: readonly string[];
  /** Only this host, by its short name. */
  readonly host?: string;
}

/** The newest sessions, last active first. Only as many as `limit` (20) are read. */
export async function listSessions(options: Where & { readonly limit?: number } = {}): Promise<SessionsReport> {
  return computeSessions(await sessionsOf(options).list({ limit: options.limit ?? 20 }));
}

export interface Session extends TreeReport {
  /** The conversation of one of its agents, by id. */
  transcript(agentId: string): Promise<Transcript>;
}

/** One session by its id or the beginning of it; the newest where none is given. */
export async function openSession(
  id?: string,
  options: Where & { readonly internal?: boolean } = {},
): Promise<Session> {
  const opened = await sessionsOf(options).open(id);
  const transcripts = createTranscripts(placesOf(options), systemClock);
  const tree = computeTree(opened, { internal: options.internal ?? false });
  return {
    ...tree,
    transcript: async (agentId) => (await transcripts.read(agentId, tree.session.id)).transcript,
  };
}

/**
 * A session with the conversations of all its agents, as the tree is. Nothing is masked: credentials that stand in a
 * transcript stand in what you get.
 */
export async function readSessionTranscript(id?: string, options: Where = {}): Promise<TranscriptDocument> {
  return readDocument(await createSessionTranscripts(placesOf(options), sessionsOf(options)).open(id));
}

/** The same, one agent's conversation at a time: for sessions that are too large to be held at once. */
export async function* readTranscripts(id?: string, options: Where = {}): AsyncGenerator<Transcript> {
  const opened = await createSessionTranscripts(placesOf(options), sessionsOf(options)).open(id);
  for await (const { transcript } of opened.read()) yield transcript;
}

/** An exported session (`--format json`), read back; what is in it is checked, and still untrusted. */
export function readTranscriptDocument(json: string): TranscriptDocument {
  return parseDocument(json);
}

export interface WatchOptions {
  /** How often to look without being told of a change, in milliseconds (250). */
  readonly every?: number;
  readonly internal?: boolean;
}

/**
 * Follows the session of a transcript while it is written, new sub-agents included. Calls `onChange` with the whole tree,
 * first as it stands and then after each change. Stop it with `close()`.
 */
export function watchFile(
  transcript: string,
  onChange: (tree: TreeReport) => void,
  { every = 250, internal = false }: WatchOptions = {},
): { close(): void } {
  const onTree = (tree: SessionTree): void => onChange(computeTree({ tree, ignoredFiles: 0 }, { internal }));
  return watchSession(ADAPTERS, path.resolve(transcript), onTree, { clock: systemClock, every });
}

/** Which agent is behind a tool call, from the transcript that a hook names. Exact with the id of the call. */
export async function identify(request: {
  readonly transcript?: string;
  readonly toolUseId?: string;
  readonly host?: string;
}): Promise<IdentityReport> {
  const { transcript, toolUseId, host } = request;
  const toolCall = toolUseId === undefined ? undefined : toToolCallId(toolUseId);
  return computeIdentity(await createIdentifier(ADAPTERS, systemClock).identify(known({ transcript, toolCall, host })));
}

export interface StreamOptions extends Where {
  /** Also look at the files of the session, for what the stream does not carry (true). */
  readonly disk?: boolean;
}

/**
 * What a coding agent prints as it works, as events about its sub-agents, as they happen. `input`: its stdout, in any cut of
 * the bytes, or a stream that was kept. Throws what `input` throws.
 */
export async function* streamEvents(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { disk = true, ...where }: StreamOptions = {},
): AsyncGenerator<StreamEvent> {
  const queue = createChunkQueue<StreamEvent>(() => {});
  const shadow = shadowOf(where, disk, (events) => queue.add(...events));
  const read = async (): Promise<void> => {
    let failure: unknown;
    try {
      for await (const chunk of input) shadow.push(chunk);
    } catch (error) {
      failure = error;
    }
    await shadow.end();
    queue.end(failure);
  };
  void read();
  yield* queue;
}

export interface AttachOptions {
  /** In place of the hosts' own data folders. */
  readonly roots?: readonly string[];
  /** What to say to it; left out: its program is opened for a person in the terminal. */
  readonly message?: string;
  /** The host that is to go on, by its short name; the agent's own by default. */
  readonly to?: string;
  /** Leave the conversation as it is, and go on in a copy. */
  readonly fork?: boolean;
  /** Tokens that a new session is told of the agent, about (8000). */
  readonly budget?: number;
}

export interface AttachPlan extends AttachReport {
  /**
   * Starts the program, hands what it says for people to `write` where it prints records, and gives its exit code. Its errors, and
   * anything else that it prints, go to the terminal of this process. Nothing happens where `way` is `follow`.
   */
  run(write?: (text: string) => void): Promise<number>;
}

/** How to go on from an agent, by the beginning of its id or by its name: the best way its host has. Starts nothing before `run`. */
export async function planAttach(agent: string, options: AttachOptions = {}): Promise<AttachPlan> {
  const { roots, message, to, fork = false, budget = 8_000 } = options;
  const machine = thisMachine();
  const attach = createAttach({
    adapters: ADAPTERS,
    machine,
    transcripts: createTranscripts(placesOf(known({ roots })), systemClock),
    folder: stateFolder(machine),
    createRedactor: async () => createRedactor({ home: machine.home }),
  });
  const { report, run } = await attach.plan(agent, { fork, budget, ...known({ message, host: to }) }, { mayAsk: true });
  return { ...report, run: (write = (text) => void process.stdout.write(text)) => run(write) };
}

/** With what hooks and streams told, and which sessions go on from which agent. */
/**
 * Starts a coding agent (Claude Code), yields what its agents do as it happens, and lets you steer it: send messages, answer
 * calls before they run, give results in their place, interrupt. See docs/INTERCEPT.md.
 */
export function runSession(config: SessionConfig): RunningSession {
  const { command = ['claude'], roots, disk = true } = config;
  const adapter = ADAPTERS.find(({ control }) => control);
  if (!adapter?.control || !adapter.hooks)
    throw new UserError('not-steered', 'No program can be steered.', 'Use troupe run.');
  const { host, control, hooks } = adapter;
  return startSession(
    { ...config, command },
    {
      control,
      read: (payload) => hooks.read(payload),
      createShadow: (onEvents) => shadowOf({ host, ...known({ roots }) }, disk, onEvents),
    },
  );
}

function shadowOf(where: Where, disk: boolean, onEvents: (events: readonly StreamEvent[]) => void) {
  return createShadow({
    adapters: adaptersFor(ADAPTERS, where.host).filter(readsStreams),
    clock: systemClock,
    placesOf: (host) => (disk ? placesOf({ ...where, host }) : []),
    onEvents,
    // What cannot be read beside the stream is missing from the events, and nothing else.
    onError: () => {},
  });
}

function placesOf(where: Where) {
  const machine = thisMachine();
  const folder = stateFolder(machine);
  return listDataFolders(ADAPTERS, machine, where, {
    hooks: path.join(folder, 'hooks'),
    streams: path.join(folder, 'streams'),
  });
}

function sessionsOf(where: Where) {
  return createSessions(placesOf(where), { clock: systemClock, named: where.roots !== undefined });
}
