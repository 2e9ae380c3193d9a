// `troupe index`: what is kept of sessions, and how to be rid of it.

import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { IndexReport, ListOptions } from '../core/index.ts';
import { createFile } from '../lib/regular-file.ts';
import { inStateFolder } from '../lib/state-folder.ts';
import { createSessions, dataFoldersFor, findSessions, Neighbourhood, type SessionScope } from '../sessions/index.ts';
import { type HistoryOptions, historyFile, isSwitchedOff, offFile, openHistory } from './history.ts';
import { databaseBytes, removeDatabase } from './own-database.ts';
import type { SearchControl } from './search.ts';
import { textFile } from './text-rows.ts';

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

/** `text`: the index of the text, which goes with this one. */
export function createHistoryControl(
  options: Omit<HistoryOptions, 'onProblem'>,
  text: Pick<SearchControl, 'status' | 'build' | 'forbid'>,
): HistoryControl {
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
      bytes: databaseBytes(file),
      indexedSessions: indexed,
      sessions: sessions.length,
      text: await text.status(where),
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
    await text.build(where, onProgress);
    return status(where);
  };

  return {
    status,
    build,
    async rebuild(where, onProgress) {
      await inStateFolder(folder, async () => {
        removeDatabase(file);
        removeDatabase(textFile(folder));
      });
      return build(where, onProgress);
    },
    async off(where) {
      await inStateFolder(folder, async () => {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        if (!isSwitchedOff(folder)) await createFile(offFile(folder), 'Written by: troupe index off\n');
        removeDatabase(file);
      });
      if ((await text.status(where)).state !== 'undecided') await text.forbid();
      return status(where);
    },
    async on(where) {
      await inStateFolder(folder, () => rm(offFile(folder), { force: true }));
      return status(where);
    },
  };
}
