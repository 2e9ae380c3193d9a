import { execFile, execFileSync } from 'node:child_process';
import { constants, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { wordSet } from './group.ts';
import { codeOf, orElse } from './user-error.ts';

/** What a host noted of one of its processes when it started. */
export interface ProcessMark {
  readonly pid: number;
  /** On Linux the start time in clock ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly procStart?: string;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
}

/** A process with that number may be somebody else's by now: its start must match as well. */
export async function isProcessAlive(mark: ProcessMark): Promise<boolean> {
  if (!isRunning(mark.pid)) return false;
  if (process.platform === 'linux' && mark.procStart !== undefined)
    return (await linuxStart(mark.pid)) === mark.procStart;
  if (mark.startedAt === undefined) return true;
  const seen = await askPs(mark.pid);
  if (seen && isOver(seen.state)) return false;
  // The host notes its own start a moment after the system does; ps counts whole seconds.
  return seen?.startedAt === undefined || Math.abs(seen.startedAt - mark.startedAt) < 60_000;
}

const DOMAIN = /^(\w+):([^:]*)(?::(pid:\[\d+\]))?/;

/**
 * Where a process runs, as `linux:<machine>:pid:[<namespace>]`: a folder may be shared with containers and other machines, and
 * the number of a process means something in its own place only. False if nothing is said.
 */
export function isOfOtherDomain(domain: string | undefined): boolean {
  const [, system, machine, space] = DOMAIN.exec(domain ?? '') ?? [];
  if (system === undefined) return false;
  if (system !== process.platform) return true;
  const [ownMachine, ownSpace] = [
    orElse(() => readFileSync('/etc/machine-id', 'utf8').trim(), ''),
    orElse(() => readlinkSync('/proc/self/ns/pid'), ''),
  ];
  const differs = (said: string | undefined, own: string): boolean => !!said && own !== '' && said !== own;
  return differs(machine, ownMachine) || differs(space, ownSpace);
}

/** Of the PID namespace that Linux starts with (PROC_PID_INIT_INO); all others are in it. */
const FIRST_PID_SPACE = 'pid:[4026531836]';

/** False in a container: what runs outside it, or beside it, is not seen. */
export function seesAllProcesses(): boolean {
  if (process.platform !== 'linux') return true;
  return orElse(() => readlinkSync('/proc/self/ns/pid'), '') === FIRST_PID_SPACE;
}

const absentProcesses = new Set<string>();

/**
 * The number that we know a process by which noted another: its own container numbers processes from 1. Linux shows a container's
 * processes from outside, with their start and, at the end of `NSpid`, their number inside. `domain`: as for `isOfOtherDomain`.
 */
export function findInContainer({ pid, procStart }: ProcessMark, domain: string | undefined): number | undefined {
  if (process.platform !== 'linux' || procStart === undefined) return undefined;
  // A process that is not there now has ended or is out of sight; neither changes.
  const key = `${pid} ${procStart} ${domain ?? ''}`;
  if (absentProcesses.has(key)) return undefined;
  const space = DOMAIN.exec(domain ?? '')?.[3];
  const isThat = (outer: number): boolean => {
    const stat = statOf(outer);
    if (stat?.start !== procStart || isOver(stat.state)) return false;
    const numbers = /^NSpid:\s*(.*)$/m.exec(orElse(() => readFileSync(`/proc/${outer}/status`, 'utf8'), ''))?.[1];
    const inside = (numbers ?? '').split(/\s+/);
    if (inside.length < 2 || Number(inside.at(-1)) !== pid) return false;
    const own = orElse(() => readlinkSync(`/proc/${outer}/ns/pid`), '');
    return space === undefined || own === '' || own === space;
  };
  const found = listPids().find(isThat);
  if (found === undefined) absentProcesses.add(key);
  return found;
}

/** Some process has that number, and has not ended. */
export function isRunning(pid: number): boolean {
  return hasNumber(pid) && !isOver(statOf(pid)?.state ?? '');
}

/**
 * The process that left a mark of its number at that time is still there: whoever has the number now, and began only
 * afterwards, is somebody else. Epoch milliseconds.
 */
export async function isStillRunning(pid: number, markedAt: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const seen = await askPs(pid);
  // ps counts whole seconds, and clocks are set.
  return seen?.startedAt === undefined || seen.startedAt < markedAt + 5_000;
}

/** Somebody stopped it (Ctrl-Z, SIGSTOP), and it goes on where it is told to. Known on Linux only. */
export function isPaused(pid: number): boolean {
  return /^[Tt]/.test(statOf(pid)?.state ?? '');
}

/** When it started, as Linux counts it: tells a process from a later one with the same number. None on other systems. */
export async function linuxStart(pid: number): Promise<string | undefined> {
  return statOf(pid)?.start;
}

/** A variable of the environment that a process of ours was started with. Known on Linux only. */
export function variableOf(pid: number, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return wordsIn(pid, 'environ')
    .find((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** The words of its command line, on Linux; elsewhere none are known. */
export const argumentsOf = (pid: number): readonly string[] => wordsIn(pid, 'cmdline');

/** Of a process on Linux. */
function wordsIn(pid: number, file: 'environ' | 'cmdline'): readonly string[] {
  return orElse(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'), '').split('\0');
}

function hasNumber(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Z and X: it has ended, but keeps its number until its parent has asked how. */
function isOver(state: string): boolean {
  return /^[ZX]/.test(state);
}

/** A read from memory, so at once: it is asked each second of every process. Nothing where there is no /proc. */
function statOf(pid: number) {
  const stat = process.platform === 'linux' ? orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '') : '';
  if (stat === '') return undefined;
  // The command's name stands in brackets and may hold spaces and brackets itself.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const called = stat.slice(stat.indexOf('(') + 1, end);
  return { state: fields[0] ?? '', parent: Number(fields[1]), start: fields[19], called };
}

async function askPs(pid: number): Promise<{ readonly state: string; readonly startedAt?: number } | undefined> {
  try {
    const args = ['-o', 'state=,lstart=', '-p', String(pid)];
    const { stdout } = await promisify(execFile)('ps', args, { env: { LC_ALL: 'C' } });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    const at = Date.parse(start.join(' '));
    return { state, ...(!Number.isNaN(at) && { startedAt: at }) };
  } catch {
    return undefined;
  }
}

export interface SeenProcess {
  readonly pid: number;
  /** Names of the program: of its file, as it calls itself, and of the script that an interpreter runs. */
  readonly names: ReadonlySet<string>;
  /** Names of the environment variables it was started with; empty if the system does not show them. */
  readonly variables: ReadonlySet<string>;
}

/** A cycle cannot happen, but /proc is read line by line while processes come and go. */
const MAX_ANCESTORS = 100;
const INTERPRETERS = wordSet('node nodejs bun deno tsx ts-node ruby perl sh bash dash zsh fish env');

function isInterpreter(name: string): boolean {
  return INTERPRETERS.has(name) || (name.startsWith('python') && /^python[\d.]*$/.test(name));
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}

type ConnectionPorts = Partial<Readonly<Record<'localPort' | 'remotePort', number | undefined>>>;

/** Every process that holds the client's end of the connection, which has the remote port; empty if that cannot be told. */
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
    const seen = process.platform === 'linux' ? readProcess(next) : await listByPs(next);
    if (!seen) break;
    found.push(seen.process);
    next = seen.parent;
  }
  return found;
}

/** A process on Linux, with what tells it from a later one of the same number. */
export interface LinuxProcess {
  readonly pid: number;
  readonly start: string;
  readonly names: ReadonlySet<string>;
  /** Of its command line. */
  readonly words: readonly string[];
}

/** As `listAncestry`, at once: for a hook that a host waits for. Empty on other systems. */
export function linuxAncestry(pid: number): readonly LinuxProcess[] {
  const found: LinuxProcess[] = [];
  for (let next = pid; next > 0 && found.length < MAX_ANCESTORS; ) {
    const stat = statOf(next);
    if (!stat) break;
    const words = wordsIn(next, 'cmdline');
    found.push({ pid: next, start: stat.start ?? '', names: namesOf(stat.called, words, programOf(next)), words });
    next = stat.parent;
  }
  return found;
}

/** The environment that a process was started with; empty on other systems, and of processes of others. */
export function environmentOf(pid: number): ReadonlyMap<string, string> {
  if (process.platform !== 'linux') return new Map();
  return new Map(
    wordsIn(pid, 'environ').flatMap((word) => {
      const at = word.indexOf('=');
      return at > 0 ? [[word.slice(0, at), word.slice(at + 1)] as const] : [];
    }),
  );
}

/** Where a process works now. Known on Linux only. */
export function folderOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return orElse(() => readlinkSync(`/proc/${pid}/cwd`), undefined);
}

/** Where processes of a program work that is known by one of these names. Known on Linux only. */
export function foldersOfProgram(
  names: readonly string[],
): readonly { readonly pid: number; readonly folder: string }[] {
  return listPids().flatMap((pid) => {
    const seen = readProcess(pid)?.process.names;
    const folder = names.some((name) => seen?.has(name)) ? folderOf(pid) : undefined;
    return folder === undefined ? [] : [{ pid, folder }];
  });
}

/** Linux counts in hundredths of a second in all places that Node runs in. */
const TICK_MS = 10;

/** When a process began, in epoch milliseconds, by its `start`. */
export function startTimeOf({ start }: Pick<LinuxProcess, 'start'>): number | undefined {
  const uptime = Number(orElse(() => readFileSync('/proc/uptime', 'utf8'), '').split(' ')[0]);
  if (start === '' || !Number.isFinite(uptime) || uptime === 0) return undefined;
  const at = Date.now() - uptime * 1_000 + Number(start) * TICK_MS;
  // Some containers have an uptime of their own, and starts that count from that of the machine (lxcfs).
  return at > Date.now() + 1_000 ? undefined : at;
}

function readProcess(pid: number) {
  const stat = statOf(pid);
  if (!stat) return undefined;
  const names = namesOf(stat.called, wordsIn(pid, 'cmdline'), programOf(pid));
  return { process: { pid, names, variables: variablesIn(wordsIn(pid, 'environ')) }, parent: stat.parent };
}

/** Its file. One that was replaced meanwhile is marked behind its name. Of processes of others, the system does not say it. */
function programOf(pid: number): string | undefined {
  return orElse(() => withoutEnd(readlinkSync(`/proc/${pid}/exe`), ' (deleted)'), undefined);
}

/** The environment follows the command line (`-E`): arguments that look like assignments only add names. */
async function listByPs(pid: number) {
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
  // Programs may write a title over their command line (`npm run check src/opencode`): it names what they were given, too.
  const titles = [called, first].map((title) => title.split(' ', 1)[0] ?? '');
  const names = new Set([...titles, file ?? ''].map((name) => path.basename(name)));
  const script = rest.find((word) => !word.startsWith('-'));
  if (script !== undefined && [...names].some((name) => isInterpreter(name)))
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
    connections().flatMap(({ local, remote, inode }) =>
      portOf(local) === remotePort && portOf(remote) === localPort && inode !== '0' ? [inode] : [],
    ),
  );
  if (inodes.size === 0) return [];
  return listPids().filter((pid) => socketsIn(openFilesOf(pid)).some((socket) => inodes.has(socket)));
}

/** Everything that runs, on Linux. */
function listPids(): readonly number[] {
  return orElse(() => readdirSync('/proc'), [])
    .map(Number)
    .filter(Number.isInteger);
}

/** From memory, so at once. Of processes of others nothing is shown. */
function openFilesOf(pid: number): readonly string[] {
  return descriptorsOf(pid).map((descriptor) => targetOf(pid, descriptor));
}

function descriptorsOf(pid: number): readonly string[] {
  return orElse(() => readdirSync(`/proc/${pid}/fd`), []);
}

function targetOf(pid: number, descriptor: string): string {
  return orElse(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`), '');
}

/** Whether a process has one of these files open for writing, by their real paths. */
function isWriterOf(pid: number, files: ReadonlyMap<string, string>): boolean {
  return descriptorsOf(pid).some((descriptor) => {
    if (!files.has(targetOf(pid, descriptor))) return false;
    const text = orElse(() => readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'), '');
    const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(text)?.[1] ?? '0', 8);
    return (flags & (constants.O_WRONLY | constants.O_RDWR)) !== constants.O_RDONLY;
  });
}

/** Their numbers. */
function socketsIn(open: readonly string[]): readonly string[] {
  return open.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** The TCP connections of this machine, as Linux lists them; addresses are hexadecimal. */
function connections() {
  const tables = ['tcp', 'tcp6'].map((table) => orElse(() => readFileSync(`/proc/self/net/${table}`, 'utf8'), ''));
  return tables
    .join('\n')
    .split('\n')
    .map((line) => {
      const [, local = '', remote = '', state, , , , , , inode = '0'] = line.trim().split(/\s+/);
      return { local, remote, state, inode };
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

/** A process that has one of the files open. */
export interface FileOpener {
  readonly pid: number;
  /** As it was asked for. */
  readonly files: readonly string[];
  /** It may write to one of them. */
  readonly isWriter: boolean;
  /** Its command line, word by word. */
  readonly words: readonly string[];
  /** The numbers of its sockets. */
  readonly sockets: ReadonlySet<string>;
}

/** Without this process. Undefined where it cannot be told. */
export function openersOf(files: readonly string[]): readonly FileOpener[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const wanted = new Map(files.map((file) => [orElse(() => realpathSync(file), file), file]));
  const openers: FileOpener[] = [];
  for (const pid of listPids()) {
    const open = pid === process.pid ? [] : openFilesOf(pid);
    const found = new Set(open.flatMap((target) => wanted.get(target) ?? []));
    if (found.size > 0)
      openers.push({
        ...{ pid, files: [...found], isWriter: isWriterOf(pid, wanted), words: wordsIn(pid, 'cmdline') },
        sockets: new Set(socketsIn(open)),
      });
  }
  return openers;
}

export interface ListeningSocket {
  readonly host: string;
  readonly port: number;
}

/**
 * By the number of the socket, those that can be reached from this machine. Only our own view of the network is asked: what a
 * container listens on stands in its own, and the same port here is somebody else's.
 */
export function listeningSockets(): ReadonlyMap<string, ListeningSocket> {
  const found = new Map<string, ListeningSocket>();
  for (const { local, state, inode } of connections()) {
    const host = state === LISTENS ? HOSTS.get(local.split(':')[0] ?? '') : undefined;
    if (host !== undefined) found.set(inode, { host, port: portOf(local) });
  }
  return found;
}

const LISTENS = '0A';
/** This machine, and everywhere. As the system writes them: in words of four bytes, each backwards. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['0100007F', '127.0.0.1'],
  ['00000000', '127.0.0.1'],
  ['00000000000000000000000001000000', '[::1]'],
  ['00000000000000000000000000000000', '[::1]'],
  ['0000000000000000FFFF00000100007F', '127.0.0.1'],
]);

export interface RunningProgram {
  /** The file's name, without its folder. */
  readonly program: string;
  /** Its first argument: of an interpreter, what it runs. */
  readonly first: string;
}

/** Without this process. Undefined where it cannot be told. */
export function runningPrograms(): readonly RunningProgram[] | undefined {
  const pids = process.platform === 'linux' ? listPids() : [];
  // Without /proc, not even this process is listed.
  if (pids.length === 0) return undefined;
  return pids.flatMap((pid) => {
    const program = pid === process.pid ? undefined : programOf(pid);
    const [, first = ''] = wordsIn(pid, 'cmdline');
    return program === undefined ? [] : [{ program: path.basename(program), first }];
  });
}

const PATIENCE_MS = 10_000;

/** The first of these programs on the PATH that answers `--version`, and what it says. */
export async function findVersion(programs: readonly string[]) {
  for (const program of programs)
    try {
      const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: PATIENCE_MS });
      return { program, said: stdout };
    } catch {
      // The next one may be there.
    }
  return undefined;
}

/** How many files and connections this process may have open at once; nothing where there is no limit, or none is known. */
export function openFilesLimit(): number | undefined {
  try {
    if (process.platform === 'win32') return undefined;
    const text =
      process.platform === 'linux'
        ? /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
        : // A child has the limits of its parent.
          execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 1_000 });
    const limit = Number.parseInt(text ?? '', 10);
    return Number.isNaN(limit) ? undefined : limit;
  } catch {
    return undefined;
  }
}
