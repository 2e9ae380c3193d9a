// Which sessions are in a data folder, and in which of its sources: a session in several sources is one session.

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, nativeId, toSourceId } from '../../core/index.ts';
import { isClosedFolder, isFolder, listFolder } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { isWrongFile } from '../../lib/regular-file.ts';
import { readDatabase, UnreadableDatabase } from '../../lib/sqlite.ts';
import type { Located, LocatedSession, LocatedSource, SessionOrigin } from '../index.ts';
import {
  assertOpenable,
  findOriginIn,
  findUnknown,
  listSessions,
  readSchema,
  readSecondSchema,
  type SessionPosition,
} from './database/schema.ts';
import { listSecondSessions } from './database/second.ts';
import { sessionsInFile } from './files.ts';
import { isDatabaseName, isExportsName, isOwnDatabaseName } from './host.ts';
import { factsOfProcesses } from './processes.ts';
import { agentIdOf, createRootOf, sessionIdOf } from './record.ts';
import { isAddress, UnreachableServer } from './server/http.ts';
import { liveFacts } from './server/live.ts';
import { listServed } from './server/request.ts';
import { listStored, REFUSED, storagesIn, unknownStepOf as unknownStepOfStorage } from './storage.ts';

export type Role = 'database' | 'storage' | 'export' | 'stream' | 'events' | 'server';

/** Sessions in one source. */
interface FoundSource {
  readonly role: Role;
  readonly file: string;
  readonly sessions: readonly SessionPosition[];
  /** Written by OpenCode 2. */
  readonly isSecond?: boolean;
}

const SHAPES: Readonly<Record<Role, Pick<LocatedSource, 'shape' | 'verified'>>> = {
  database: { shape: 'table', verified: true },
  storage: { shape: 'table', verified: true },
  server: { shape: 'table', verified: true },
  export: { shape: 'document' },
  stream: { shape: 'lines' },
  events: { shape: 'lines' },
};

/** `root`: a data folder, a single file, or the address of a server. */
export async function locate(root: string): Promise<Located> {
  const located = await locateSessions(root);
  const factsOf = await readFacts(root);
  return { ...located, sessions: located.sessions.map((session) => ({ ...session, facts: factsOf(session) })) };
}

export async function readFacts(root: string): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  if (isAddress(root)) return () => [];
  const ofProcesses = await factsOfProcesses((await filesAt(root)).filter(isDatabaseName));
  const live = await liveFacts(root);
  return (session) => [...ofProcesses(session), ...live(session)];
}

/** Without facts. */
export async function locateSessions(root: string): Promise<Located> {
  const problems: string[] = [];
  const sources = isAddress(root) ? await locateOnServer(root, problems) : await findSources(root, problems);
  return { sessions: toSessions(root, sources), ignoredFiles: [], problems };
}

async function locateOnServer(root: string, problems: string[]): Promise<readonly FoundSource[]> {
  try {
    const sessions = (await listServed(root)).map((info) => ({ ...info, modifiedAt: info.updatedAt ?? 0 }));
    return [{ role: 'server', file: root, sessions }];
  } catch (error) {
    if (!(error instanceof UnreachableServer)) throw error;
    problems.push(`${error.message}.`);
    return [];
  }
}

async function findSources(root: string, problems: string[]): Promise<readonly FoundSource[]> {
  const sources: FoundSource[] = [];
  for (const file of await filesAt(root)) {
    if (isDatabaseName(file)) sources.push(...(await locateInDatabase(file, problems)));
    else {
      const found = await sessionsInFile(file).catch((error: unknown) => {
        if (!isWrongFile(error)) throw error;
        problems.push(`${error.message}.`);
      });
      if (found) sources.push({ role: found.kind, file, sessions: found.sessions, isSecond: found.isSecond });
    }
  }
  for (const file of await misnamedIn(root)) await locateInDatabase(file, problems);
  if ((await isFolder(root)) && (await isClosedFolder(root))) problems.push(`${root}: ${REFUSED}.`);
  for (const storage of await storagesIn(root)) sources.push(...(await locateInStorage(storage, problems)));
  return sources;
}

/** A fork of OpenCode 1 does not say which session it is a copy of. */
export async function findOrigin({ id, sources }: LocatedSession): Promise<SessionOrigin | undefined> {
  const source = sources.find(({ role }) => role === 'database');
  const found =
    source &&
    (await readDatabase(source.path, (database) =>
      readSecondSchema(database, source.path) ? undefined : findOriginIn(database, nativeId(id)),
    ));
  return found === undefined ? undefined : { id: sessionIdOf(found), replies: new Set() };
}

async function locateInStorage(storage: string, problems: string[]): Promise<readonly FoundSource[]> {
  const stored = await listStored(storage, problems);
  const step = await unknownStepOfStorage(storage);
  if (step !== undefined) problems.push(newer(storage, step));
  const sessions = stored.map(({ info, modifiedAt, isEmpty }) => ({
    ...info,
    modifiedAt,
    ...(isEmpty && { isEmpty: true as const }),
  }));
  return [{ role: 'storage', file: storage, sessions }];
}

const HAS_SESSIONS = /\.(?:db|json|jsonl)$/;

/** Exports are beside the database, or in a folder of that name; deeper files belong to the program. */
async function filesAt(root: string): Promise<readonly string[]> {
  const entries = await listFolder(root);
  // The root may be a file itself.
  if (entries.length === 0) return HAS_SESSIONS.test(root) ? [root] : [];
  const exports = entries.filter(({ kind, name }) => kind === 'folder' && isExportsName(name));
  const files: string[] = [];
  for (const folder of [root, ...exports.map(({ name }) => path.join(root, name))])
    for (const { kind, name } of await listFolder(folder))
      if (kind === 'file' && HAS_SESSIONS.test(name)) files.push(path.join(folder, name));
  return files;
}

/** Databases of other programs are skipped; an unreadable one with a name of OpenCode's is a problem. */
async function locateInDatabase(file: string, problems: string[]): Promise<readonly FoundSource[]> {
  try {
    await assertOpenable(file);
    const { sessions, unknown, isSecond } = await readDatabase(file, (database) => {
      const second = readSecondSchema(database, file);
      if (!second) readSchema(database, file);
      const sessions = second ? listSecondSessions(database, second) : listSessions(database);
      return { sessions, unknown: findUnknown(database), isSecond: second !== undefined };
    });
    if (unknown.length > 0) problems.push(newer(file, unknown.join(', ')));
    return [{ role: 'database', file, sessions, isSecond }];
  } catch (error) {
    if (!(error instanceof UnreadableDatabase)) throw error;
    if (isOwnDatabaseName(path.basename(file))) problems.push(`${error.message}.`);
    return [];
  }
}

/** Folders and dangling links with the name of the program's own database. */
async function misnamedIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const files = new Set(await filesAt(root));
  return entries
    .map(({ name }) => path.join(root, name))
    .filter((place) => isOwnDatabaseName(path.basename(place)) && !files.has(place));
}

function newer(place: string, step: string): string {
  return `${place}: its schema (${step}) is newer than troupe knows. What is new in it is not shown.`;
}

/** A session without a parent is a session; its descendants are its agents. */
function toSessions(root: string, sources: readonly FoundSource[]): readonly LocatedSession[] {
  const parents = new Map<string, string>();
  for (const { id, parent } of sources.flatMap(({ sessions }) => sessions))
    if (parent !== undefined) parents.set(id, parent);
  const rootOf = createRootOf((id) => parents.get(id));
  const found = withoutFrozen(sources).flatMap((source) =>
    [...groupBy(source.sessions, ({ id }) => rootOf(id))].map(([id, sessions]) => ({
      id,
      source: toSource(root, source, id, sessions),
      at: sessions.reduce((latest, { modifiedAt }) => Math.max(latest, modifiedAt), 0),
      // One with agents had a conversation.
      isEmpty: sessions.length === 1 && sessions.every((session) => session.isEmpty),
    })),
  );
  return [...groupBy(found, ({ id }) => id)].map(([id, parts]) => ({
    id: sessionIdOf(id),
    root,
    sources: parts.map(({ source }) => source),
    facts: [],
    modifiedAt: Math.max(...parts.map(({ at }) => at)),
    ...(parts.every(({ isEmpty }) => isEmpty) && { isEmpty: true as const }),
  }));
}

/** The first start of OpenCode 2 copies every older session, under other ids of calls: what OpenCode 1 left of these is not read. */
function withoutFrozen(sources: readonly FoundSource[]): readonly FoundSource[] {
  const copied = new Set(
    sources
      .filter(({ role, isSecond }) => role === 'database' && isSecond)
      .flatMap(({ sessions }) => sessions.map(({ id }) => id)),
  );
  if (copied.size === 0) return sources;
  return sources.map((source) =>
    source.isSecond || source.role === 'server'
      ? source
      : { ...source, sessions: source.sessions.filter(({ id }) => !copied.has(id)) },
  );
}

function toSource(
  root: string,
  { role, file }: FoundSource,
  id: string,
  sessions: readonly SessionPosition[],
): LocatedSource {
  const agents = sessions.filter((one) => one.id !== id).map((one) => agentIdOf(one.id));
  const below = path.relative(root, file).split(path.sep).join('/') || path.basename(file);
  const source = toSourceId(isAddress(root) ? 'server' : below);
  return { id: source, path: file, role, ...SHAPES[role], ...(agents.length > 0 && { agents }) };
}
