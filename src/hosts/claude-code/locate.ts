// What lies below a data folder of Claude Code: `projects/<project>/<session>.jsonl` and what belongs to it.

import path from 'node:path';
import { type AgentId, nativeId, type ToolCallId, toSessionId } from '../../core/index.ts';
import { isFileEntry, isFolder, listFilesBelow, listFolder, modifiedAt, readBeside } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { asObject, asText, known } from '../../lib/json.ts';
import { readLines } from '../../lib/read-lines.ts';
import {
  AgentScan,
  type FollowCapability,
  type Located,
  type LocatedSession,
  type LocatedSource,
  type Subject,
} from '../index.ts';
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
import { beginsWithCopies, isBranchOf } from './find-origin.ts';
import { HOST } from './line-context.ts';
import { isFirstLine, parseLine, parseWhole } from './record.ts';
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
    const keys = [...calls, ...membersOfOthers(session, wanted)];
    const byKey =
      keys.length > 0 ? await once(scan, `sidecars ${project}`, () => filesBySidecar(inProject)) : undefined;
    const told = keys.flatMap((key) => byKey?.get(key) ?? []).filter((file) => !file.startsWith(home));
    sources.push(...told.flatMap((file) => toSource(root, file) ?? []));
    for (const agent of wanted) {
      const found = filesOf(agent).flatMap((file) => toSource(root, file) ?? []);
      sources.push(...(await whereverItIs(session, found)));
    }
  }
  return [...sources, ...(await agentsOfOtherProjects(session, wanted, sources, scan))];
}

/** A fork in another worktree is in a project of its own, and the agents that it knows are in that of its original. */
async function agentsOfOtherProjects(
  session: LocatedSession,
  wanted: ReadonlySet<string>,
  found: readonly LocatedSource[],
  scan: AgentScan,
): Promise<readonly LocatedSource[]> {
  const here = new Set([...session.sources, ...found].map(({ path: file }) => nativeAgentOf(file)));
  const missing = [...wanted].filter((agent) => !here.has(agent));
  const main = session.sources.find(({ role }) => role === 'session');
  if (missing.length === 0 || !main || !(await beginsWithCopies(main.path))) return [];
  const own = new Set(session.sources.map(projectFolderOf));
  const others = (await projectFolders(rootOf(main))).filter((folder) => !own.has(folder));
  const files = await Promise.all(others.map((folder) => once(scan, `agents ${folder}`, () => agentFilesIn(folder))));
  const members = membersOfOthers(session, wanted);
  if (members.length > 0)
    for (const [index, folder] of others.entries())
      files.push(await once(scan, `sidecars ${folder}`, () => filesBySidecar(files[index] ?? new Map())));
  return [...missing, ...members].flatMap((agent) =>
    files.flatMap((byId) => byId.get(agent) ?? []).flatMap((file) => toSource(rootOf(main), file) ?? []),
  );
}

/** Up to 2.1.287, a fork names the members of its original's team by that team alone: it is called after the session. */
function membersOfOthers({ id }: LocatedSession, wanted: ReadonlySet<string>): readonly string[] {
  const own = `@session-${nativeId(id).slice(0, 8)}`;
  return [...wanted].filter((agent) => agent.includes('@session-') && !agent.endsWith(own));
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

/** The files of an agent by what its sidecar says: the call that made it (2.1.81 and later), a teammate's name and team. */
async function filesBySidecar(filesById: FilesById): Promise<FilesById> {
  const byKey = new Map<string, readonly string[]>();
  for (const files of filesById.values()) {
    const sidecar = files.find((file) => file.endsWith('.meta.json'));
    const bytes = sidecar === undefined ? undefined : await readBeside(sidecar, []);
    const facts = bytes && asObject(parseWhole(bytes));
    const home = sidecar && path.dirname(sidecar);
    const [call, name, team] = [facts?.['toolUseId'], facts?.['name'], facts?.['teamName']].map(asText);
    const member = name !== undefined && team !== undefined ? `${name}@${team}` : undefined;
    for (const key of [call, member])
      if (key !== undefined)
        byKey.set(
          key,
          files.filter((file) => path.dirname(file) === home),
        );
  }
  return byKey;
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
  const ofAgents = agentFiles.map((file) => ({ file, source: toSource(root, file) }));
  const sources = [
    ...own.flatMap((file) => toSource(root, path.join(project.folder, file), 'session') ?? []),
    ...ofAgents.flatMap(({ source }) => source ?? []),
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
  return { session, ignored: ofAgents.flatMap(({ file, source }) => (source ? [] : file)) };
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
