// Databases of other programs, read beside them: never written, never locked, and no file left behind that was not there.

import { type BigIntStats, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { copyRegularSync, kindOfFile } from './regular-file.ts';
import {
  type Driver,
  type DriverStatement,
  driver,
  kindOf,
  type SqlValue,
  telling,
  toUnreadable,
  UnreadableDatabase,
  withTexts,
} from './sqlite-driver.ts';
import { messageOf } from './user-error.ts';

export { type SqlValue, UnreadableDatabase };

export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * A text column, as SQL should ask for it: one of the drivers ends the whole process where a text is no UTF-8, as in a
 * damaged file. As bytes it is harmless, and every row is handed on with its bytes as text.
 */
export function textOf(column: string): string {
  return `cast(${column} as blob)`;
}

export interface ReadOnlyDatabase {
  all(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** Row by row. To be gone through to its end. */
  each(sql: string, ...values: readonly SqlValue[]): Iterable<SqlRow>;
}

/** What changes while it is read without a lock is read again. */
const TRIES = 3;
const AGAIN_MS = 50;
/** A connection that nobody uses is kept so long: of a hundred sessions that are looked at, each would make its own. */
const KEPT_MS = 20;

/**
 * Opens a database, hands it to `use`, and closes it soon: a connection that stayed open would keep the last writer from
 * tidying up its `-wal` and `-shm`. `use` may be called again where the file changed under it. Throws `UnreadableDatabase`.
 */
export async function readDatabase<T>(file: string, use: (database: ReadOnlyDatabase) => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await readOnce(file, use);
    } catch (error) {
      if (tries >= TRIES || !(error instanceof UnreadableDatabase) || !error.isBusy) throw error;
    }
    await sleep(AGAIN_MS);
  }
}

async function readOnce<T>(file: string, use: (database: ReadOnlyDatabase) => T | Promise<T>): Promise<T> {
  const sqlite = await driver();
  for (let tries = 1; ; tries++) {
    const before = stateOf(file);
    const lent = borrow(file, before, sqlite);
    const { mayChange, database } = lent.opened;
    try {
      const result = await use(database);
      if (!mayChange || isSame(before, stateOf(file))) return result;
    } catch (error) {
      // Without a lock, half of an old page and half of a new one look like damage.
      const isRead = !mayChange || isSame(before, stateOf(file));
      if (isRead || tries >= TRIES) throw toUnreadable(file, error);
    } finally {
      giveBack(file, lent, sqlite);
    }
    if (tries >= TRIES) throw new UnreadableDatabase(file, 'it changes faster than it can be read', true);
  }
}

interface Lent {
  readonly opened: Opened;
  readonly state: FileState;
  users: number;
  timer?: NodeJS.Timeout;
}

/** By file, those that may be handed on. */
const lending = new Map<string, Lent>();

function borrow(file: string, state: FileState, sqlite: Driver): Lent {
  const known = lending.get(file);
  const lent =
    known && isStillGood(known, state)
      ? known
      : { opened: telling(file, () => openAs(file, state, sqlite)), state, users: 0 };
  clearTimeout(lent.timer);
  lent.users++;
  lending.set(file, lent);
  return lent;
}

function isStillGood({ opened, state }: Lent, now: FileState): boolean {
  if (opened.mayChange) return isSame(state, now);
  return state.main.ino === now.main.ino && now.walBytes > 0n && now.hasShm;
}

function giveBack(file: string, lent: Lent, sqlite: Driver): void {
  lent.users--;
  if (lent.users > 0) return;
  lent.timer = setTimeout(() => {
    lent.opened.close();
    if (lending.get(file) === lent) lending.delete(file);
    if (!lending.has(file)) sqlite.letGo(file);
  }, KEPT_MS);
}

interface FileState {
  readonly main: BigIntStats;
  readonly wal: BigIntStats | undefined;
  readonly walBytes: bigint;
  readonly hasShm: boolean;
}

function stateOf(file: string): FileState {
  const stats = (end: '' | '-wal' | '-shm' | '-journal'): BigIntStats | undefined => {
    const found = lookAt(file, file + end);
    if (!found || found.isFile()) return found;
    // SQLite opens by name, and would wait for the writer of a FIFO. (One that takes its place after this look is still waited for.)
    const what = end === '' ? 'it' : path.basename(file) + end;
    throw new UnreadableDatabase(file, `${what} is ${kindOfFile(found)}, not a regular file`, false);
  };
  const main = stats('');
  if (!main) throw new UnreadableDatabase(file, 'it is not there', false);
  const [wal, shm] = [stats('-wal'), stats('-shm')];
  stats('-journal');
  const walBytes = wal?.size ?? 0n;
  return { main, wal, walBytes, hasShm: shm !== undefined };
}

function lookAt(file: string, name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw new UnreadableDatabase(file, `it cannot be looked at: ${messageOf(error)}`, false, error);
  }
}

function isSame(a: FileState, b: FileState): boolean {
  if (!isSameFile(a.main, b.main) || a.walBytes !== b.walBytes) return false;
  return a.walBytes === 0n || (a.wal !== undefined && b.wal !== undefined && isSameFile(a.wal, b.wal));
}

/** Whoever copies a file over another one may give it the old time of its last write, but not the time of its last change. */
function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
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
function openAs(file: string, { walBytes, hasShm }: FileState, sqlite: Driver): Opened {
  if (walBytes === 0n) return { ...connect(file, 'immutable=1&mode=ro', sqlite), mayChange: true };
  if (!hasShm) return openCopy(file, sqlite);
  try {
    return { ...connect(file, 'mode=ro', sqlite), mayChange: false };
  } catch (error) {
    // The index is another person's, and nobody is there who keeps it.
    if (kindOf(error) === 'refused') return openCopy(file, sqlite);
    throw error;
  }
}

function openCopy(file: string, sqlite: Driver): Opened {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-db-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = path.join(folder, 'copy.db');
    for (const end of ['', '-wal']) copyRegularSync(file + end, copy + end);
    const { database, close } = connect(copy, 'mode=ro', sqlite);
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

function connect(file: string, how: string, sqlite: Driver): Omit<Opened, 'mayChange'> {
  const uri = `${pathToFileURL(file).href}?${how}`;
  const connection = sqlite.connect(uri);
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
  const all: ReadOnlyDatabase['all'] = (sql, ...values) =>
    telling(
      file,
      () =>
        prepare(sql)
          .all(...values)
          .map(withTexts) as SqlRow[],
    );
  return {
    database: {
      all,
      *each(sql, ...values) {
        const rows = telling(file, () => prepare(sql).iterate(...values));
        for (;;) {
          const { done, value } = telling(file, () => rows.next());
          if (done) return;
          yield withTexts(value) as SqlRow;
        }
      },
    },
    close() {
      connection.close();
    },
  };
}
