// Which sessions lie in a data folder, and through which doors: one session is one, however many doors it came through.

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, type AgentId, type SourceId, toSourceId } from '../../core/index.ts';
import { isClosedFolder, listFolder } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { isWrongFile } from '../../lib/regular-file.ts';
import { readDatabase, UnreadableDatabase } from '../../lib/sqlite.ts';
import type { Located, LocatedSession, LocatedSource } from '../index.ts';
import { isDatabaseName, isOwnDatabaseName } from './data-folder.ts';
import { assertOpenable, listSessions, readSchema, type SessionPlace, unknownStepOf } from './database/schema.ts';
import { sessionsInFile } from './files.ts';
import { factsOfProcesses } from './processes.ts';
import { agentIdOf, sessionIdOf } from './record.ts';
import { isAddress, listServed, UnreachableServer } from './server/request.ts';
import { listStored, REFUSED, storagesIn, unknownStepOf as unknownStepOfStorage } from './storage.ts';

export type Role = 'database' | 'storage' | 'export' | 'stream' | 'events' | 'server';

/** Sessions behind one door. */
interface DoorFound {
  readonly role: Role;
  readonly file: string;
  readonly sessions: readonly SessionPlace[];
}

const SHAPES: Readonly<Record<Role, Pick<LocatedSource, 'shape' | 'verified'>>> = {
  database: { shape: 'table', verified: true },
  storage: { shape: 'table', verified: true },
  server: { shape: 'table', verified: true },
  export: { shape: 'document' },
  stream: { shape: 'lines' },
  events: { shape: 'lines' },
};

/** A folder with data, or a single file that somebody kept. */
export async function locate(root: string): Promise<Located> {
  const { sessions, problems } = await locateSessions(root);
  const factsOf = await readFacts(root);
  return { sessions: sessions.map((session) => ({ ...session, facts: factsOf(session) })), ignoredFiles: [], problems };
}

/** Which of its databases nobody has open. */
export async function readFacts(root: string): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  return isAddress(root) ? () => [] : factsOfProcesses((await filesAt(root)).filter(isDatabaseName));
}

/** Without what is told beside them. */
export async function locateSessions(
  root: string,
): Promise<{ readonly sessions: readonly LocatedSession[]; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const doors = isAddress(root) ? await askServer(root, problems) : await findDoors(root, problems);
  return { sessions: toSessions(root, doors), problems };
}

async function askServer(root: string, problems: string[]): Promise<readonly DoorFound[]> {
  try {
    const sessions = (await listServed(root)).map(({ info: { id, parent, updatedAt = 0 } }) => ({
      id,
      modifiedAt: updatedAt,
      ...(parent !== undefined && { parent }),
    }));
    return [{ role: 'server', file: root, sessions }];
  } catch (error) {
    if (!(error instanceof UnreachableServer)) throw error;
    problems.push(`${error.message}.`);
    return [];
  }
}

async function findDoors(root: string, problems: string[]): Promise<readonly DoorFound[]> {
  const doors: DoorFound[] = [];
  for (const file of await filesAt(root)) {
    if (isDatabaseName(file)) doors.push(...(await lookIntoDatabase(file, problems)));
    else {
      const found = await sessionsInFile(file).catch((error: unknown) => {
        if (!isWrongFile(error)) throw error;
        problems.push(`${error.message}.`);
      });
      if (found) doors.push({ role: found.kind, file, sessions: found.sessions });
    }
  }
  for (const file of await misnamedIn(root)) await lookIntoDatabase(file, problems);
  if (await isClosedFolder(root)) problems.push(`${root}: ${REFUSED}.`);
  for (const storage of await storagesIn(root)) doors.push(...(await lookIntoStorage(storage, problems)));
  return doors;
}

async function lookIntoStorage(storage: string, problems: string[]): Promise<readonly DoorFound[]> {
  const { sessions: stored, problems: found } = await listStored(storage);
  problems.push(...found);
  const step = await unknownStepOfStorage(storage);
  if (step !== undefined) problems.push(newer(storage, step));
  if (stored.length === 0) return [];
  const sessions = stored.map(({ info: { id, parent }, modifiedAt: at }) => ({
    id,
    modifiedAt: at,
    ...(parent !== undefined && { parent }),
  }));
  return [{ role: 'storage', file: storage, sessions }];
}

/** Exports lie beside the database, or in a folder of that name; what is deeper belongs to the program. */
async function filesAt(root: string): Promise<readonly string[]> {
  const entries = await listFolder(root);
  const inFolder = (folder: string, names: typeof entries): readonly string[] =>
    names
      .filter(({ kind, name }) => kind === 'file' && /\.(?:db|json|jsonl)$/.test(name))
      .map(({ name }) => path.join(folder, name));
  const exports = entries.filter(({ kind, name }) => kind === 'folder' && /^exports?$/.test(name));
  const files = [...inFolder(root, entries)];
  for (const { name } of exports)
    files.push(...inFolder(path.join(root, name), await listFolder(path.join(root, name))));
  // The root may be a file itself.
  return entries.length === 0 && /\.(?:db|json|jsonl)$/.test(root) ? [root] : files;
}

/** Another program's database is nobody's here; one that looks like OpenCode's and cannot be read is told. */
async function lookIntoDatabase(file: string, problems: string[]): Promise<readonly DoorFound[]> {
  try {
    await assertOpenable(file);
    const { sessions, unknown } = await readDatabase(file, (database) => {
      readSchema(database, file);
      return { sessions: listSessions(database), unknown: unknownStepOf(database) };
    });
    if (unknown !== undefined) problems.push(newer(file, unknown));
    return [{ role: 'database', file, sessions }];
  } catch (error) {
    if (!(error instanceof UnreadableDatabase)) throw error;
    if (isOwnDatabaseName(path.basename(file))) problems.push(`${error.message}.`);
    return [];
  }
}

/** What has the name of the program's own database, and is no file: a folder, a link to nothing. */
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

/** A session without a parent is a session; those below it are its agents, at any depth. */
function toSessions(root: string, doors: readonly DoorFound[]): readonly LocatedSession[] {
  const parents = new Map<string, string>();
  for (const { id, parent } of doors.flatMap(({ sessions }) => sessions))
    if (parent !== undefined) parents.set(id, parent);
  const rootOf = createRootOf(parents);
  const found = doors.flatMap((door) =>
    [...groupBy(door.sessions, ({ id }) => rootOf(id))].map(([id, sessions]) => ({
      id,
      source: toSource(root, door, id, sessions),
      at: newest(sessions),
    })),
  );
  return [...groupBy(found, ({ id }) => id)].map(([id, parts]) => ({
    id: sessionIdOf(id),
    root,
    sources: parts.map(({ source }) => source),
    facts: [],
    modifiedAt: Math.max(...parts.map(({ at }) => at)),
  }));
}

/** The topmost that is named, whether it is there or not: what a lost parent leaves behind stays together. */
function createRootOf(parents: ReadonlyMap<string, string>): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const path = new Set<string>();
    let top = id;
    // Whoever stands in a circle has the same top as the others in it: the one that was reached last, at the first walk.
    for (let up = parents.get(top); up !== undefined && !path.has(up) && !known.has(top); up = parents.get(top)) {
      path.add(top);
      top = up;
    }
    const found = known.get(top) ?? top;
    for (const below of path.add(top)) known.set(below, found);
    return found;
  };
}

function toSource(
  root: string,
  { role, file }: DoorFound,
  id: string,
  sessions: readonly SessionPlace[],
): LocatedSource {
  const agents: AgentId[] = sessions.filter((one) => one.id !== id).map((one) => agentIdOf(one.id));
  return { id: sourceIdOf(root, file), path: file, role, ...SHAPES[role], ...(agents.length > 0 && { agents }) };
}

/** Below its root, with forward slashes. */
function sourceIdOf(root: string, file: string): SourceId {
  if (isAddress(root)) return toSourceId('server');
  const below = path.relative(root, file).split(path.sep).join('/');
  return toSourceId(below === '' ? path.basename(file) : below);
}

function newest(sessions: readonly SessionPlace[]): number {
  return sessions.reduce((latest, one) => Math.max(latest, one.modifiedAt), 0);
}
