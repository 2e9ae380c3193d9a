// What a change below a data folder of Copilot is about.

import path from 'node:path';
import { nativeId, type SessionId, toSessionId } from '../../core/index.ts';
import { listFolder } from '../../lib/folders.ts';
import type { FollowCapability, LocatedSession } from '../index.ts';
import { EVENTS, mayBeSession, processInName, SESSIONS, WORKSPACE } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { sessionIn } from './locate.ts';
import { readProcesses } from './processes.ts';

const OF_SESSION = new Set([EVENTS, WORKSPACE]);

export const follow: FollowCapability = {
  // What lies deeper are copies of files, for going back.
  watched: async (root) => (folder) => folder === path.join(root, SESSIONS) || mayBeSession(root, folder),
  async subjectOf(root, place) {
    const folder = path.dirname(place);
    const isFolderOfLocks = mayBeSession(root, place) || place === path.join(root, SESSIONS);
    if (!mayBeSession(root, folder)) return { kind: 'nothing', mayHoldFacts: isFolderOfLocks };
    if (processInName(place) !== undefined) return { kind: 'facts' };
    if (!OF_SESSION.has(path.basename(place))) return { kind: 'nothing', mayHoldFacts: isFolderOfLocks };
    return { kind: 'part', part: { id: toSessionId(HOST, path.basename(folder)), folder } };
  },
  locateParts: (root, folder, ids) => Promise.all(ids.map((id) => partIn(root, folder, id))),
  readFacts: readProcesses,
};

async function partIn(root: string, folder: string, id: SessionId): Promise<LocatedSession> {
  const isOwn = path.basename(folder) === nativeId(id);
  return sessionIn(root, folder, isOwn ? await listFolder(folder) : []);
}
