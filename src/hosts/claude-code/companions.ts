// What is beside the projects and tells about sessions. `sessions/<pid>.json`: one record for each running process, removed at a
// clean exit, left behind by a kill.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentEvent,
  type EventOf,
  nativeId,
  type ProcessSeen,
  type ProcessState,
  type RunEnded,
  type SessionId,
  toSessionId,
  toSourceId,
} from '../../core/index.ts';
import { listFolder, readBeside } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { asAmount, asInstant, asObject, asText, isObject, known, parseObject } from '../../lib/json.ts';
import { findInContainer, isOfOtherDomain, isProcessAlive, seesAllProcesses } from '../../lib/processes.ts';
import { readPart } from '../../lib/read-lines.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { LocatedSession, LocatedSource } from '../index.ts';
import { findOpened, readClears } from './clears.ts';
import { besideProjects, INDEX_FILE, projectFolders } from './data-folder.ts';
import { branchOriginIn } from './find-origin.ts';
import { idleNoticeIn } from './host-text.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { parseWhole, type RawRecord } from './record.ts';

const HISTORY = { source: toSourceId('history.jsonl'), offset: 0, length: 0 };

/** The processes of sessions, the letters of their teams, their titles, and which of them `/clear` left. */
export async function readCompanions(
  root: string,
  problems: string[] = [],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const processes = await readProcesses(root, problems);
  const teams = await readTeams(await besideProjects(root, 'teams'), problems);
  const titles = await readTitles(root, problems);
  // Oldest first: the last one counts.
  const emptied = new Map((await readClears(root)).map(({ session, at }) => [session, at]));
  const alive = [...processes.values()].flat().filter((seen) => seen.alive && !seen.movedTo);
  return ({ id, sources, modifiedAt }) => [
    ...(processes.get(id) ?? processesOfBranch(id, sources, modifiedAt, alive)),
    ...factsOf(teams, id, sources),
    ...(titles.get(id) ?? []),
    ...(emptied.has(id)
      ? [{ kind: 'session-emptied' as const, session: id, origin: HISTORY, ...known({ at: emptied.get(id) }) }]
      : []),
  ];
}

/**
 * `status` is written from 2.1.161 on in a terminal, from 2.1.286 on everywhere. `shell` is idle, with a command in the
 * background (2.1.325).
 */
const STATES: ReadonlyMap<string, ProcessState> = new Map([
  ['busy', 'busy'],
  ['shell', 'idle'],
  ['idle', 'idle'],
  ['waiting', 'waiting'],
]);

async function readProcesses(
  root: string,
  problems: string[],
): Promise<ReadonlyMap<SessionId, readonly ProcessSeen[]>> {
  const running: RunningProcess[] = [];
  const folder = await besideProjects(root, 'sessions');
  for (const entry of await listFolder(folder)) {
    if (!entry.name.endsWith('.json')) continue;
    // The record may vanish between the look into the folder and the reading: its process just ended.
    const text = (await readBeside(path.join(folder, entry.name), problems))?.toString('utf8');
    const found = text === undefined ? undefined : await toProcess(text, entry.name);
    if (found) running.push(await followClears(root, found));
  }
  const left = await readLeftSessions(root, running);
  const moved = new Set(left.map(({ pid }) => pid));
  const here = running.map(({ seen }) => (moved.has(seen.pid) ? { ...seen, hasMoved: true as const } : seen));
  return groupBy([...here, ...left], ({ session }) => session);
}

interface RunningProcess {
  readonly seen: ProcessSeen;
  /** It and nobody else: a number may be given again. */
  readonly key: string;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
}

const YOUNG_MS = 24 * 60 * 60_000;

async function toProcess(text: string, name: string): Promise<RunningProcess | undefined> {
  // The record is written anew in place: half a record is no record yet.
  const record = parseObject(text) ?? {};
  const [native, pid] = [asText(record['sessionId']), asAmount(record['pid'])];
  if (native === undefined || pid === undefined) return undefined;
  const startedAt = asAmount(record['startedAt']);
  const domain = asText(record['pidDomain']);
  const isElsewhere = isOfOtherDomain(domain);
  const identity = { pid, ...known({ startedAt, procStart: asText(record['procStart']) }) };
  const isHere = !isElsewhere && (await isProcessAlive(identity));
  const outer = isHere ? undefined : findInContainer(identity, domain);
  const alive = isHere || outer !== undefined;
  // Records have no domain up to 2.1.197: read in a container, a young one may be of a process outside it.
  const isYoung = startedAt !== undefined && Date.now() - startedAt < YOUNG_MS;
  const mayBeElsewhere = isElsewhere || (domain === undefined && isYoung && !seesAllProcesses());
  const seen: ProcessSeen = {
    kind: 'process-seen',
    session: toSessionId(HOST, native),
    origin: { source: toSourceId(`sessions/${name}`), offset: 0, length: text.length },
    pid: outer ?? pid,
    alive,
    ...known({
      startedAt,
      isOutOfSight: (mayBeElsewhere && !alive) || undefined,
      state: STATES.get(asText(record['status']) ?? ''),
      stateAt: asAmount(record['statusUpdatedAt'] ?? record['updatedAt']),
      waitingFor: asText(record['waitingFor']),
    }),
  };
  return { seen, key: JSON.stringify(identity), cwd: asText(record['cwd']), version: asText(record['version']) };
}

// `/clear` moves a process to a new session; agents that it had set to work in the one before go on.

/** Which sessions each process was seen in. */
const sessionsOf = new Map<string, Set<SessionId>>();

async function readLeftSessions(root: string, running: readonly RunningProcess[]): Promise<readonly ProcessSeen[]> {
  const alive = running.filter(({ seen }) => seen.alive);
  if (alive.length === 0) return [];
  const moved = new Map<string, ProcessSeen>();
  const note = ({ seen }: RunningProcess, session: SessionId): void => {
    if (session !== seen.session) moved.set(`${seen.pid} ${session}`, { ...seen, session, movedTo: seen.session });
  };
  for (const process of alive) {
    const sessions = sessionsOf.get(process.key) ?? new Set();
    sessionsOf.set(process.key, sessions.add(process.seen.session));
    for (const session of sessions) note(process, session);
  }
  for (const { session, project, at } of await readClears(root)) {
    const [only, ...others] = alive.filter(({ seen, cwd }) => cwd === project && (seen.startedAt ?? at) <= at);
    // Two programs in one folder: nobody wrote down which of them it was.
    if (only && others.length === 0) note(only, session);
  }
  return [...moved.values()];
}

/** How late the record may be (2.1.161). */
const LATE_MS = 2_000;

/**
 * `/branch` moves the process to the copy, and its record says so a little later: until it does, or is written again without saying so,
 * the process of the original is that of the copy.
 */
function processesOfBranch(
  session: SessionId,
  sources: readonly LocatedSource[],
  modifiedAt: number,
  alive: readonly ProcessSeen[],
): readonly ProcessSeen[] {
  const mayBeLate = ({ stateAt, startedAt }: ProcessSeen, at: number): boolean =>
    (stateAt ?? startedAt ?? Number.POSITIVE_INFINITY) < at + LATE_MS;
  const main = sources.find(({ role }) => role === 'session');
  if (!main || !alive.some((seen) => mayBeLate(seen, modifiedAt))) return [];
  const original = originalOf(main.path);
  const ofOriginal = alive.filter((seen) => original !== undefined && nativeId(seen.session) === original);
  const born = statSync(main.path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  return ofOriginal.filter((seen) => mayBeLate(seen, born)).map((seen) => ({ ...seen, session, hasMoved: true }));
}

/** By file, the session that a branch is a copy of: its first line never changes. */
const originals = new Map<string, string | undefined>();
const FIRST_LINE_BYTES = 64 * 1024;

function originalOf(file: string): string | undefined {
  if (originals.has(file)) return originals.get(file);
  const head = readPart(file, 'head', FIRST_LINE_BYTES) ?? '';
  const original = branchOriginIn(head);
  if (head.includes('\n') || head.length >= FIRST_LINE_BYTES) originals.set(file, original);
  return original;
}

/** The first version that was seen to name the session in which the process is now, also after `/resume` of the one before. */
const NAMES_CURRENT_SINCE = '2.1.161';

/** Up to 2.1.92 the record names the session in which the process began: `/clear` has moved it on since. */
async function followClears(root: string, process: RunningProcess): Promise<RunningProcess> {
  if (isAtLeast(process.version, NAMES_CURRENT_SINCE)) return process;
  let { session } = process.seen;
  const { alive, startedAt = 0 } = process.seen;
  for (const clear of alive ? await readClears(root) : []) {
    if (clear.session !== session || clear.at < startedAt) continue;
    session = (await findOpened(root, clear)) ?? session;
  }
  return { ...process, seen: { ...process.seen, session } };
}

// `projects/<project>/sessions-index.json`: what the program calls its sessions in its own list (2.1.x).

type Titles = ReadonlyMap<SessionId, readonly EventOf<'session-titled'>[]>;

/** By file, as it was when it was last read: it may name thousands of sessions, and rarely changes. */
const readIndexes = new Map<string, { readonly state: string; readonly titles: Titles }>();

async function readTitles(root: string, problems: string[]): Promise<Titles> {
  const all = new Map<SessionId, readonly EventOf<'session-titled'>[]>();
  for (const folder of await projectFolders(root))
    for (const [id, titles] of await readIndex(root, path.join(folder, INDEX_FILE), problems)) all.set(id, titles);
  return all;
}

async function readIndex(root: string, file: string, problems: string[]): Promise<Titles> {
  const { ino, size, mtimeMs } = (await stat(file).catch(() => undefined)) ?? {};
  if (size === undefined) return new Map();
  const state = `${ino} ${size} ${mtimeMs}`;
  const known = readIndexes.get(file);
  if (known?.state === state) return known.titles;
  const source = toSourceId(path.relative(root, file).split(path.sep).join('/'));
  const origin = { source, offset: 0, length: 0 };
  // Written anew in place: half a document is read at the next look.
  const entries = asObject(parseWhole((await readBeside(file, problems)) ?? new Uint8Array()))?.['entries'];
  const titles = new Map<SessionId, readonly EventOf<'session-titled'>[]>();
  for (const entry of Array.isArray(entries) ? entries.filter(isObject) : []) {
    const [native, title] = [asText(entry['sessionId']), asText(entry['customTitle']) ?? asText(entry['summary'])];
    if (native === undefined || title === undefined) continue;
    const session = toSessionId(HOST, native);
    titles.set(session, [{ kind: 'session-titled', session, origin, title, titleKind: 'generated' }]);
  }
  readIndexes.set(file, { state, titles });
  return titles;
}

// `teams/<team>/`: who is in a team, and the letters its members have not read yet. Gone when the lead's session ends.

interface Team {
  readonly lead: SessionId;
  readonly name: string;
  /** Letters to the lead in which a member says that it is idle: its turn is over. */
  readonly idle: readonly (Pick<RunEnded, 'at' | 'outcome' | 'origin'> & { readonly member: string })[];
}

async function readTeams(folder: string, problems: string[]): Promise<readonly Team[]> {
  const teams: Team[] = [];
  const readDocument = async (...parts: readonly string[]): Promise<unknown> => {
    // Written anew in place, under a lock: half a document is read at the next look.
    const bytes = await readBeside(path.join(folder, ...parts), problems);
    return bytes && parseWhole(bytes);
  };
  for (const entry of await listFolder(folder)) {
    if (entry.kind !== 'folder') continue;
    const lead = asText(asObject(await readDocument(entry.name, 'config.json'))?.['leadSessionId']);
    if (lead === undefined) continue;
    const letters = await readDocument(entry.name, 'inboxes', 'team-lead.json');
    const origin = { source: toSourceId(`teams/${entry.name}/inboxes/team-lead.json`), offset: 0, length: 0 };
    const idle = (Array.isArray(letters) ? letters : []).filter(isObject).flatMap((letter) => idleIn(letter, origin));
    teams.push({ lead: toSessionId(HOST, lead), name: entry.name, idle });
  }
  return teams;
}

/** What the letters say about the agents of a session. In-process members have a file; others go by `name@team`. */
function factsOf(teams: readonly Team[], session: SessionId, sources: readonly LocatedSource[]): readonly RunEnded[] {
  return teams
    .filter(({ lead }) => lead === session)
    .flatMap(({ name, idle }) =>
      idle.map(({ member, ...said }): RunEnded => {
        const own = sources.find(({ agent }) => agent && nativeId(agent).startsWith(`a${member}-`))?.agent;
        return { kind: 'run-ended', session, agent: own ?? agentIdOf(`${member}@${name}`), signal: 'inbox', ...said };
      }),
    );
}

/** A letter's text may itself be JSON: what members tell each other without words. */
function idleIn(letter: RawRecord, origin: RunEnded['origin']): Team['idle'] {
  const text = asText(letter['text']);
  const notice = idleNoticeIn(text?.startsWith('{') ? parseObject(text) : undefined);
  const member = notice?.member ?? asText(letter['from']);
  const at = notice?.at ?? asInstant(letter['timestamp']);
  return notice && member !== undefined ? [{ ...notice, member, origin, ...known({ at }) }] : [];
}
