// Who has a file open, and where they listen. Known on Linux only, and of one's own processes.
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

/** A process that has one of the files open. */
export interface FileOpener {
  readonly pid: number;
  /** As it was asked for. */
  readonly files: readonly string[];
  /** The numbers of its sockets. */
  readonly sockets: ReadonlySet<string>;
}

/** Without this process. Undefined where it cannot be told. */
export function openersOf(files: readonly string[]): readonly FileOpener[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const wanted = new Map(files.map((file) => [orElse(() => realpathSync(file), file), file]));
  const openers: FileOpener[] = [];
  for (const name of orElse(() => readdirSync('/proc'), [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // At once, from memory: of processes of others nothing is shown.
    const open = orElse(() => readdirSync(`/proc/${pid}/fd`), []).map((descriptor) =>
      orElse(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`), ''),
    );
    const found = new Set(open.flatMap((target) => wanted.get(target) ?? []));
    const sockets = new Set(open.flatMap((target) => SOCKET.exec(target)?.[1] ?? []));
    if (found.size > 0) openers.push({ pid, files: [...found], sockets });
  }
  return openers;
}

const SOCKET = /^socket:\[(\d+)\]$/;

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
  for (const table of ['tcp', 'tcp6'])
    for (const line of orElse(() => readFileSync(`/proc/self/net/${table}`, 'utf8'), '').split('\n')) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      const host = state === LISTENS ? HOSTS.get(address) : undefined;
      if (host !== undefined && inode !== undefined) found.set(inode, { host, port: Number.parseInt(port, 16) });
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

/** A process may end while it is looked at. */
function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
