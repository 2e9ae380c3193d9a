// SQLite itself: Node's own where it has one, else the package's; and what it says when something is wrong.

import { closeSync } from 'node:fs';
import { isAnyArrayBuffer } from 'node:util/types';
import { openRegularSync } from './regular-file.ts';
import { codeOf } from './user-error.ts';

export type SqlValue = string | number | null | Uint8Array;

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

/** A writer that starts, or cleans up behind a dead one, takes moments. */
const BUSY_MS = 50;
const WRITER_MS = 5_000;

export interface DriverStatement {
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): Iterator<unknown>;
  run(...values: readonly SqlValue[]): unknown;
}

/** One driver hands over views of bytes, the other the bytes themselves. */
export function withTexts(row: unknown): unknown {
  const values = row as Record<string, unknown>;
  for (const key in values) {
    const value = values[key];
    if (ArrayBuffer.isView(value))
      values[key] = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
    else if (isAnyArrayBuffer(value)) values[key] = Buffer.from(value).toString();
  }
  return values;
}

export interface DriverConnection {
  prepare(sql: string): DriverStatement;
  exec(sql: string): unknown;
  close(): void;
}

/** The types of Node 20 do not know it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    uri: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => DriverConnection;
}

export interface Driver {
  connect(uri: string): DriverConnection;
  /** A database of our own. Waits for other writers for some seconds. */
  open(file: string): DriverConnection;
  /** To be called where nobody in this process reads the file any more. */
  letGo(file: string): void;
}

let chosen: Promise<Driver> | undefined;

/** Node's own where it has one (22.13 and later), else the package's: the same library, the same words. */
export function driver(): Promise<Driver> {
  chosen ??= Promise.resolve(nodeDriver() ?? libsqlDriver());
  return chosen;
}

function nodeDriver(): Driver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule?.('node:sqlite')) as NodeSqlite | undefined;
  if (!sqlite) return undefined;
  return {
    connect: (uri) => new sqlite.DatabaseSync(uri, { readOnly: true, timeout: BUSY_MS }),
    open: (file) => new sqlite.DatabaseSync(file, { readOnly: false, timeout: WRITER_MS }),
    letGo: () => {},
  };
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
  return {
    connect: (uri) => new Database(uri, { timeout: BUSY_MS }) as unknown as DriverConnection,
    open: (file) => new Database(file, { timeout: WRITER_MS }) as unknown as DriverConnection,
    letGo: dropLocks,
  };
}

/**
 * This driver closes a file only when the garbage collector has met the last statement, and its locks would keep the last
 * writer from tidying up. Whoever closes any handle of a file gives up all locks that this process has on it (POSIX): here
 * that is what is wanted.
 */
function dropLocks(file: string): void {
  for (const end of ['', '-shm']) {
    try {
      closeSync(openRegularSync(file + end));
    } catch {
      // It is gone, or not for us: then nothing is locked.
    }
  }
}

export function telling<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toUnreadable(file, error);
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

export function kindOf(error: unknown): FailureKind {
  if (!(error instanceof Error)) return 'other';
  // Of the files beside it, which are read without SQLite.
  if (codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM') return 'refused';
  const numbers = error as { readonly errcode?: unknown; readonly rawCode?: unknown };
  // libsql 0.5.29 has no field for what goes wrong while a file is opened.
  const number =
    numbers.errcode ?? numbers.rawCode ?? Number(/^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1]);
  return (typeof number === 'number' && KINDS.get(number & 0xff)) || 'other';
}

/** Errors that are not SQLite's stay as they are. */
export function toUnreadable(file: string, error: unknown): unknown {
  const kind = kindOf(error);
  const isSqlite = /SQLITE/.test(String(codeOf(error)));
  if (kind === 'other' && !isSqlite) return error;
  const why = kind === 'other' ? (error as Error).message : WHY[kind];
  return new UnreadableDatabase(file, why, kind === 'busy', error);
}
