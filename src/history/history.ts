// One database for all sessions. It holds copies only: it may be deleted at any time, and is made again if it is damaged.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type AgentEvent, buildTree, type SessionLedger, type SessionTree } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type DriverConnection, type DriverStatement, kindOf } from '../lib/sqlite-driver.ts';
import { messageOf, orElse } from '../lib/user-error.ts';
import {
  ANYWHERE,
  type CachedBefore,
  type CachedSession,
  type FoundSession,
  fileStamp,
  type KnownPlaces,
  mayBeCopy,
  type Neighbourhood,
  type SessionCache,
  type SessionRead,
  type SourceRead,
  stampOf,
  unchangedOf,
} from '../sessions/index.ts';
import { closeDatabase, openOwnDatabase, removeDatabase } from './own-database.ts';

export interface HistoryOptions {
  /** The state folder. */
  readonly folder: string;
  /** Of the program that reads sessions: another build may read the same files in another way. */
  readonly build: string;
  readonly clock: Clock;
  /** It cannot be used, and why: told once. */
  readonly onProblem?: (text: string) => void;
  /** Of shorter sessions, all is read again if something comes: in bytes. */
  readonly worthGrowing?: number;
}

export interface History extends SessionCache {
  /** Forgets sessions of these folders that are no longer there, and conversations whose files are gone. */
  removeGone(found: readonly FoundSession[], roots: ReadonlySet<string>): void;
  close(): void;
}

export function historyFile(folder: string): string {
  return path.join(folder, 'history', 'index.db');
}

export function isSwitchedOff(folder: string): boolean {
  return process.env['TROUPE_INDEX'] === 'off' || existsSync(offFile(folder));
}

/** While it is there, nothing is kept. */
export function offFile(folder: string): string {
  return path.join(folder, 'history', 'off');
}

/** Undefined if there can be none: then every session is read from its files. */
export async function openHistory(options: HistoryOptions): Promise<History | undefined> {
  const { folder, onProblem } = options;
  const file = historyFile(folder);
  if (isSwitchedOff(folder)) return undefined;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const connection = await openOwnDatabase(file, SCHEMA);
    return new SessionHistory(file, connection, options);
  } catch (error) {
    onProblem?.(`The index cannot be used, so sessions are read from their files: ${messageOf(error)}`);
    return undefined;
  }
}

const SCHEMA = {
  version: 4,
  sql: `
  create table if not exists session (
    id text not null, root text not null, build text not null,
    stamp text not null, names text, borrowed text not null,
    tree blob, sources blob, ledger blob not null,
    primary key (id, root)
  );
  create table if not exists place (conversation text primary key, stamp text not null, places blob not null);`,
};

interface Row {
  readonly stamp: string;
  readonly names: string | null;
  readonly borrowed: string;
  readonly tree: Uint8Array | null;
}

/** Of a session that was being written to while it was read. */
const NO_STAMP = '';

interface ReadSoFar {
  readonly sources: readonly SourceRead[];
  readonly facts: readonly AgentEvent[];
}

/** A short file is read as quickly as what was kept of it. */
const WORTH_GROWING = 256 * 1024;

function bytesOf(sources: readonly SourceRead[]): number {
  return sources.reduce((sum, { mark }) => sum + (mark?.next ?? 0), 0);
}

/** All sessions of a list are looked at before the first of them is asked for. */
const JUST_NOW_MS = 500;

/** After so many failures in a row, such as on a full disk, nothing more is written. */
const MAX_FAILURES = 3;

class SessionHistory implements History {
  readonly #file: string;
  readonly #connection: DriverConnection;
  readonly #build: string;
  readonly #clock: Clock;
  readonly #onProblem: ((text: string) => void) | undefined;
  readonly #state: DriverStatement;
  readonly #stamp: DriverStatement;
  readonly #find: DriverStatement;
  readonly #ledger: DriverStatement;
  readonly #before: DriverStatement;
  readonly #keep: DriverStatement;
  readonly #places: DriverStatement;
  readonly #keepPlaces: DriverStatement;
  readonly #worthGrowing: number;
  readonly #known = new WeakMap<FoundSession, { readonly stamp: string; readonly at: number }>();
  #failures = 0;

  constructor(file: string, connection: DriverConnection, options: HistoryOptions) {
    this.#file = file;
    this.#connection = connection;
    this.#build = `${options.build} ${process.versions.v8}`;
    this.#clock = options.clock;
    this.#onProblem = options.onProblem;
    this.#worthGrowing = options.worthGrowing ?? WORTH_GROWING;
    this.#state = connection.prepare('pragma data_version');
    this.#stamp = connection.prepare('select stamp from session where id = ? and root = ? and build = ?');
    this.#find = connection.prepare(
      'select stamp, names, borrowed, tree from session where id = ? and root = ? and build = ?',
    );
    this.#ledger = connection.prepare('select ledger from session where id = ? and root = ? and stamp = ?');
    this.#before = connection.prepare(
      'select stamp, sources, ledger from session where id = ? and root = ? and build = ? and sources is not null',
    );
    this.#keep = connection.prepare(
      `replace into session (id, root, build, stamp, names, borrowed, tree, ledger, sources)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#places = connection.prepare('select places from place where conversation = ? and stamp = ?');
    this.#keepPlaces = connection.prepare('replace into place (conversation, stamp, places) values (?, ?, ?)');
  }

  knows(session: FoundSession): boolean {
    const { id, root } = session.located;
    try {
      const [row] = this.#stamp.all(id, root, this.#build) as { readonly stamp: string }[];
      const stamp = row && stampOf(session, this.#clock());
      if (row?.stamp !== stamp || stamp === undefined) return false;
      this.#known.set(session, { stamp, at: performance.now() });
      return true;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  find(session: FoundSession, around: Neighbourhood): CachedSession | undefined {
    const { id, root } = session.located;
    try {
      const [row] = this.#find.all(id, root, this.#build) as Row[];
      if (!row || row.stamp !== this.#stampOf(session)) return undefined;
      if (row.names !== null && !around.hasNames(session, row.names)) return undefined;
      const borrowed = JSON.parse(row.borrowed) as readonly (readonly [string, string])[];
      if (borrowed.some(([file, stamp]) => fileStamp(file, this.#clock()) !== stamp)) return undefined;
      const { tree } = row;
      return {
        ...(tree && { tree: unpack<SessionTree>(tree) }),
        ledger: () => this.#ledgerOf(id, root, row.stamp),
      };
    } catch (error) {
      this.#noteFailure(error);
      return undefined;
    }
  }

  /** Its files were looked at a moment ago, when somebody asked whether it is known. */
  #stampOf(session: FoundSession): string | undefined {
    const known = this.#known.get(session);
    this.#known.delete(session);
    if (known && performance.now() - known.at < JUST_NOW_MS) return known.stamp;
    return stampOf(session, this.#clock());
  }

  #ledgerOf(id: string, root: string, stamp: string): SessionLedger | undefined {
    try {
      const [row] = this.#ledger.all(id, root, stamp) as { readonly ledger: Uint8Array }[];
      return row && unpackLedger(row.ledger);
    } catch (error) {
      this.#noteFailure(error);
      return undefined;
    }
  }

  findBefore(session: FoundSession): CachedBefore | undefined {
    const { id, root } = session.located;
    try {
      const [row] = this.#before.all(id, root, this.#build) as { readonly sources: Uint8Array; ledger: Uint8Array }[];
      if (!row) return undefined;
      const { sources, facts } = unpack<ReadSoFar>(row.sources);
      const unchanged = unchangedOf(session, sources, this.#clock());
      if (!unchanged) return undefined;
      const paths = new Set(unchanged.map(({ path }) => path));
      return { ledger: unpackLedger(row.ledger), facts, unchanged: paths, sources: unchanged };
    } catch (error) {
      this.#noteFailure(error);
      return undefined;
    }
  }

  findPlaces(conversation: string, stamp: string): KnownPlaces | undefined {
    try {
      const [row] = this.#places.all(conversation, stamp) as { readonly places: Uint8Array }[];
      return row && unpackPlaces(unpack(row.places));
    } catch (error) {
      this.#noteFailure(error);
      return undefined;
    }
  }

  keepPlaces(conversation: string, stamp: string, known: KnownPlaces): void {
    this.#write(() => this.#keepPlaces.run(conversation, stamp, pack(packPlaces(known))));
  }

  state(): number {
    const [row] = orElse(() => this.#state.all() as { readonly data_version: number }[], []);
    return row?.data_version ?? 0;
  }

  keep(session: FoundSession, read: SessionRead, around: Neighbourhood): void {
    const { ledger, tree, stamp = NO_STAMP, sources, facts, dependsOnOthers } = read;
    const borrowed = read.borrowed.map((file) => [file, fileStamp(file, this.#clock())] as const);
    const isStill = stamp !== NO_STAMP && stamp === stampOf(session, this.#clock());
    const isKept = isStill && borrowed.every(([, state]) => state !== undefined);
    // What others say of it would have to be read again with it.
    const canGrow = !dependsOnOthers && bytesOf(sources) >= this.#worthGrowing;
    if (!isKept && !canGrow) return;
    const original = ledger.forkedFrom ?? ledger.continuedFrom ?? (mayBeCopy(ledger) ? ANYWHERE : undefined);
    const names = dependsOnOthers ? around.namesAround(session, original) : null;
    const { id, root } = session.located;
    this.#write(() => {
      const packed = isKept && isSettled(ledger, tree) ? pack(tree) : null;
      const soFar = canGrow ? pack({ sources, facts } satisfies ReadSoFar) : null;
      const kept = isKept ? stamp : NO_STAMP;
      this.#keep.run(id, root, this.#build, kept, names, JSON.stringify(borrowed), packed, packLedger(ledger), soFar);
    });
  }

  removeGone(found: readonly FoundSession[], roots: ReadonlySet<string>): void {
    const there = new Set(found.map(({ located: { id, root } }) => `${id}\n${root}`));
    this.#write(() => {
      const remove = this.#connection.prepare('delete from session where id = ? and root = ?');
      const all = this.#connection.prepare('select id, root from session').all() as { id: string; root: string }[];
      for (const { id, root } of all) if (roots.has(root) && !there.has(`${id}\n${root}`)) remove.run(id, root);
      const forget = this.#connection.prepare('delete from place where conversation = ?');
      const places = this.#connection.prepare('select conversation from place').all() as { conversation: string }[];
      for (const { conversation } of places) {
        const [files] = JSON.parse(conversation) as readonly [readonly string[]];
        if (!files.every((file) => existsSync(file))) forget.run(conversation);
      }
    });
  }

  #write(write: () => void): void {
    if (this.#failures >= MAX_FAILURES) return;
    try {
      write();
      this.#failures = 0;
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#failures >= MAX_FAILURES) return;
    const isDamaged = kindOf(error) === 'damaged';
    this.#failures = isDamaged ? MAX_FAILURES : this.#failures + 1;
    // The next start makes a new one.
    if (isDamaged) removeDatabase(this.#file);
    if (this.#failures === MAX_FAILURES)
      this.#onProblem?.(
        `The index cannot be used any more, so sessions are read from their files: ${messageOf(error)}`,
      );
  }

  close(): void {
    closeDatabase(this.#connection);
  }
}

/** Whether time alone changes nothing in the tree. Not by its bytes: the same number may be written in two ways. */
function isSettled(ledger: SessionLedger, tree: SessionTree): boolean {
  const never = Number.MAX_SAFE_INTEGER / 2;
  return isDeepStrictEqual(buildTree(ledger, { now: never }), tree);
}

/** As columns: a long conversation has a hundred thousand of them. */
interface PackedPlaces {
  readonly ids: readonly string[];
  readonly timestamps: readonly (string | null)[];
  /** How many byte ranges each has. */
  readonly counts: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly leftOut: KnownPlaces['leftOut'];
}

function packPlaces({ places, leftOut }: KnownPlaces): PackedPlaces {
  const lines = places.flatMap((place) => place.lines);
  return {
    ids: places.map(({ id }) => id),
    timestamps: places.map(({ timestamp }) => timestamp),
    counts: Uint32Array.from(places, (place) => place.lines.length),
    offsets: Float64Array.from(lines, ({ offset }) => offset),
    lengths: Uint32Array.from(lines, ({ length }) => length),
    leftOut,
  };
}

function unpackPlaces({ ids, timestamps, counts, offsets, lengths, leftOut }: PackedPlaces): KnownPlaces {
  let at = 0;
  const places = ids.map((id, index) => {
    const lines = Array.from({ length: counts[index] ?? 0 }, () => {
      const range = { offset: offsets[at] ?? 0, length: lengths[at] ?? 0 };
      at++;
      return range;
    });
    return { id, timestamp: timestamps[index] ?? null, lines };
  });
  return { places, leftOut };
}

/** Calls and messages in one part: of a session of gigabytes, all of them at once take more memory than reading it. */
const PART = 20_000;

/** Behind each other, each with its length before it. */
function packLedger({ calls, messages, ...rest }: SessionLedger): Uint8Array {
  const parts = [pack(rest), ...partsOf(calls), ...partsOf(messages)];
  const lengths = Uint32Array.from([calls.size, messages.size, ...parts.map(({ length }) => length)]);
  return Buffer.concat([Uint32Array.of(lengths.length), lengths, ...parts].map(toBytes));
}

function partsOf(records: ReadonlyMap<unknown, unknown>): readonly Uint8Array[] {
  const entries = [...records.keys()];
  const parts: Uint8Array[] = [];
  for (let from = 0; from < entries.length; from += PART)
    parts.push(pack(entries.slice(from, from + PART).map((key) => [key, records.get(key)])));
  return parts;
}

function unpackLedger(bytes: Uint8Array | ArrayBuffer): SessionLedger {
  const all = new Uint8Array(bytes);
  // A copy, because a database may hand over bytes at any offset.
  const numbers = (from: number, count: number) => new Uint32Array(all.slice(from, from + 4 * count).buffer);
  const [count = 0] = numbers(0, 1);
  const [callCount = 0, , ...lengths] = numbers(4, count);
  let at = 4 + 4 * count;
  const [rest, ...parts] = lengths.map((length) => {
    const part = all.subarray(at, at + length);
    at += length;
    return part;
  });
  const ofCalls = Math.ceil(callCount / PART);
  const toMap = (some: readonly Uint8Array[]) => new Map(some.flatMap((part) => unpack<[never, never][]>(part)));
  const [calls, messages] = [toMap(parts.slice(0, ofCalls)), toMap(parts.slice(ofCalls))];
  return { ...unpack<Omit<SessionLedger, 'calls' | 'messages'>>(rest ?? new Uint8Array()), calls, messages };
}

function toBytes({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function pack(value: unknown): Uint8Array {
  return deflateRawSync(serialize(value), { level: 1 });
}

function unpack<T>(bytes: Uint8Array | ArrayBuffer): T {
  return deserialize(inflateRawSync(new Uint8Array(bytes))) as T;
}
