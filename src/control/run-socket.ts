import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentToSteer, Steered, SteeringCapability } from '../core/index.ts';
import { replaceFile } from '../lib/edit-file.ts';
import { asObject, asText, known, parseObject } from '../lib/json.ts';
import { readText } from '../lib/regular-file.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { codeOf, messageOf } from '../lib/user-error.ts';
import { type StreamEvent, thisMachine } from '../sessions/index.ts';
import type { Steering } from './steer.ts';

/** What can be done to the agents of a run from another terminal. `agent` undefined: the main agent. Never throws. */
export interface RunSteering {
  send(agent: string | undefined, message: string): Promise<Steered>;
  stop(agent: string | undefined): Promise<Steered>;
}

/** The address of a socket may have so many bytes, on the systems that allow the fewest. */
const MAX_ADDRESS = 103;

/**
 * Lets other processes of the same person reach the agents of this run. One request a connection: a line of JSON, answered
 * by one. Does not keep the process alive.
 */
export async function openRunSocket(folder: string, run: string, steering: RunSteering) {
  const address = newAddress(run);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.unref());
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const lines = createInterface({ input: socket });
    // A broken socket is an error of its reader as well.
    lines.on('error', () => socket.destroy());
    lines.once('line', (line) => {
      void answer(steering, line).then((said) => socket.end(`${JSON.stringify(said)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address, resolve);
  });
  server.unref();
  const file = addressFile(folder, run);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const at: RunAddress = { address };
  writeAddress(file, at);
  return {
    /** Writes down whose run it is, once that is known. */
    name: (session: string): void => writeAddress(file, { ...at, session }),
    async close(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
      await removeAddress(file, at);
    },
  };
}

function newAddress(run: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\troupe-run-${run}`;
  // Nobody else may look into the folder, so nobody else reaches the socket.
  const inFolder = (folder: string): string => path.join(mkdtempSync(path.join(folder, 'troupe-run-')), 'door');
  const isShort = Buffer.byteLength(path.join(tmpdir(), 'troupe-run-XXXXXX', 'door')) <= MAX_ADDRESS;
  return inFolder(isShort ? tmpdir() : '/tmp');
}

async function answer(steering: RunSteering, line: string): Promise<Steered> {
  try {
    const request = asObject(JSON.parse(line));
    const agent = asText(request?.['agent']);
    const message = asText(request?.['message']);
    if (request?.['act'] === 'stop') return await steering.stop(agent);
    if (request?.['act'] === 'send' && message !== undefined) return await steering.send(agent, message);
    return NOT_UNDERSTOOD;
  } catch (error) {
    return { whyNot: `the run failed: ${messageOf(error)}.` };
  }
}

const NOT_UNDERSTOOD: Steered = {
  whyNot: 'the run did not understand the request: it is of another version of troupe.',
};

interface RunAddress {
  /** Of a socket in a folder that only its owner may read; on Windows of a named pipe. */
  readonly address: string;
  /** The host's own id; undefined until it is known. */
  readonly session?: string;
}

const SUFFIX = '.door';

export function addressFile(folder: string, run: string): string {
  return path.join(folder, 'runs', run + SUFFIX);
}

export function writeAddress(file: string, at: RunAddress): void {
  replaceFile(file, `${JSON.stringify(at)}\n`);
}

/** Every run that has not removed its file, the newest first. Some may have been killed. */
async function listAddresses(folder: string): Promise<readonly { readonly file: string; readonly at: RunAddress }[]> {
  const names = await readdir(path.join(folder, 'runs')).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  // Their names begin with when they began.
  const files = names.filter((name) => name.endsWith(SUFFIX)).toSorted();
  const found = await Promise.all(
    files.reverse().map(async (name) => {
      const file = path.join(folder, 'runs', name);
      const at = await readAddress(file);
      return at ? [{ file, at }] : [];
    }),
  );
  return found.flat();
}

async function readAddress(file: string): Promise<RunAddress | undefined> {
  try {
    const value = parseObject(await readText(file));
    const address = asText(value?.['address']);
    return address === undefined ? undefined : { address, ...known({ session: asText(value?.['session']) }) };
  } catch {
    // It was closed meanwhile.
    return undefined;
  }
}

/** Of a run that has ended, or was killed. */
async function removeAddress(file: string, { address }: RunAddress): Promise<void> {
  await rm(file, { force: true });
  if (process.platform === 'win32') return;
  await rm(address, { force: true });
  // Only a folder that is empty goes: what the file says is not taken for more than it is.
  await rmdir(path.dirname(address)).catch(() => undefined);
}

/** The run of a session that `troupe run` has started and that still goes on; by the host's own id. */
export async function findRun(folder: string, session: string): Promise<SteeringCapability | undefined> {
  for (const { file, at } of await listAddresses(folder)) {
    if (at.session !== session) continue;
    if (await isThere(at)) return steeringAt(at);
    await removeAddress(file, at);
  }
  return undefined;
}

function steeringAt(at: RunAddress): SteeringCapability {
  const agentIn = ({ agent, session }: AgentToSteer) => (agent === session ? {} : { agent });
  const ended = ({ agent, session, isAtWork }: AgentToSteer): boolean => agent !== session && !isAtWork;
  return {
    send: async (agent, message) =>
      ended(agent)
        ? { whyNot: 'it has ended; troupe attach goes on from it.' }
        : request(at, { act: 'send', message, ...agentIn(agent) }),
    stop: async (agent) =>
      ended(agent) ? { whyNot: 'it is not at work.' } : request(at, { act: 'stop', ...agentIn(agent) }),
  };
}

/** Nobody listens at the socket of a run that was killed. */
function isThere({ address }: RunAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!GONE.has(codeOf(error))));
  });
}

const GONE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

function request({ address }: RunAddress, said: object): Promise<Steered> {
  return new Promise((resolve) => {
    const over = (): void => resolve({ whyNot: 'its run has ended.' });
    const socket = connect(address, () => socket.write(`${JSON.stringify(said)}\n`));
    const lines = createInterface({ input: socket });
    lines.on('error', over).once('line', (line) => resolve(steeredIn(line)));
    socket.once('error', over).once('close', over);
  });
}

function steeredIn(line: string): Steered {
  const said = parseObject(line);
  const [words, whyNot] = [asText(said?.['words']), asText(said?.['whyNot'])];
  return words === undefined ? { whyNot: whyNot ?? 'its run gave no answer.' } : { words };
}

/**
 * A run whose agents can be told something, or stopped, from another terminal. If the socket cannot be opened, reports it; the
 * program runs all the same.
 */
export function openSteering(run: string, child: ChildProcess, steering: Steering | undefined) {
  const folder = stateFolder(thisMachine());
  const open = ensureStateFolder(folder)
    .then(() => openRunSocket(folder, run, steering ? steered(steering) : bySignal(child)))
    .catch(reportTrouble);
  return {
    /** Events of the run: they say whose session it is. */
    take(events: readonly StreamEvent[]): void {
      for (const event of events)
        if (event.type === 'session_started' && event.session_id !== null) {
          const { session_id: session } = event;
          void open.then((socket) => socket?.name(session)).catch(reportTrouble);
        }
    },
    close: async (): Promise<void> => void (await (await open)?.close().catch(reportTrouble)),
  };
}

/** Timeout of `send`. */
const READ_WITHIN_MS = 20_000;

function steered(steering: Steering): RunSteering {
  return {
    async send(agent, message) {
      if (!steering.isOpen) return OVER;
      if (agent === undefined) {
        steering.say(message);
        return { words: 'The program has the message: the main agent reads it when its call, or its turn, is over.' };
      }
      const isRead = await Promise.race([steering.tellAgent(agent, message), sleep(READ_WITHIN_MS, undefined, QUIET)]);
      if (isRead === false) return { whyNot: 'it ended before it could read the message.' };
      return {
        words: isRead
          ? 'The agent has the message.'
          : 'It reads the message with its next call, or when it is about to end.',
      };
    },
    async stop(agent) {
      if (!steering.isOpen) return OVER;
      try {
        if (agent === undefined) {
          await steering.interrupt();
          return { words: 'Its turn was interrupted.' };
        }
        const isEnded = await steering.stopAgent(agent);
        return isEnded ? { words: 'The program has stopped it.' } : GOES_ON;
      } catch (error) {
        return { whyNot: `the program refused: ${messageOf(error)}.` };
      }
    },
  };
}

const QUIET = { ref: false };
const GOES_ON: Steered = { whyNot: 'the program said yes, but the agent goes on: this version cannot stop it.' };
const OVER: Steered = { whyNot: 'its run is over.' };

/** Without an interception only the whole program can be reached. */
function bySignal(child: ChildProcess): RunSteering {
  return {
    send: async () => WITHOUT_INTERCEPT,
    async stop(agent) {
      if (agent !== undefined) return WITHOUT_INTERCEPT;
      return child.kill('SIGINT') ? { words: 'The program was interrupted, as by Ctrl-C.' } : OVER;
    },
  };
}

const WITHOUT_INTERCEPT: Steered = {
  whyNot: 'its run was started without --intercept, and only with it troupe can speak to its agents.',
};
