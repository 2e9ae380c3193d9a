import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { nativeId, type SessionId, type Sessions, type SessionTree } from '../core/index.ts';
import { measureRun } from '../guard/index.ts';
import { ADAPTERS, loadHosts } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { createSharedScreen, type SharedScreen } from '../lib/screen.ts';
import { createSpillingWriter } from '../lib/spilling-writer.ts';
import { isSystemError, messageOf, UserError } from '../lib/user-error.ts';
import {
  createSessions,
  type DataFolder,
  dataFoldersFor,
  readsStreams,
  type Shadow,
  type StreamEvent,
  withOwnPrices,
} from '../sessions/index.ts';
import { openEvents, toTarget } from './event-output.ts';
import type { Interception } from './intercept.ts';
import { type CreateCallBroker, isMeant, type RunBudget, type RunOutcome, type RunRequest } from './requests.ts';
import { openRunRecord } from './run-record.ts';
import { openSteering } from './run-socket.ts';
import { startShadow } from './shadow.ts';

const STDOUT = 1;
/** What the program started may hold its output open for ever: so long is waited for more of it. */
const LEFT_OPEN_MS = 2_000;

/**
 * The program as it is, with a shadow: the same input, output, environment (and the id of this run in it), signals and end.
 * Its output goes through a pipe only where it would go into one anyway: a terminal stays a terminal.
 */
export async function runShadowed(request: RunRequest, createCallBroker: CreateCallBroker): Promise<RunOutcome> {
  await loadHosts();
  const screen = createSharedScreen();
  const interception = request.intercept
    ? await (await import('./intercept.ts')).prepareInterception(request, screen, createCallBroker)
    : undefined;
  const id = `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
  const events = request.events === undefined ? undefined : openEvents(toTarget(request.events));
  const record = openRunRecord(id, request);
  const limit = request.budget && new RunLimit(request, request.budget, () => child);
  const onEvents = (fresh: readonly StreamEvent[]): void => {
    limit?.hear(fresh);
    events?.write(fresh);
    record.add(fresh);
    socket?.take(fresh);
  };
  let socket: ReturnType<typeof openSteering> | undefined;
  // What a program prints to its terminal, we do not see; what goes through us, we do.
  const shared = interception || !isatty(STDOUT) ? screen : undefined;
  const { shadow, endShadow } = startShadow(request, onEvents, shared, record.feed);
  // Before it starts: a signal that comes in that moment must not leave it behind alone.
  const release = passOnSignals(() => child);
  const child = start(request, id, interception);
  // At once: what a program leaves in its pipe is gone when it has ended and nobody listened.
  const output = child.stdout
    ? passOn(child, child.stdout, { look: (chunk) => shadow.push(chunk), interception, screen })
    : undefined;
  socket = openSteering(id, child, output?.steering);
  const search = searchSession(request, child, shadow);
  const how = await ended(child, request);
  const outcome: RunOutcome = limit?.spent === undefined ? how : { kind: 'over-budget', spent: limit.spent };
  limit?.close();
  release();
  await output?.end();
  await search.end();
  await socket.close();
  const report = await endShadow();
  await events?.end();
  await record.end(outcome, report.session);
  if (outcome.kind === 'killed') await dieBy(outcome.signal as NodeJS.Signals);
  return outcome;
}

function start(request: RunRequest, id: string, interception: Interception | undefined): ChildProcess {
  const [program, ...args] = interception?.command ?? request.command;
  return spawn(program, args, {
    stdio: interception ? ['pipe', 'pipe', 'inherit'] : ['inherit', isatty(STDOUT) ? 'inherit' : 'pipe', 'inherit'],
    env: { ...process.env, TROUPE_RUN: id },
  });
}

async function ended(child: ChildProcess, { command: [program] }: RunRequest): Promise<RunOutcome> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', signal };
  } catch (error) {
    const isMissing = isSystemError(error) && error.code === 'ENOENT';
    const why = isMissing ? 'there is no such program' : messageOf(error);
    throw new UserError(
      'not-started',
      `«${program}» did not start: ${why}.`,
      'Give the program behind --, with its path where it is not on the PATH.',
      { cause: error },
    );
  }
}

/** A program that ignores the signal is killed after this time. */
const KILLED_AFTER_MS = 5_000;

/** Ends the program when its session, with all below it, has used up what it may. */
class RunLimit {
  /** What was used, once it is too much. */
  spent: string | undefined;
  readonly #sessions: Sessions;
  readonly #budget: RunBudget;
  readonly #childOf: () => ChildProcess;
  readonly #startedAt = systemClock();
  #session: string | undefined;
  #timer: NodeJS.Timeout;
  #problem: string | undefined;
  #isClosed = false;

  constructor({ where }: RunRequest, budget: RunBudget, childOf: () => ChildProcess) {
    this.#sessions = withOwnPrices(createSessions(dataFoldersFor(where), { clock: systemClock }));
    this.#budget = budget;
    this.#childOf = childOf;
    this.#timer = setTimeout(this.#look, LOOK_EVERY_MS);
  }

  hear(events: readonly StreamEvent[]): void {
    for (const { type, session_id } of events) if (type === 'session_started') this.#session = session_id ?? undefined;
  }

  readonly #look = async (): Promise<void> => {
    const began = performance.now();
    const { minutes, ...limits } = this.#budget;
    const tree = this.#session === undefined ? undefined : await this.#read(this.#session);
    const now = systemClock();
    const passed = (now - this.#startedAt) / 60_000;
    const uses = tree ? measureRun(tree, limits, now) : [];
    this.#note(uses.find((use) => use.problem !== null)?.problem);
    const isOver = minutes !== undefined && passed >= minutes;
    if (this.#isClosed) return;
    if (isOver || uses.some(({ share }) => share !== null && share >= 1)) {
      const time = minutes === undefined ? [] : [`${passed.toFixed(1)} of ${minutes} minutes`];
      this.spent = [...uses.map(({ text }) => text), ...time].join(', ');
      const child = this.#childOf();
      child.kill('SIGTERM');
      this.#timer = setTimeout(() => child.kill('SIGKILL'), KILLED_AFTER_MS);
    } else this.#timer = setTimeout(this.#look, Math.max(LOOK_EVERY_MS, (performance.now() - began) / SHARE_OF_TIME));
  };

  /** Undefined as long as nothing of it is on the disk. */
  #read(session: string): Promise<SessionTree | undefined> {
    return this.#sessions.openTree(session).then(
      ({ tree }) => tree,
      () => undefined,
    );
  }

  #note(problem: string | null | undefined): void {
    if (problem && problem !== this.#problem)
      process.stderr.write(`troupe: the budget cannot be computed: ${problem}\n`);
    this.#problem = problem ?? undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

interface PassOnOptions {
  look(chunk: Buffer): void;
  readonly interception: Interception | undefined;
  readonly screen: SharedScreen;
}

function passOn(child: ChildProcess, output: Readable, { look, interception, screen }: PassOnOptions) {
  // Whoever reads us has gone: the program hears of it as it would have without us.
  const writer = createSpillingWriter(STDOUT, { onClosed: () => output.destroy() });
  const print = (bytes: Uint8Array): void => {
    const giveBack = isatty(STDOUT) ? screen.take() : undefined;
    writer.write(Buffer.from(bytes));
    giveBack?.();
  };
  const steering = interception?.attach(child, print);
  let lastAt = performance.now();
  output.on('data', (chunk: Buffer) => {
    lastAt = performance.now();
    if (steering) steering.push(chunk);
    else writer.write(chunk);
    look(chunk);
  });
  output.on('error', () => {});
  const closed = new Promise<void>((resolve) => void output.once('close', resolve));
  return {
    steering,
    /** When all of it came and went. */
    async end(): Promise<void> {
      lastAt = performance.now();
      const timer = setInterval(() => {
        if (performance.now() - lastAt > LEFT_OPEN_MS) output.destroy();
      }, 100);
      await closed;
      clearInterval(timer);
      steering?.end();
      await writer.end();
    },
  };
}

/**
 * Signals for us are meant for the program. What the keys of a terminal send reaches it without us: a second time would be
 * another key.
 */
function passOnSignals(childOf: () => ChildProcess): () => void {
  const isByKey = [0, 1, 2].some(isatty);
  const signals = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const;
  const pass = (signal: NodeJS.Signals): void => {
    if (!(isByKey && (signal === 'SIGINT' || signal === 'SIGQUIT'))) childOf().kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return () => {
    for (const signal of signals) process.off(signal, pass);
  };
}

/** Whoever waits for us sees the end that the program had. */
async function dieBy(signal: NodeJS.Signals): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Some signals end nobody who is asked not to be ended by them.
  await new Promise((resolve) => setTimeout(resolve, 500));
}

const LOOK_EVERY_MS = 500;
const SHARE_OF_TIME = 0.1;
/** A program that prints a stream does so soon. */
const STREAM_WITHIN_MS = 3_000;

/**
 * For programs that print no stream, as in a terminal: the session that is theirs, by its files. It is the one whose process
 * the program is; for hosts that keep no record of processes, the only session that has begun since. Where several have, none.
 */
function searchSession(request: RunRequest, child: ChildProcess, shadow: Shadow) {
  const { where, disk } = request;
  const adapter = ADAPTERS.filter(readsStreams).find((one) => isMeant(one, request));
  const places = disk && adapter ? dataFoldersFor({ ...where, host: adapter.host }) : [];
  const since = systemClock();
  const before = idsIn(places);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    if (shadow.isRecognised || !adapter || places.length === 0) return;
    const began = performance.now();
    const id = await ownSession(places, child.pid ?? 0, await before).catch(reportTrouble);
    if (shadow.isRecognised) return;
    if (id) shadow.assume({ adapter, session: nativeId(id), since });
    else if (!isOver) timer = setTimeout(look, Math.max(LOOK_EVERY_MS, (performance.now() - began) / SHARE_OF_TIME));
  };
  timer = setTimeout(look, child.stdout ? STREAM_WITHIN_MS : LOOK_EVERY_MS);
  return {
    /** Looks for the last time. */
    async end(): Promise<void> {
      isOver = true;
      clearTimeout(timer);
      await look();
    },
  };
}

async function idsIn(places: readonly DataFolder[]): Promise<ReadonlySet<SessionId>> {
  const located = await Promise.all(places.map(({ adapter, root }) => adapter.locate(root).catch(() => undefined)));
  return new Set(located.flatMap((found) => found?.sessions.map(({ id }) => id) ?? []));
}

async function ownSession(
  places: readonly DataFolder[],
  pid: number,
  before: ReadonlySet<SessionId>,
): Promise<SessionId | undefined> {
  const fresh: SessionId[] = [];
  for (const { adapter, root } of places)
    for (const { id, facts } of (await adapter.locate(root)).sessions) {
      const isOwn = facts.some(
        (fact) => fact.kind === 'process-seen' && fact.pid === pid && !fact.movedTo && !fact.isShared,
      );
      if (isOwn) return id;
      if (!before.has(id)) fresh.push(id);
    }
  return fresh.length === 1 ? fresh[0] : undefined;
}
