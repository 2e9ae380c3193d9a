// What a change below a data folder of OpenCode is about. A database says itself which sessions have news.

import path from 'node:path';
import type { SessionId } from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import type { FollowCapability, LocatedSession, Subject } from '../index.ts';
import { databaseOf, OLD_PROJECTS, STORAGE } from './data-folder.ts';
import { changedSessions } from './database/changed-sessions.ts';
import { locateSessions, readFacts } from './locate.ts';
import { sessionIdOf } from './record.ts';
import { listen } from './server/event-log.ts';
import { isAddress } from './server/request.ts';
import { listStored, sessionOfPart } from './storage/storage-files.ts';

const NOTHING: Subject = { kind: 'nothing' };
const EVERYTHING: Subject = { kind: 'everything' };
/** Below `storage/`. */
const STORED = new Set(['session', 'message', 'part']);

export const follow: FollowCapability = {
  async watched(root) {
    return (folder) => {
      const [first = '', second, third] = partsBelow(root, folder);
      if (first === '' || /^exports?$/.test(first)) return true;
      if (first === OLD_PROJECTS) return third === undefined || third === STORAGE;
      return first === STORAGE && (second === undefined || STORED.has(second));
    };
  },
  async subjectOf(root, place, notes) {
    if (isAddress(root)) return EVERYTHING;
    const [first = '', second, third, ...rest] = partsBelow(root, place);
    if (first === OLD_PROJECTS) return /\.json$/.test(place) ? EVERYTHING : NOTHING;
    if (first === STORAGE) return subjectOfStored(root, [second, third, ...rest], place);
    const database = databaseOf(path.basename(place));
    if (database !== undefined) return subjectOfDatabase(root, path.join(path.dirname(place), database), place, notes);
    return /\.jsonl?$/.test(place) ? EVERYTHING : NOTHING;
  },
  async locateParts(root, folder, ids) {
    const { sessions } = await locateSessions(root);
    const found = new Map(sessions.map((session) => [session.id, session]));
    return ids.map((id) => found.get(id) ?? nowhere(root, folder, id));
  },
  readFacts,
  listen: (root, onNews) => (isAddress(root) ? listen(root, onNews) : undefined),
};

async function subjectOfDatabase(
  root: string,
  file: string,
  place: string,
  notes: Map<string, unknown>,
): Promise<Subject> {
  // Its index lies in memory: what counts is told by the log.
  if (place.endsWith('-shm')) return { kind: 'shared', parts: [], source: file };
  const changed = await changedSessions(file, notes);
  if (!changed) return EVERYTHING;
  return { kind: 'shared', parts: changed.map((id) => ({ id: sessionIdOf(id), folder: root })), source: file };
}

async function subjectOfStored(root: string, below: readonly (string | undefined)[], place: string): Promise<Subject> {
  const [kind, name, file] = below;
  if (kind === undefined || kind === 'session') return EVERYTHING;
  if (!STORED.has(kind) || name === undefined) return NOTHING;
  const session = kind === 'message' ? name : file === undefined ? undefined : await sessionOfPart(place);
  const top = session === undefined ? undefined : await topOf(root, session);
  if (top === undefined) return (await isFolder(place)) ? NOTHING : EVERYTHING;
  return { kind: 'shared', parts: [{ id: sessionIdOf(top), folder: root }], source: path.join(root, STORAGE) };
}

async function topOf(root: string, session: string): Promise<string | undefined> {
  const parents = new Map(
    (await listStored(path.join(root, STORAGE))).sessions.map(({ info }) => [info.id, info.parent]),
  );
  if (!parents.has(session)) return undefined;
  const seen = new Set<string>();
  let top = session;
  for (let up = parents.get(top); up !== undefined && !seen.has(up); up = parents.get(top)) {
    seen.add(up);
    top = up;
  }
  return top;
}

function nowhere(root: string, _folder: string, id: SessionId): LocatedSession {
  return { id, root, sources: [], facts: [], modifiedAt: 0 };
}

function partsBelow(root: string, place: string): readonly string[] {
  const below = path.relative(root, place);
  return below === '' ? [] : below.split(path.sep);
}
