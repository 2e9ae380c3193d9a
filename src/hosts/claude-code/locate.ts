// What lies below a data folder of Claude Code: `projects/<project>/<session>.jsonl` and what belongs to it.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentId, type HostTotal, nativeId, type ToolCallId, toSessionId } from '../../core/index.ts';
import {
  type FolderEntry,
  isFileEntry,
  isFolder,
  listFilesBelow,
  listFolder,
  modifiedAt,
  readBeside,
} from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { asInstant, asObject, asText, known } from '../../lib/json.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import {
  AgentScan,
  type FollowCapability,
  type Located,
  type LocatedSession,
  type LocatedSource,
  type SessionOrigin,
  type Subject,
} from '../index.ts';
import { findCleared, isCopiedClear } from './clears.ts';
import { readCompanions } from './companions.ts';
import {
  INDEX_FILE,
  LAYOUTS,
  nativeAgentOf,
  projectFolders,
  type Role,
  rootOf,
  sessionNamedIn,
  toSource,
} from './data-folder.ts';
import { HOST } from './line-context.ts';
import { hostTotalIn, isFirstLine, parseLine, parseWhole, replyIdOf } from './record.ts';
import { type FilesById, findDeliveries, findTeammates, once } from './teams.ts';

export async function locate(root: string): Promise<Located> {
  const problems: string[] = [];
  const factsFor = await readCompanions(root, problems);
  const sessions: LocatedSession[] = [];
  const ignoredFiles: string[] = [];
  for (const folder of await projectFolders(root)) {
    const project = await readProject(folder);
    for (const name of project.names) {
      const { session, ignored } = await locateSession(root, project, name);
      if (session.sources.length > 0) sessions.push({ ...session, facts: factsFor(session) });
      ignoredFiles.push(...ignored);
    }
    ignoredFiles.push(...project.strangers);
  }
  return { sessions, ignoredFiles, problems };
}

/** One session by its name, for those who were handed a path. */
export async function locateOne(root: string, projectFolder: string, name: string): Promise<LocatedSession> {
  const { session } = await locateSession(root, await readProject(projectFolder, [name]), name);
  return { ...session, facts: (await readCompanions(root))(session) };
}

/** What of some sessions lies in one project's folder. */
async function locateParts(
  root: string,
  projectFolder: string,
  names: readonly string[],
): Promise<readonly LocatedSession[]> {
  const project = await readProject(projectFolder, names);
  return Promise.all(names.map(async (name) => (await locateSession(root, project, name)).session));
}

/**
 * Agents whose transcripts lie elsewhere: a forked session repeats the calls but leaves the files in the first session's
 * folder, a teammate in a terminal of its own is a session of its own, and one in the lead's process has a file for each
 * message that was delivered to it.
 */
export async function locateAgents(
  session: LocatedSession,
  agents: readonly AgentId[],
  scan = new AgentScan(),
  calls: readonly ToolCallId[] = [],
): Promise<readonly LocatedSource[]> {
  const wanted = new Set(agents.map(nativeId));
  const deliveries = await findDeliveries(session, wanted);
  const sources: LocatedSource[] = [...deliveries];
  const listed = new Set(session.sources.map((source) => source.path));
  // The session may lie in several projects.
  const projects = new Map(session.sources.map((source) => [projectFolderOf(source), rootOf(source)]));
  for (const [project, root] of projects) {
    const inProject = await once(scan, `agents ${project}`, () => agentFilesIn(project));
    const home = path.join(project, nativeId(session.id)) + path.sep;
    // A file of its own that was created after the session was listed is not another session's.
    const filesOf = (agent: string): readonly string[] =>
      (inProject.get(agent) ?? []).filter((file) => listed.has(file) || !file.startsWith(home));
    sources.push(...(await findTeammates(session, { root, project }, wanted, scan)));
    for (const delivery of deliveries) {
      const others = filesOf(nativeAgentOf(delivery.path) ?? '').filter((file) => !listed.has(file));
      sources.push(...goesOnElsewhere(delivery, root, others));
    }
    const byCall = calls.length > 0 ? await once(scan, `calls ${project}`, () => filesByCall(inProject)) : undefined;
    const ofCalls = calls.flatMap((call) => byCall?.get(call) ?? []).filter((file) => !file.startsWith(home));
    sources.push(...ofCalls.flatMap((file) => toSource(root, file) ?? []));
    for (const agent of wanted) {
      const found = filesOf(agent).flatMap((file) => toSource(root, file) ?? []);
      sources.push(...(await whereverItIs(session, found)));
    }
  }
  return sources;
}

/** After `/clear`, a member of a team goes on in the new session's folder, under the name of its file (2.1.161). */
function goesOnElsewhere({ agent }: LocatedSource, root: string, others: readonly string[]): readonly LocatedSource[] {
  return others.flatMap((other) => {
    const source = toSource(root, other);
    return source?.role === 'agent' ? { ...source, role: 'teammate', goesOn: true as const, ...known({ agent }) } : [];
  });
}

/**
 * An agent's files in all sessions. It is at home where its first line is: that session reads the files in which it went on
 * after a `/clear`, and they are none of the session they lie in. A session that has no file of it borrows them all.
 * After a `/branch`, an agent at work goes on in the folder of the copy, too; when the copy wakes it, what follows is the copy's.
 */
async function whereverItIs(
  { sources }: LocatedSession,
  found: readonly LocatedSource[],
): Promise<readonly LocatedSource[]> {
  const ids = new Set(sources.map(({ id }) => id));
  const [own, others] = [found.filter(({ id }) => ids.has(id)), found.filter(({ id }) => !ids.has(id))];
  if (own.length === 0 || others.length === 0) return others;
  const byFolder = groupBy(others, ({ path: file }) => path.dirname(file));
  if (!(await isHome(own))) {
    const homes = new Set<string>();
    for (const [folder, files] of byFolder) if (await isHome(files)) homes.add(path.basename(path.dirname(folder)));
    if (homes.size === 0) return [];
    const isCopy = await isBranchOf(sources.find(({ role }) => role === 'session')?.path, homes);
    return [...own.map((source) => (isCopy ? withRole(source, 'woken') : { ...source, ...ELSEWHERE })), ...others];
  }
  const home = new Set(own.map(({ path: file }) => path.basename(path.dirname(path.dirname(file)))));
  const goesOn: LocatedSource[] = [];
  for (const [folder, files] of byFolder) {
    if (await isHome(files)) continue;
    const main = `${path.dirname(folder)}.jsonl`;
    const isCopy = await isBranchOf(main, home);
    const here = files.map((source) => (isCopy ? withRole(source, 'until-woken') : source));
    goesOn.push(...here.map((source) => ({ ...source, goesOn: true as const })));
    // `<session>/subagents`: the notice of its end goes to that session's main agent.
    const [first] = files;
    const notices = first && toSource(rootOf(first), main, 'notices');
    if (notices) goesOn.push({ ...notices, goesOn: true, ...known({ agent: first.agent }) });
  }
  return goesOn;
}

async function isHome(files: readonly LocatedSource[]): Promise<boolean> {
  for (const { role, path: file } of files) if (role === 'agent' && (await isBeginning(file))) return true;
  return false;
}

const ELSEWHERE = { role: 'elsewhere', shape: 'lines', companion: true } as const;

/** Of an agent's files, its transcripts. */
function withRole(source: LocatedSource, role: Role): LocatedSource {
  return source.role === 'agent' ? { ...source, role } : source;
}

/** A copy of one of these sessions, or of a copy of it. A copy of a session that `/clear` began knows none of the agents before. */
async function isBranchOf(main: string | undefined, origins: ReadonlySet<string>): Promise<boolean> {
  const seen = new Set<string>();
  for (let file = main; file !== undefined && !seen.has(file); ) {
    seen.add(file);
    const { branchOf } = (await ageOf(file).catch(() => undefined)) ?? {};
    if (branchOf !== undefined && origins.has(branchOf)) return true;
    file = branchOf === undefined ? undefined : path.join(path.dirname(file), `${branchOf}.jsonl`);
  }
  return false;
}

/** An agent's first line has none before it; lines that were written at once may stand in any order (2.1.45 to 2.1.287). */
async function isBeginning(file: string): Promise<boolean> {
  let isFound = false;
  await readLines(file, ({ bytes }) => {
    isFound ||= isFirstLine(asObject(parseLine(bytes)) ?? {});
  }).catch(() => undefined);
  return isFound;
}

/** Transcripts and sidecars of all sessions of a project, by agent: in their folders, up to 2.0.x beside their transcripts. */
async function agentFilesIn(project: string): Promise<FilesById> {
  const files: string[] = [];
  for (const { name, kind } of await listFolder(project))
    if (kind === 'folder') files.push(...(await listFilesBelow(path.join(project, name, 'subagents'))));
    else if (nativeAgentOf(name) !== undefined) files.push(path.join(project, name));
  return groupBy(files, (file) => nativeAgentOf(file) ?? '');
}

/** By the call that made it, the files of an agent: its sidecar names the call (2.1.81 and later). */
async function filesByCall(filesById: FilesById): Promise<FilesById> {
  const byCall = new Map<string, readonly string[]>();
  for (const files of filesById.values()) {
    const sidecar = files.find((file) => file.endsWith('.meta.json'));
    const bytes = sidecar === undefined ? undefined : await readBeside(sidecar, []);
    const call = bytes && asText(asObject(parseWhole(bytes))?.['toolUseId']);
    const home = sidecar && path.dirname(sidecar);
    if (call !== undefined)
      byCall.set(
        call,
        files.filter((file) => path.dirname(file) === home),
      );
  }
  return byCall;
}

type Project = Awaited<ReturnType<typeof readProject>>;

/** `<session>.jsonl.superseded-<time>` and `<session>.orphaned-<time>-….jsonl`: states the program put aside. */
const PUT_ASIDE = /^(.+?)\.(?:jsonl\.superseded-|orphaned-).*$/;

/** The session whose transcript, or older state of it, a file is by its name. */
function sessionNameOf(name: string): string | undefined {
  const putAside = PUT_ASIDE.exec(name)?.[1];
  if (putAside !== undefined) return putAside;
  return name.endsWith('.jsonl') && nativeAgentOf(name) === undefined ? name.slice(0, -'.jsonl'.length) : undefined;
}

async function readProject(folder: string, sessions?: readonly string[]) {
  const files = (await listFolder(folder)).filter(isFileEntry).map(({ name }) => name);
  const isTranscript = (name: string): boolean => sessionNameOf(name) !== undefined;
  /** By session; each comes before its older states. */
  const transcripts = groupBy(files.filter(isTranscript), (name) => sessionNameOf(name) ?? '');
  const agentFiles = new Map<string, string[]>();
  for (const findAgentFiles of LAYOUTS)
    for (const [name, found] of await findAgentFiles(folder, sessions))
      agentFiles.set(name, [...(agentFiles.get(name) ?? []), ...found]);
  const claimed = new Set([...agentFiles.values()].flat().map((file) => path.basename(file)));
  return {
    folder,
    /** Sessions that have a transcript, or agents that name them: the main transcript may be gone (retention, another machine). */
    names: new Set([...transcripts.keys(), ...agentFiles.keys()]),
    transcripts,
    agentFiles,
    /** Files that are neither. */
    strangers: files
      .filter((name) => !isTranscript(name) && !claimed.has(name) && name !== INDEX_FILE)
      .map((name) => path.join(folder, name)),
  };
}

async function locateSession(root: string, project: Project, name: string) {
  const own = project.transcripts.get(name) ?? [];
  const agentFiles = project.agentFiles.get(name) ?? [];
  const sources = [
    ...own.flatMap((file) => toSource(root, path.join(project.folder, file), 'session') ?? []),
    ...agentFiles.flatMap((file) => toSource(root, file) ?? []),
  ];
  const times = await Promise.all(sources.map(({ path: file }) => modifiedAt(file)));
  const session: LocatedSession = {
    id: toSessionId(HOST, name),
    root,
    folder: project.folder,
    sources,
    facts: [],
    modifiedAt: Math.max(0, ...times),
  };
  return { session, ignored: agentFiles.filter((file) => !toSource(root, file)) };
}

/** `<project>/<session>.jsonl`, or `<project>/<session>/subagents/…` where the main transcript is gone. */
function projectFolderOf({ path: file, role }: LocatedSource): string {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf(role === 'manifest' ? 'workflows' : 'subagents');
  return at > 1 ? parts.slice(0, at - 1).join(path.sep) : path.dirname(file);
}

// What a change below the data folder is about: by its place, so that one new file costs one look.

/** Beside `projects/`: records of processes, and the teams' letters. */
const FACTS = new Set(['sessions', 'teams']);
/** In a session's folder: its agents and their workflows. */
const AGENT_FOLDERS = new Set(['subagents', 'workflows']);
/** Whole results of tools, thousands of files (2.1.2 and later), and notes of the person's: nothing for the tree. */
const WITHOUT_USE = new Set(['tool-results', 'memory']);

export const follow: FollowCapability = {
  async watched(root) {
    let hasProjects = await isFolder(path.join(root, 'projects'));
    return (folder) => {
      // The data folder, or `projects/` in it, may appear later.
      hasProjects ||= folder === path.join(root, 'projects');
      const [first = '', ...below] = partsBelow(root, folder);
      if (below.some((name) => WITHOUT_USE.has(name))) return false;
      return !hasProjects || first === 'projects' || FACTS.has(first);
    };
  },
  async subjectOf(root, place) {
    const parts = partsBelow(root, place);
    if (FACTS.has(parts[0] ?? '')) return { kind: 'facts' };
    const at = parts.findIndex((name) => AGENT_FOLDERS.has(name));
    const session = parts[at - 1];
    const project = path.join(root, ...parts.slice(0, at === -1 ? -1 : at - 1));
    if (at === 0 || !(await isProject(root, project))) return { kind: 'nothing' };
    if (session !== undefined) return partOf(project, session);
    const name = parts.at(-1) ?? '';
    const named = sessionNameOf(name) ?? (name.endsWith('.jsonl') ? await sessionNamedIn(place) : undefined);
    return named === undefined ? { kind: 'nothing' } : partOf(project, named);
  },
  locateParts: (root, folder, ids) => locateParts(root, folder, ids.map(nativeId)),
  readFacts: (root) => readCompanions(root),
};

/** Where `locate` looks for sessions: `data-folder.ts` has the rule. It may be gone by now. */
async function isProject(root: string, folder: string): Promise<boolean> {
  const depth = folder === root ? 0 : partsBelow(root, folder).length;
  const hasProjects = await isFolder(path.join(root, 'projects'));
  return hasProjects ? depth === 2 && partsBelow(root, folder)[0] === 'projects' : depth <= 1;
}

function partOf(folder: string, session: string): Subject {
  return { kind: 'part', part: { id: toSessionId(HOST, session), folder } };
}

function partsBelow(root: string, place: string): readonly string[] {
  return path.relative(root, place).split(path.sep);
}

// `--fork-session` and `/branch`: a new session that begins with a copy of another one's lines, and does not say so.

/** The first line of a conversation is copied first. */
const FORK_HEAD_BYTES = 256 * 1024;

/**
 * The older session that has most of the same lines, and the replies that both have; of two that have the same, the older one
 * wrote them. A copied line keeps its id, or at least that of its request (2.1.45) or of its reply (1.0.60, where a resumed
 * session begins a new file).
 */
export async function findOrigin(
  session: LocatedSession,
  firstLine: string,
  scan?: AgentScan,
): Promise<SessionOrigin | undefined> {
  const own = session.sources.find(({ role }) => role === 'session');
  if (!own) return undefined;
  const cleared = await findCleared(session);
  const emptied: SessionOrigin | undefined = cleared && { id: cleared, isEmptied: true, replies: new Set() };
  // A fork copies the command, too.
  if (emptied && !(await isCopiedClear(own.path))) return emptied;
  const age = await ageOf(own.path).catch(() => undefined);
  if (!age) return undefined;
  const head = Buffer.from(await readHead(own.path, FORK_HEAD_BYTES)).toString('utf8');
  const ids = [/"requestId": ?"([^"]+)"/, /"id": ?"(msg_[^"]+)"/].map((pattern) => pattern.exec(head)?.[1]);
  const marks = [firstLine, ...ids].filter((mark) => mark !== undefined);
  const compactedAt = compactionAtBeginning(head);
  const project = path.dirname(own.path);
  const areHeadsEnough = scan?.isOfMany && compactedAt === undefined;
  const neighbours = areHeadsEnough ? await once(scan, `marks ${project}`, () => filesByMark(project)) : undefined;
  const others = neighbours
    ? new Set(marks.flatMap((mark) => neighbours.get(mark) ?? []))
    : await transcriptsIn(project);
  let lines: readonly CopiedLine[] | undefined;
  let best: { readonly origin: SessionOrigin; readonly shared: number; readonly age: Age } | undefined;
  for (const file of others) {
    if (file === own.path) continue;
    // A neighbour that cannot be read is no origin that we could prove.
    const theirs = await readIfOlder(file, { marks, age, compactedAt }).catch(() => undefined);
    if (!theirs) continue;
    lines ??= (await readCopiedLines(own.path)).lines;
    const keys = new Set(theirs.lines.flatMap(({ line, request, reply }) => [line, request, reply]));
    const shared = lines.filter((one) => [one.line, one.request, one.reply].some((key) => key && keys.has(key)));
    const isBetter =
      !best || shared.length > best.shared || (shared.length === best.shared && (await isOlder(theirs.age, best.age)));
    const leftAt = firstAfter(lines, shared.at(-1));
    if (shared.length > 0 && isBetter)
      best = {
        origin: {
          id: toSessionId(HOST, theirs.age.session),
          replies: new Set(shared.flatMap(({ reply }) => reply ?? [])),
          totals: totalsAt(theirs, leftAt ?? age.firstAt),
          ...known({ leftAt }),
        },
        shared: shared.length,
        age: theirs.age,
      };
  }
  return best?.origin ?? emptied;
}

async function transcriptsIn(project: string): Promise<readonly string[]> {
  const isTranscript = ({ name, kind }: FolderEntry): boolean =>
    kind === 'file' && name.endsWith('.jsonl') && !nativeAgentOf(name);
  return (await listFolder(project)).filter(isTranscript).map(({ name }) => path.join(project, name));
}

/** For who asks of every session of a project: the heads are read once, not once for each session. */
async function filesByMark(project: string): Promise<FilesById> {
  const files = new Map<string, string[]>();
  for (const file of await transcriptsIn(project)) {
    const head = Buffer.from(await readHead(file, FORK_HEAD_BYTES).catch(() => new Uint8Array())).toString('utf8');
    const marks = new Set(Array.from(head.matchAll(/[iI][dD]": ?"([^"]+)"/g), ([, id = '']) => id));
    for (const mark of marks) files.set(mark, [...(files.get(mark) ?? []), file]);
  }
  return files;
}

interface CopiedLine {
  readonly line: string;
  readonly request?: string;
  /** As the reader counts it. */
  readonly reply?: string;
  readonly at?: number;
}

/** When the first line was written that is not a copy. */
function firstAfter(lines: readonly CopiedLine[], last: CopiedLine | undefined): number | undefined {
  return last && lines.slice(lines.indexOf(last) + 1).find(({ at }) => at !== undefined)?.at;
}

/** A copy of a conversation that was compacted begins in its middle: with the boundary. */
function compactionAtBeginning(head: string): number | undefined {
  const line = head.split('\n').find((one) => one.includes('"uuid"'));
  const record = line === undefined ? undefined : asObject(parseLine(Buffer.from(line)));
  return record?.['subtype'] === 'compact_boundary' ? asInstant(record['timestamp']) : undefined;
}

interface Copy {
  /** Ids in its first lines. */
  readonly marks: readonly string[];
  readonly age: Age;
  readonly compactedAt: number | undefined;
}

async function readIfOlder(file: string, { marks, age, compactedAt }: Copy) {
  const has = (bytes: Uint8Array): boolean => marks.some((mark) => asBuffer(bytes).includes(`"${mark}"`));
  if (!has(await readHead(file, FORK_HEAD_BYTES))) {
    if (compactedAt === undefined || (await modifiedAt(file)) < compactedAt) return undefined;
    let isFound = false;
    await readLines(file, ({ bytes }) => {
      isFound ||= has(bytes);
    });
    if (!isFound) return undefined;
  }
  const theirAge = await ageOf(file);
  return (await isOlder(theirAge, age)) ? { age: theirAge, ...(await readCopiedLines(file)) } : undefined;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

interface CopiedLines {
  readonly lines: readonly CopiedLine[];
  /** Sums of the program's, each with the time of the last line before it. */
  readonly totals: readonly (HostTotal & { readonly after: number })[];
}

async function readCopiedLines(file: string): Promise<CopiedLines> {
  const lines: CopiedLine[] = [];
  const totals: CopiedLines['totals'][number][] = [];
  let after = 0;
  await readLines(file, ({ bytes }) => {
    const record = asObject(parseLine(bytes));
    if (!record) return;
    after = asInstant(record['timestamp']) ?? after;
    const total = record['type'] === 'cost-state' ? hostTotalIn(record) : undefined;
    if (total) totals.push({ from: total.from, byModel: total.byModel, after });
    const line = asText(record['uuid']);
    if (line === undefined) return;
    const reply = record['type'] === 'assistant' ? replyIdOf(record) : undefined;
    lines.push({ line, ...known({ request: asText(record['requestId']), reply, at: asInstant(record['timestamp']) }) });
  });
  return { lines, totals };
}

/** The sums that a copy made then goes on with: a process begins with the last one of the session that it copies. */
function totalsAt({ totals }: CopiedLines, madeAt: number): readonly HostTotal[] {
  return totals.filter(({ after }) => after < madeAt).slice(-1);
}

interface Age {
  readonly file: string;
  readonly session: string;
  /** The session that its first line was copied from (`/branch`). */
  readonly branchOf: string | undefined;
  /** Of the first line that has a time: a fork's own first lines are younger than the lines it copies behind them. */
  readonly firstAt: number;
  readonly born: number;
}

async function ageOf(file: string): Promise<Age> {
  const head = Buffer.from(await readHead(file, FORK_HEAD_BYTES)).toString('utf8');
  const { birthtimeMs } = await stat(file);
  const branchOf = /^[^\n]*"forkedFrom": ?\{"sessionId": ?"([^"]+)"/.exec(head)?.[1];
  const session = path.basename(file, '.jsonl');
  return {
    file,
    session,
    firstAt: asInstant(head.match(/"timestamp":"([^"]+)"/)?.[1]) ?? 0,
    born: birthtimeMs,
    branchOf,
  };
}

/** All files of a conversation and its branches begin with the same line, so a branch is known by what it names, not by times. */
async function isOlder(a: Age, b: Age): Promise<boolean> {
  if (await isBranchOf(b.file, new Set([a.session]))) return true;
  if (await isBranchOf(a.file, new Set([b.session]))) return false;
  return a.firstAt === b.firstAt ? a.born < b.born : a.firstAt < b.firstAt;
}
