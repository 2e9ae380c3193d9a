import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { SessionContinued, SessionForked, SessionLedger, SessionTree } from '../core/index.ts';
import { groupBy } from '../lib/group.ts';
import { type FoundSession, isOfFiles } from './find-sessions.ts';

/** What was read of sessions before. Never throws: a session that is not in it is read from its files. */
export interface SessionCache {
  /** Undefined if any file that the session was read from has changed since. */
  find(session: FoundSession, around: Neighbourhood): CachedSession | undefined;
  /** Changes when another process adds something. */
  state(): number;
  keep(session: FoundSession, read: SessionRead, around: Neighbourhood): void;
  /** `origin`: null if it is not a copy. */
  keepOrigin(session: FoundSession, origin: SessionOriginFact | null, around: Neighbourhood): void;
}

export type OpenCache = () => Promise<SessionCache | undefined>;

export type SessionOriginFact = SessionForked | SessionContinued;

export interface CachedSession {
  /** Left out if time changes it: then it is built again from the facts. */
  readonly tree?: SessionTree;
  /** Undefined if it cannot be read any more. */
  ledger(): SessionLedger | undefined;
  /** Undefined: not known. */
  readonly origin?: SessionOriginFact | null;
}

export interface SessionRead {
  readonly ledger: SessionLedger;
  readonly tree: SessionTree;
  /** Of its own files before they were read. */
  readonly stamp: string;
  /** Files of other sessions that it was read from. */
  readonly borrowed: readonly string[];
  /** Another session that appears may change it. */
  readonly dependsOnOthers: boolean;
}

/** Sessions whose files are still being written are not kept: two writes within one tick of the disk's clock look the same. */
const QUIET_MS = 3_000;

/** Undefined if the session cannot be kept: its process runs, or it is in a database. */
export function stampOf(session: FoundSession, now: number): string | undefined {
  const { adapter, forced, located } = session;
  if (!isOfFiles(session)) return undefined;
  if (located.facts.some((fact) => fact.kind === 'process-seen' && (fact.alive || fact.isOutOfSight))) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([adapter.host, forced, located.facts]));
  for (const { id, path, role, shape, agent, standIn } of located.sources) {
    const state = fileStamp(path, now);
    if (state === undefined) return undefined;
    hash.update(JSON.stringify([id, path, role, shape, agent, standIn, state]));
  }
  return hash.digest('base64url');
}

/** Undefined if there is no such file, or it was written to just now. */
export function fileStamp(file: string, now: number): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return Math.abs(now - ctimeMs) < QUIET_MS ? undefined : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}

/** Which files lie in the folder of a session, those of others included. */
export class Neighbourhood {
  readonly #byFolder: ReadonlyMap<string, readonly FoundSession[]>;
  readonly #names = new Map<string, string>();

  constructor(all: readonly FoundSession[]) {
    this.#byFolder = groupBy(all, folderOf);
  }

  namesAround(session: FoundSession): string {
    const folder = folderOf(session);
    const known = this.#names.get(folder);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    const files = (this.#byFolder.get(folder) ?? []).flatMap(({ located }) => located.sources.map(({ path }) => path));
    for (const file of files.sort()) hash.update(`${file}\n`);
    const names = hash.digest('base64url');
    this.#names.set(folder, names);
    return names;
  }
}

function folderOf({ located: { root, folder = root } }: FoundSession): string {
  return folder;
}
