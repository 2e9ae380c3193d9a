// Databases of our own in the state folder: copies of what is elsewhere, so a damaged one is removed and made again.

import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { type DriverConnection, driver, kindOf } from '../lib/sqlite-driver.ts';
import { orElse } from '../lib/user-error.ts';

export interface Schema {
  readonly version: number;
  /** Run at each start: makes what is missing. */
  readonly sql: string;
}

const FILES = ['', '-wal', '-shm'];

/** Throws if something else is in its place, or the disk refuses it. */
export async function openOwnDatabase(file: string, schema: Schema): Promise<DriverConnection> {
  const sqlite = await driver();
  refuseOtherFiles(file);
  try {
    return prepare(sqlite.open(file), file, schema);
  } catch (error) {
    const kind = kindOf(error);
    if (kind !== 'damaged' && kind !== 'no database' && !(error instanceof OtherSchema)) throw error;
    removeDatabase(file);
    return prepare(sqlite.open(file), file, schema);
  }
}

export function removeDatabase(file: string): void {
  for (const end of FILES) rmSync(file + end, { force: true });
}

/** With its log. */
export function databaseBytes(file: string): number {
  return FILES.slice(0, 2).reduce((sum, end) => sum + orElse(() => lstatSync(file + end).size, 0), 0);
}

export function closeDatabase(connection: DriverConnection): void {
  // One of the drivers leaves the log to the next process.
  orElse(() => connection.exec('pragma wal_checkpoint(truncate)'), undefined);
  connection.close();
}

/** SQLite opens by name: it would wait for the writer of a FIFO, and follow a link to the file of another program. */
function refuseOtherFiles(file: string): void {
  for (const end of [...FILES, '-journal']) {
    const found = orElse(() => lstatSync(file + end), undefined);
    if (found && !found.isFile()) throw new Error(`${file}${end} is not a regular file`);
  }
}

class OtherSchema extends Error {}

function prepare(connection: DriverConnection, file: string, { version, sql }: Schema): DriverConnection {
  try {
    connection.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    const [row] = connection.prepare('pragma user_version').all() as { readonly user_version: number }[];
    const found = row?.user_version ?? 0;
    if (found !== 0 && found !== version) throw new OtherSchema(`schema ${found}`);
    connection.exec(sql);
    // Writing it again would cost each reader a write to the disk.
    if (found !== version) connection.exec(`pragma user_version = ${version};`);
    chmodSync(file, 0o600);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
