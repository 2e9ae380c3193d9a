// `troupe index`: what is kept of sessions, and how to be rid of it.

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { IndexReport, ListOptions } from '../core/index.ts';
import { indexThreadFile } from '../lib/package.ts';
import { createFile } from '../lib/regular-file.ts';
import { inStateFolder } from '../lib/state-folder.ts';
import {
  createSessions,
  dataFoldersFor,
  findSessions,
  Neighbourhood,
  quietIn,
  type SessionHelper,
  type SessionScope,
} from '../sessions/index.ts';
import { type History, type HistoryOptions, historyFile, isSwitchedOff, offFile, openHistory } from './history.ts';
import { databaseBytes, removeDatabase } from './own-database.ts';
import { createPrune, type Prune } from './prune.ts';
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
  /** Deletes old sessions of hosts, and what the index has of them. */
  readonly prune: Prune;
}

/** What `index-thread.ts` is told. */
export interface ThreadOrder {
  readonly folder: string;
  readonly build: string;
  readonly where: SessionScope;
  /** Not zero: stop after the session at hand. */
  readonly stop: Int32Array;
}

/** Undefined if there is no second processor, or threads are forbidden: then it takes longer, that is all. */
export function startIndexThread(
  { folder, build }: Pick<HistoryOptions, 'folder' | 'build'>,
  where: SessionScope,
): SessionHelper | undefined {
  if (availableParallelism() < 2 || !existsSync(indexThreadFile)) return undefined;
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const order: ThreadOrder = { folder, build, where, stop };
  try {
    const thread = new Worker(indexThreadFile, { workerData: order });
    // What it did not read, this thread reads, and reports what is wrong with it.
    thread.on('error', () => {});
    thread.unref();
  } catch {
    return undefined;
  }
  return {
    stop() {
      Atomics.store(stop, 0, 1);
    },
  };
}

/** `text`: the index of the text, which goes with this one. */
export function createHistoryControl(
  options: Omit<HistoryOptions, 'onProblem'>,
  text: Pick<SearchControl, 'status' | 'build' | 'forbid' | 'removeGone'>,
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
    if (history) {
      await readMissing(history, where, onProgress);
      history.close();
    }
    await text.build(where, onProgress);
    return status(where);
  };

  const readMissing = async (history: History, where: SessionScope, onProgress: ListOptions['onProgress']) => {
    const places = dataFoldersFor(where);
    const sessions = createSessions(places, {
      clock,
      named: where.roots.length > 0,
      openCache: async () => history,
      startHelper: () => startIndexThread(options, where),
    });
    const readAll = () =>
      sessions.list({ limit: Number.MAX_SAFE_INTEGER, withEmpty: true, ...(onProgress && { onProgress }) });
    await readAll();
    let found = (await findSessions(places)).sessions;
    const around = new Neighbourhood(found);
    const missing = found.filter((session) => !history.find(session, around));
    const wait = Math.max(0, ...missing.map((session) => quietIn(session, clock())));
    if (wait > 0) {
      // Once only: a session that is written to all the time never is quiet.
      await setTimeout(wait + 1);
      await readAll();
      found = (await findSessions(places)).sessions;
    }
    history.removeGone(found, new Set(places.map(({ root }) => root)));
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
        if (!existsSync(offFile(folder))) await createFile(offFile(folder), 'Written by: troupe index off\n');
        removeDatabase(file);
      });
      if ((await text.status(where)).state !== 'undecided') await text.forbid();
      return status(where);
    },
    async prune(request, ...rest) {
      const history = await openHistory(options);
      const report = await createPrune({ clock, openCache: async () => history })(request, ...rest);
      if (report.isDeleted) {
        const places = dataFoldersFor(request.where);
        history?.removeGone((await findSessions(places)).sessions, new Set(places.map(({ root }) => root)));
        await text.removeGone(request.where);
      }
      history?.close();
      return report;
    },
    async on(where) {
      await inStateFolder(folder, () => rm(offFile(folder), { force: true }));
      return status(where);
    },
  };
}
