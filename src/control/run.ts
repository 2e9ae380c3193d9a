import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { createSharedScreen, type SharedScreen } from '../lib/screen.ts';
import { createSpillingWriter } from '../lib/spilling-writer.ts';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { StreamEvent } from '../sessions/index.ts';
import type { CreateCallBroker } from './call-broker.ts';
import { openEvents, toTarget } from './event-output.ts';
import type { Interception } from './intercept.ts';
import { openRunRecord } from './run-record.ts';
import { type ReachableRun, reachable } from './run-steering.ts';
import { searchSession } from './search-session.ts';
import type { RunOutcome, RunRequest } from './shadow-request.ts';
import { startShadow } from './shadowing.ts';
import type { Steering } from './steer.ts';

const STDOUT = 1;
/** What the program started may hold its output open for ever: so long is waited for more of it. */
const LEFT_OPEN_MS = 2_000;

/**
 * The program as it is, with a shadow: the same input, output, environment (and the id of this run in it), signals and end.
 * Its output goes through a pipe only where it would go into one anyway: a terminal stays a terminal.
 */
export async function runShadowed(request: RunRequest, createCallBroker: CreateCallBroker): Promise<RunOutcome> {
  const screen = createSharedScreen();
  const interception = request.intercept
    ? await (await import('./intercept.ts')).prepareInterception(request, screen, createCallBroker)
    : undefined;
  const id = `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
  const events = request.events === undefined ? undefined : openEvents(toTarget(request.events));
  const record = openRunRecord(id, request);
  const onEvents = (news: readonly StreamEvent[]): void => {
    events?.write(news);
    record.add(news);
    door?.take(news);
  };
  let door: ReachableRun | undefined;
  const shadow = startShadow(request, onEvents, {
    // What a program prints to its terminal, we do not see; what goes through us, we do.
    ...((interception || !isatty(STDOUT)) && { screen }),
    onFacts: record.feed,
  });
  // Before it starts: a signal that comes in that moment must not leave it behind alone.
  const release = passOnSignals(() => child);
  const child = start(request, id, interception);
  // At once: what a program leaves in its pipe is gone when it has ended and nobody listened.
  const output = child.stdout
    ? passOn(child, child.stdout, { look: (chunk) => shadow.push(chunk), interception, screen })
    : undefined;
  door = reachable(id, child, output?.steering);
  const search = searchSession(request, child, shadow);
  const outcome = await ended(child, request);
  release();
  await output?.end();
  await search.end();
  await door.close();
  const report = await shadow.end();
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
    const why = isMissing ? 'there is no such program' : error instanceof Error ? error.message : String(error);
    throw new UserError(
      'not-started',
      `«${program}» did not start: ${why}.`,
      'Give the program behind --, with its path where it is not on the PATH.',
      { cause: error },
    );
  }
}

interface PassedOn {
  readonly steering: Steering | undefined;
  /** When all of it came and went. */
  end(): Promise<void>;
}

function passOn(
  child: ChildProcess,
  output: Readable,
  {
    look,
    interception,
    screen,
  }: {
    look(chunk: Buffer): void;
    readonly interception: Interception | undefined;
    readonly screen: SharedScreen;
  },
): PassedOn {
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
    async end() {
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
  const listeners = (['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const listener = (): void => {
      if (!(isByKey && (signal === 'SIGINT' || signal === 'SIGQUIT'))) childOf().kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Whoever waits for us sees the end that the program had. */
async function dieBy(signal: NodeJS.Signals): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Some signals end nobody who is asked not to be ended by them.
  await new Promise((resolve) => setTimeout(resolve, 500));
}
