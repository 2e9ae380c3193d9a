// What is below a data folder of Codex: one rollout per thread, in the folder of the day on which the thread began.

import path from 'node:path';
import { toSessionId, toSourceId } from '../../core/index.ts';
import { isFileEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { known } from '../../lib/json.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import { type FactsOf, readNames, readProcesses } from './companions.ts';
import { LOCKS_FOLDER, mayHoldRollouts, NAMES_FILE, rolloutFiles, streamsIn, threadOfFile } from './data-folder.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { readThreadHead, type ThreadHead, threadInName } from './thread-head.ts';

export type Role = 'rollout' | 'stream';

export async function locate(root: string): Promise<Located> {
  const files = await rolloutFiles(root);
  const rollouts = files.filter(isRollout);
  const parts = await partsOf(root, rollouts, finderIn(rollouts));
  const streams = await streamParts(root);
  const problems: string[] = [];
  const factsOf = await readCompanions(root, problems);
  const sessions = [...parts, ...streams].map((session) => ({ ...session, facts: factsOf(session) }));
  return { sessions, ignoredFiles: files.filter((file) => !isRollout(file)), problems };
}

/** What lies beside the sessions and tells about them: their names, and the processes that work on them. */
async function readCompanions(root: string, problems: string[] = []): Promise<FactsOf> {
  const [namesOf, processesOf] = [await readNames(root, problems), await readProcesses(root)];
  return (session) => [...namesOf(session), ...processesOf(session)];
}

const locateParts: FollowCapability['locateParts'] = async (root, folder, ids) => {
  const inFolder = (await listFolder(folder)).filter(isFileEntry);
  const rollouts = inFolder.map(({ name }) => path.join(folder, name)).filter(isRollout);
  const found = await partsOf(root, rollouts, finderBelow(root));
  const streams = folder === root ? await streamParts(root) : [];
  return ids.map((id) => {
    const nothing: LocatedSession = { id, root, folder, sources: [], facts: [], modifiedAt: 0 };
    return [...found, ...streams].find((session) => session.id === id) ?? nothing;
  });
};

/** The session that a file belongs to, as far as it can be told now. */
async function sessionOfFile(root: string, file: string): Promise<string | undefined> {
  if (isRollout(file)) {
    const head = await readThreadHead(file);
    return head && sessionOf(head, finderBelow(root));
  }
  return path.dirname(file) === root && file.endsWith('.jsonl') ? threadOfFile(file) : undefined;
}

function isRollout(file: string): boolean {
  return threadInName(file) !== undefined;
}

type FindThread = (id: string) => Promise<ThreadHead | undefined>;

/** The thread at the top. Versions up to 0.13x name only the thread above, so it is climbed from one to the next. */
async function sessionOf(head: ThreadHead, find: FindThread): Promise<string> {
  const seen = new Set<string>();
  for (let at = head; at.isSubAgent; ) {
    if (at.root !== undefined && at.root !== at.id) return at.root;
    if (at.parent === undefined || seen.has(at.parent)) return at.id;
    seen.add(at.parent);
    const parent = await find(at.parent);
    // Its file is gone: whatever it was part of, this is the topmost that anybody knows of.
    if (!parent) return at.parent;
    if (!parent.isSubAgent) return parent.id;
    at = parent;
  }
  return head.id;
}

function finderIn(rollouts: readonly string[]): FindThread {
  const files = new Map(rollouts.map((file) => [threadInName(file), file]));
  return async (id) => {
    const file = files.get(id);
    return file === undefined ? undefined : readThreadHead(file);
  };
}

/** Looks for files only where a thread has to be climbed. */
function finderBelow(root: string): FindThread {
  let find: Promise<FindThread> | undefined;
  return async (id) => {
    find ??= rolloutFiles(root).then(finderIn);
    return (await find)(id);
  };
}

/** Files that are looked into at the same time. */
const SIDE_BY_SIDE = 16;

async function partsOf(
  root: string,
  rollouts: readonly string[],
  find: FindThread,
): Promise<readonly LocatedSession[]> {
  const threads: Thread[] = [];
  const queue = rollouts.values();
  const lookOn = async (): Promise<void> => {
    for (const file of queue) {
      const head = await readThreadHead(file);
      if (head) threads.push({ file, head, session: await sessionOf(head, find), modifiedAt: await modifiedAt(file) });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lookOn));
  const parts = groupBy(threads.sort(bySource), ({ session, file }) => `${session} ${path.dirname(file)}`);
  return [...parts.values()].flatMap((part) => toPart(root, part) ?? []);
}

interface Thread {
  readonly file: string;
  readonly head: ThreadHead;
  readonly session: string;
  readonly modifiedAt: number;
}

/** The session's own thread first, then in the order in which they began: names begin with the time. */
function bySource(a: Thread, b: Thread): number {
  const isMain = ({ head, session }: Thread): boolean => head.id === session;
  if (isMain(a) !== isMain(b)) return isMain(a) ? -1 : 1;
  return a.file < b.file ? -1 : 1;
}

function toPart(root: string, threads: readonly Thread[]): LocatedSession | undefined {
  const [first] = threads;
  if (!first) return undefined;
  return {
    id: toSessionId(HOST, first.session),
    root,
    folder: path.dirname(first.file),
    sources: threads.map(({ file, head }) =>
      toSource(root, file, 'rollout', head.id === first.session ? undefined : head.id),
    ),
    facts: [],
    modifiedAt: Math.max(...threads.map((thread) => thread.modifiedAt)),
  };
}

/** What `codex exec --json` printed, kept by somebody: of use where the thread left no rollout. */
async function streamParts(root: string): Promise<readonly LocatedSession[]> {
  const streams = await streamsIn(root);
  return Promise.all(
    [...groupBy(streams, ({ thread }) => thread)].map(async ([thread, found]) => ({
      id: toSessionId(HOST, thread),
      root,
      folder: root,
      // Of two prints of one thread, the later one is that of a run that took it up again.
      sources: found.map(({ file }) => toSource(root, file, 'stream')),
      facts: [],
      modifiedAt: Math.max(...(await Promise.all(found.map(({ file }) => modifiedAt(file))))),
    })),
  );
}

function toSource(root: string, file: string, role: Role, thread?: string): LocatedSource {
  const agent = thread === undefined ? undefined : agentIdOf(thread);
  const id = toSourceId(path.relative(root, file).split(path.sep).join('/'));
  const standIn = role === 'stream' ? true : undefined;
  return { id, path: file, shape: 'lines', role, ...known({ agent, standIn }) };
}

export const follow: FollowCapability = {
  // Folders of days come at midnight: a rule, not a list.
  watched: async (root) => (folder) => folder === path.join(root, LOCKS_FOLDER) || mayHoldRollouts(root, folder),
  async subjectOf(root, place) {
    const folder = path.dirname(place);
    const locks = path.join(root, LOCKS_FOLDER);
    if (folder === locks || place === locks || (folder === root && path.basename(place) === NAMES_FILE))
      return { kind: 'facts' };
    const session = await sessionOfFile(root, place);
    return session === undefined
      ? { kind: 'nothing' }
      : { kind: 'part', part: { id: toSessionId(HOST, session), folder } };
  },
  locateParts,
  readFacts: readCompanions,
};
