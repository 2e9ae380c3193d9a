// Databases of other programs, read beside them: never written, never locked, and no file left behind that was not there.
import { type BigIntStats, constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../base/system-error.ts';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

export interface ReadOnlyDatabase {
  all(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** Row by row. To be gone through to its end. */
  each(sql: string, ...values: readonly SqlValue[]): Iterable<SqlRow>;
}

/** Why a database cannot be read, in words for people. */
export class UnreadableDatabase extends Error {
  /** Somebody is in the middle of something: it can be read a little later. */
  readonly isBusy: boolean;

  constructor(file: string, why: string, isBusy: boolean, cause?: unknown) {
    super(`${file}: ${why}`, { cause });
    this.name = 'UnreadableDatabase';
    this.isBusy = isBusy;
  }
}

/** What changes while it is read without a lock is read again. */
const TRIES = 3;
/** A writer that starts, or cleans up behind a dead one, takes moments: so long SQLite waits, and so long we do between. */
const [BUSY_MS, AGAIN_MS] = [50, 50];

/**
 * Opens a database, hands it to `use`, and closes it: a connection that stayed open would keep the last writer from
 * tidying up its `-wal` and `-shm`. `use` may be called again where the file changed under it. Throws `UnreadableDatabase`.
 */
export async function readDatabase<T>(file: string, use: (database: ReadOnlyDatabase) => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await readOnce(file, use);
    } catch (error) {
      if (tries >= TRIES || !(error instanceof UnreadableDatabase) || !error.isBusy) throw error;
    }
    await setTimeout(AGAIN_MS);
  }
}

async function readOnce<T>(file: string, use: (database: ReadOnlyDatabase) => T | Promise<T>): Promise<T> {
  const connectTo = await driver();
  for (let tries = 1; ; tries++) {
    const before = stateOf(file);
    const opened = telling(file, () => openAs(file, before, connectTo));
    try {
      const result = await use(opened.database);
      if (!opened.mayChange || isSame(before, stateOf(file))) return result;
    } catch (error) {
      const isOwn = error instanceof UnreadableDatabase;
      // Without a lock, half of an old page and half of a new one look like damage.
      const isRead = !opened.mayChange || isSame(before, stateOf(file));
      if (isRead || tries >= TRIES) throw isOwn ? error : toUnreadable(file, error);
    } finally {
      opened.close();
    }
    if (tries >= TRIES) throw new UnreadableDatabase(file, 'it changes faster than it can be read', true);
  }
}

interface FileState {
  readonly main: BigIntStats;
  readonly walBytes: bigint;
  readonly hasShm: boolean;
}

function stateOf(file: string): FileState {
  const stats = (name: string): BigIntStats | undefined => statSync(name, { bigint: true, throwIfNoEntry: false });
  const main = stats(file);
  if (!main) throw new UnreadableDatabase(file, 'it is not there', false);
  return { main, walBytes: stats(`${file}-wal`)?.size ?? 0n, hasShm: stats(`${file}-shm`) !== undefined };
}

function isSame(a: FileState, b: FileState): boolean {
  const [left, right] = [a.main, b.main];
  return (
    left.ino === right.ino && left.size === right.size && left.mtimeNs === right.mtimeNs && a.walBytes === b.walBytes
  );
}

interface Opened {
  readonly database: ReadOnlyDatabase;
  /** It is read without a lock. */
  readonly mayChange: boolean;
  close(): void;
}

/**
 * Three ways, found by trying: SQLite makes a `-wal` and a `-shm` where they are missing, and a reader never takes them away.
 * Without a log (the last writer closed in good order) the file alone is all: `immutable` takes no lock and makes no file.
 * With a log and its index: an ordinary reader, beside any writer. With a log alone, as copies and backups leave it: a copy
 * of both, for `immutable` does not look into the log.
 */
function openAs(file: string, { walBytes, hasShm }: FileState, connectTo: Driver): Opened {
  if (walBytes === 0n) return { ...connect(file, 'immutable=1', connectTo), mayChange: true };
  if (!hasShm) return openCopy(file, connectTo);
  try {
    return { ...connect(file, 'mode=ro', connectTo), mayChange: false };
  } catch (error) {
    // The index is another person's, and nobody is there who keeps it.
    if (kindOf(error) === 'refused') return openCopy(file, connectTo);
    throw error;
  }
}

function openCopy(file: string, connectTo: Driver): Opened {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-db-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = path.join(folder, 'copy.db');
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end, constants.COPYFILE_FICLONE);
    const { database, close } = connect(copy, 'mode=ro', connectTo);
    return {
      database,
      mayChange: true,
      close() {
        close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function connect(file: string, how: string, connectTo: Driver): Omit<Opened, 'mayChange'> {
  const connection = connectTo(`${pathToFileURL(file).href}?${how}`);
  const statements = new Map<string, DriverStatement>();
  const prepare = (sql: string): DriverStatement => {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  try {
    // What is no database, or locked for all, shows at the first page.
    prepare('select count(*) from sqlite_schema').all();
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    database: {
      all: (sql, ...values) => telling(file, () => prepare(sql).all(...values) as SqlRow[]),
      *each(sql, ...values) {
        const rows = telling(file, () => prepare(sql).iterate(...values)) as Iterator<SqlRow>;
        for (;;) {
          const { done, value } = telling(file, () => rows.next());
          if (done) return;
          yield value;
        }
      },
    },
    close: () => connection.close(),
  };
}

interface DriverStatement {
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): Iterator<unknown>;
}

interface DriverConnection {
  prepare(sql: string): DriverStatement;
  close(): void;
}

/** The types of Node 20 do not know it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    uri: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => DriverConnection;
}

type Driver = (uri: string) => DriverConnection;

let chosen: Promise<Driver> | undefined;

/** Node's own where it has one (22.13 and later), else the package's: the same library, the same words. */
function driver(): Promise<Driver> {
  chosen ??= Promise.resolve(nodeDriver() ?? libsqlDriver());
  return chosen;
}

function nodeDriver(): Driver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule?.('node:sqlite')) as NodeSqlite | undefined;
  return sqlite && ((uri) => new sqlite.DatabaseSync(uri, { readOnly: true, timeout: BUSY_MS }));
}

/** Node 22 warns each person whose program loads it; nobody can do anything about it. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Loaded when a database is read for the first time: most people have none. */
async function libsqlDriver(): Promise<Driver> {
  const { default: Database } = await import('libsql');
  return (uri) => new Database(uri, { timeout: BUSY_MS }) as unknown as DriverConnection;
}

function telling<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof UnreadableDatabase ? error : toUnreadable(file, error);
  }
}

type FailureKind = 'busy' | 'damaged' | 'no database' | 'refused' | 'other';

/** SQLite's result codes; the extended ones hold them in their lowest byte. */
const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'refused'],
  [11, 'damaged'],
  [14, 'refused'],
  [26, 'no database'],
]);

const WHY: Readonly<Record<Exclude<FailureKind, 'other'>, string>> = {
  busy: 'another program has locked it',
  damaged: 'it is damaged',
  'no database': 'it is no database',
  refused: 'it cannot be opened',
};

function kindOf(error: unknown): FailureKind {
  const numbers = error instanceof Error ? (error as { readonly errcode?: unknown; readonly rawCode?: unknown }) : {};
  const number = numbers.errcode ?? numbers.rawCode;
  return (typeof number === 'number' && KINDS.get(number & 0xff)) || 'other';
}

function toUnreadable(file: string, error: unknown): unknown {
  const kind = kindOf(error);
  const isSqlite = /SQLITE/.test(String(codeOf(error)));
  if (kind === 'other' && !isSqlite) return error;
  const why = kind === 'other' ? (error as Error).message : WHY[kind];
  return new UnreadableDatabase(file, why, kind === 'busy', error);
}
