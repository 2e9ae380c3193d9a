import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Steered } from '../core/index.ts';
import { asText, isObject } from '../lib/json.ts';
import { doorFile, type RunDoor, removeDoor, writeDoor } from './door-file.ts';

/** What can be done to the agents of a run from another terminal. `agent` undefined: the main agent. Never throws. */
export interface RunSteering {
  send(agent: string | undefined, message: string): Promise<Steered>;
  stop(agent: string | undefined): Promise<Steered>;
}

export interface OpenDoor {
  /** Whose run it is turned out. */
  name(session: string): void;
  close(): Promise<void>;
}

/** The address of a socket may have so many bytes, on the systems that allow the fewest. */
const MAX_ADDRESS = 103;

/**
 * Lets other processes of the same person reach the agents of this run. One request a connection: a line of JSON, answered
 * by one. Does not keep the process alive.
 */
export async function openDoor(folder: string, run: string, steering: RunSteering): Promise<OpenDoor> {
  const address = newAddress(run);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.unref());
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const lines = createInterface({ input: socket });
    // Of a socket that breaks, its reader is told as well.
    lines.on('error', () => socket.destroy());
    lines.once('line', (line) => {
      void answer(steering, line).then((said) => socket.end(`${JSON.stringify(said)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address, resolve);
  });
  server.unref();
  const file = doorFile(folder, run);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const door: RunDoor = { address };
  writeDoor(file, door);
  return {
    name: (session) => writeDoor(file, { ...door, session }),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await removeDoor(file, door);
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
    const request: unknown = JSON.parse(line);
    if (!isObject(request)) return NOT_UNDERSTOOD;
    const agent = asText(request['agent']);
    const message = asText(request['message']);
    if (request['act'] === 'stop') return await steering.stop(agent);
    if (request['act'] === 'send' && message !== undefined) return await steering.send(agent, message);
    return NOT_UNDERSTOOD;
  } catch (error) {
    return { whyNot: `the run failed: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

const NOT_UNDERSTOOD: Steered = {
  whyNot: 'the run did not understand the request: it is of another version of troupe.',
};
