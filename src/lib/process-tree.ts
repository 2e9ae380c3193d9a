// Which process is at the other end of a loopback connection, and which processes started it. Linux reads /proc; macOS asks
// lsof and ps. On other systems nothing can be told, and every function here says so.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

export interface SeenProcess {
  readonly pid: number;
  /** Names of the program: of its file, as it calls itself, and of the script that an interpreter runs. */
  readonly names: ReadonlySet<string>;
  /** Names of the environment variables it was started with; empty if the system does not show them. */
  readonly variables: ReadonlySet<string>;
}

export interface ConnectionPorts {
  /** Ours. */
  readonly localPort?: number | undefined;
  /** The client's. */
  readonly remotePort?: number | undefined;
}

/** A cycle cannot happen, but /proc is read line by line while processes come and go. */
const MAX_ANCESTORS = 100;
const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|sh|bash|dash|zsh|fish|env)$/;

/** Every process that holds the client's end of the connection; empty if that cannot be told. */
export async function findClients({ localPort, remotePort }: ConnectionPorts): Promise<readonly number[]> {
  if (localPort === undefined || remotePort === undefined) return [];
  if (process.platform === 'linux') return findSocketOwners(localPort, remotePort);
  if (process.platform === 'darwin') return findWithLsof(localPort, remotePort);
  return [];
}

/** The process itself, then its parent, and so on; empty if it is gone or the system does not tell. */
export async function listAncestry(pid: number): Promise<readonly SeenProcess[]> {
  const found: SeenProcess[] = [];
  for (let next = pid; next > 0 && found.length < MAX_ANCESTORS; ) {
    const seen = process.platform === 'linux' ? readProcess(next) : await askPs(next);
    if (!seen) break;
    found.push(seen.process);
    next = seen.parent;
  }
  return found;
}

interface WithParent {
  readonly process: SeenProcess;
  readonly parent: number;
}

function readProcess(pid: number): WithParent | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in brackets and may hold spaces and brackets itself.
    const end = stat.lastIndexOf(')');
    const parent = Number(stat.slice(end + 2).split(' ')[1]);
    const called = stat.slice(stat.indexOf('(') + 1, end);
    const args = tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) ?? [];
    const file = tryRead(() => readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
    const environment = tryRead(() => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')) ?? [];
    return { process: { pid, names: namesOf(called, args, file), variables: variablesIn(environment) }, parent };
  } catch {
    return undefined;
  }
}

/** The environment follows the command line (`-E`): arguments that look like assignments only add names. */
async function askPs(pid: number): Promise<WithParent | undefined> {
  if (process.platform !== 'darwin') return undefined;
  const ask = async (...columns: readonly string[]): Promise<string> =>
    (await promisify(execFile)('ps', [...columns, '-p', String(pid)], { env: { LC_ALL: 'C' } })).stdout.trim();
  try {
    const [parent = '0', called = ''] = (await ask('-o', 'ppid=,comm=')).split(/\s+(.*)/s);
    const words = (await ask('-E', '-ww', '-o', 'command=')).split(/\s+/);
    return {
      process: { pid, names: namesOf(called, words, called), variables: variablesIn(words) },
      parent: Number(parent),
    };
  } catch {
    return undefined;
  }
}

function namesOf(called: string, [first = '', ...rest]: readonly string[], file?: string): ReadonlySet<string> {
  const names = new Set([called, first, file ?? ''].map((name) => path.basename(name)));
  const script = rest.find((word) => !word.startsWith('-'));
  if (script !== undefined && [...names].some((name) => INTERPRETER.test(name)))
    for (const name of [path.basename(script), ...packagesIn(script)]) names.add(name);
  for (const name of packagesIn(file ?? '')) names.add(name);
  names.delete('');
  return names;
}

/** `/x/node_modules/@scope/name/cli.js` belongs to the package `@scope/name`. */
function packagesIn(file: string): readonly string[] {
  return [...file.matchAll(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/@.][^/]*(?=\/)/g)].map(([name]) => name);
}

function variablesIn(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((word) => /^(\w+)=/.exec(word)?.[1] ?? []));
}

/** Forked processes share a socket: each of them may be the one that writes. */
function findSocketOwners(localPort: number, remotePort: number): readonly number[] {
  const inodes = new Set(
    ['tcp', 'tcp6'].flatMap((table) =>
      (tryRead(() => readFileSync(`/proc/self/net/${table}`, 'utf8')) ?? '').split('\n').flatMap((line) => {
        const [, local = '', remote = '', , , , , , , inode = '0'] = line.trim().split(/\s+/);
        return portOf(local) === remotePort && portOf(remote) === localPort && inode !== '0' ? [inode] : [];
      }),
    ),
  );
  if (inodes.size === 0) return [];
  return (tryRead(() => readdirSync('/proc')) ?? []).flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const holds = (tryRead(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some((descriptor) => {
      const target = tryRead(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`)) ?? '';
      return target.startsWith('socket:[') && inodes.has(target.slice('socket:['.length, -1));
    });
    return holds ? [pid] : [];
  });
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

/** `p123` names a process; the `n127.0.0.1:5000->127.0.0.1:4000` behind it one of its connections. */
async function findWithLsof(localPort: number, remotePort: number): Promise<readonly number[]> {
  try {
    const { stdout } = await promisify(execFile)('lsof', ['-nP', '-Fpn', `-iTCP:${remotePort}`]);
    const found = new Set<number>();
    let pid = 0;
    for (const line of stdout.split('\n')) {
      if (line.startsWith('p')) pid = Number(line.slice(1));
      else if (new RegExp(`^n.*:${remotePort}->.*:${localPort}$`).test(line)) found.add(pid);
    }
    return [...found];
  } catch {
    return [];
  }
}

/** A process may end while it is looked at, and those of other users do not show everything. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
