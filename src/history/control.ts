// `troupe index`: what is kept of sessions, and how to be rid of it.

import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { IndexReport, ListOptions } from '../core/index.ts';
import { orElse } from '../lib/failures.ts';
import { createFile } from '../lib/regular-file.ts';
import { inStateFolder } from '../lib/state-folder.ts';
import { createSessions, dataFoldersFor, findSessions, Neighbourhood, type SessionScope } from '../sessions/index.ts';
import { type HistoryOptions, historyFile, isSwitchedOff, offFile, openHistory, removeHistory } from './history.ts';

export interface HistoryControl {
  status(where: SessionScope): Promise<IndexReport>;
  /** Reads every session that is not in it. */
  build(where: SessionScope, onProgress: ListOptions['onProgress']): Promise<IndexReport>;
  /** Deletes the index, and reads every session again. */
  rebuild(where: SessionScope, onProgress: ListOptions['onProgress']): Promise<IndexReport>;
  /** Deletes the index, and keeps nothing until `on`. */
  off(where: SessionScope): Promise<IndexReport>;
  on(where: SessionScope): Promise<IndexReport>;
}

export function createHistoryControl(options: Omit<HistoryOptions, 'onProblem'>): HistoryControl {
  const { folder, clock } = options;
  const file = historyFile(folder);

  const status = async (where: SessionScope): Promise<IndexReport> => {
    let problem: string | undefined;
    const history = await openHistory({ ...options, onProblem: (text) => (problem = text) });
    const { sessions } = await findSessions(dataFoldersFor(where));
    const around = new Neighbourhood(sessions);
    const indexed = sessions.filter((session) => history?.find(session, around)).length;
    history?.close();
    return {
      file,
      state: isSwitchedOff(folder) ? 'off' : history ? 'on' : 'unusable',
      problem: problem ?? null,
      bytes: sizeOf(file),
      indexedSessions: indexed,
      sessions: sessions.length,
    };
  };

  const build: HistoryControl['build'] = async (where, onProgress) => {
    const history = await openHistory(options);
    const sessions = createSessions(dataFoldersFor(where), {
      clock,
      named: where.roots.length > 0,
      openCache: async () => history,
    });
    await sessions.list({ limit: Number.MAX_SAFE_INTEGER, withEmpty: true, ...(onProgress && { onProgress }) });
    history?.close();
    return status(where);
  };

  return {
    status,
    build,
    async rebuild(where, onProgress) {
      await inStateFolder(folder, async () => removeHistory(file));
      return build(where, onProgress);
    },
    async off(where) {
      await inStateFolder(folder, async () => {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        if (!isSwitchedOff(folder)) await createFile(offFile(folder), 'Written by: troupe index off\n');
        removeHistory(file);
      });
      return status(where);
    },
    async on(where) {
      await inStateFolder(folder, () => rm(offFile(folder), { force: true }));
      return status(where);
    },
  };
}

/** With its log. */
function sizeOf(file: string): number {
  return ['', '-wal'].reduce((sum, end) => sum + orElse(() => statSync(file + end).size, 0), 0);
}
