// What lies below a data folder of Claude Code: `projects/<project>/<session>.jsonl` and what belongs to it.

import path from 'node:path';
import { type AgentEvent, type AgentId, nativeId, toSessionId } from '../../core/index.ts';
import { isFileEntry, listFilesBelow, listFolder, modifiedAt } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import type { AgentScan, Located, LocatedSession, LocatedSource } from '../index.ts';
import { besideProjects, projectFolders } from './data-folder.ts';
import { LAYOUTS } from './layouts.ts';
import { HOST } from './line-context.ts';
import { readProcesses } from './processes.ts';
import { once } from './scan.ts';
import { nativeAgentOf, rootOf, toSource } from './sources.ts';
import { findTeammates } from './teammates.ts';
import { factsOf, readTeams } from './teams.ts';

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

/** What lies beside the projects and tells about sessions: their processes, and the letters of their teams. */
export async function readCompanions(
  root: string,
  problems: string[] = [],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const processes = await readProcesses(root, problems);
  const teams = await readTeams(await besideProjects(root, 'teams'), problems);
  return ({ id, sources }) => [...(processes.get(id) ?? []), ...factsOf(teams, id, sources)];
}

/** One session by its name, for those who were handed a path. */
export async function locateOne(root: string, projectFolder: string, name: string): Promise<LocatedSession> {
  const [session] = await locateParts(root, projectFolder, [name]);
  if (!session) throw new Error('troupe: a session that was asked for is located, if only as an empty one');
  return { ...session, facts: (await readCompanions(root))(session) };
}

/** What of some sessions lies in one project's folder. */
export async function locateParts(
  root: string,
  projectFolder: string,
  names: readonly string[],
): Promise<readonly LocatedSession[]> {
  const project = await readProject(projectFolder, names);
  return Promise.all(names.map(async (name) => (await locateSession(root, project, name)).session));
}

/**
 * Agents whose transcripts lie elsewhere: a forked session repeats the calls but leaves the files in the first session's
 * folder, and a teammate in a terminal of its own is a session of its own.
 */
export async function locateAgents(
  session: LocatedSession,
  agents: readonly AgentId[],
  scan: AgentScan = new Map(),
): Promise<readonly LocatedSource[]> {
  const wanted = new Set(agents.map(nativeId));
  const sources: LocatedSource[] = [];
  for (const [project, root] of projectsOf(session)) {
    const files = await once(scan, `agents ${project}`, () => agentFilesIn(project));
    const elsewhere = [...wanted].flatMap((agent) => files.get(agent) ?? []);
    sources.push(...(await findTeammates(root, project, wanted, scan)));
    sources.push(...elsewhere.flatMap((file) => toSource(root, file) ?? []));
  }
  return sources;
}

/** The folders of the projects that a session lies in, and the data folder of each. */
function projectsOf({ sources }: LocatedSession): ReadonlyMap<string, string> {
  return new Map(sources.map((source) => [projectFolderOf(source), rootOf(source)]));
}

/** Transcripts and sidecars in the folders of all sessions of a project, by agent. */
async function agentFilesIn(project: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files: string[] = [];
  for (const { name, kind } of await listFolder(project))
    if (kind === 'folder') files.push(...(await listFilesBelow(path.join(project, name, 'subagents'))));
  return groupBy(files, (file) => nativeAgentOf(file) ?? '');
}

interface Project {
  readonly folder: string;
  /** Sessions that have a transcript, or agents that name them. */
  readonly names: ReadonlySet<string>;
  readonly transcripts: ReadonlySet<string>;
  /** Older states of a transcript, by session. */
  readonly putAside: ReadonlyMap<string, readonly string[]>;
  readonly agentFiles: ReadonlyMap<string, readonly string[]>;
  /** Files that are neither. */
  readonly strangers: readonly string[];
}

/** `<session>.jsonl.superseded-<time>` and `<session>.orphaned-<time>-….jsonl`: states the program put aside. */
export const PUT_ASIDE = /^(.+?)\.(?:jsonl\.superseded-|orphaned-).*$/;

async function readProject(folder: string, sessions?: readonly string[]): Promise<Project> {
  const files = (await listFolder(folder)).filter(isFileEntry).map(({ name }) => name);
  const putAside = groupBy(
    files.filter((name) => PUT_ASIDE.test(name)),
    (name) => PUT_ASIDE.exec(name)?.[1] ?? '',
  );
  const isTranscript = (name: string): boolean =>
    name.endsWith('.jsonl') && nativeAgentOf(name) === undefined && !PUT_ASIDE.test(name);
  const transcripts = new Set(files.filter(isTranscript));
  const agentFiles = new Map<string, string[]>();
  for (const layout of LAYOUTS) {
    for (const [name, found] of await layout.find(folder, sessions))
      agentFiles.set(name, [...(agentFiles.get(name) ?? []), ...found]);
  }
  const claimed = new Set([...agentFiles.values()].flat().map((file) => path.basename(file)));
  return {
    folder,
    // The main transcript may be gone (retention, another machine) while its agents' are still there.
    names: new Set([
      ...[...transcripts].map((name) => name.slice(0, -'.jsonl'.length)),
      ...agentFiles.keys(),
      ...putAside.keys(),
    ]),
    transcripts,
    putAside,
    agentFiles,
    strangers: files
      .filter((name) => !transcripts.has(name) && !claimed.has(name) && !PUT_ASIDE.test(name))
      .map((name) => path.join(folder, name)),
  };
}

async function locateSession(root: string, project: Project, name: string) {
  const sources: LocatedSource[] = [];
  const ignored: string[] = [];
  const transcript = path.join(project.folder, `${name}.jsonl`);
  const main = project.transcripts.has(`${name}.jsonl`) ? toSource(root, transcript, 'session') : undefined;
  if (main) sources.push(main);
  for (const file of project.putAside.get(name) ?? []) {
    const source = toSource(root, path.join(project.folder, file), 'session');
    if (source) sources.push(source);
  }
  for (const file of project.agentFiles.get(name) ?? []) {
    const source = toSource(root, file);
    if (source) sources.push(source);
    else ignored.push(file);
  }
  const times = await Promise.all(sources.map(({ path: file }) => modifiedAt(file)));
  const session: LocatedSession = {
    id: toSessionId(HOST, name),
    root,
    folder: project.folder,
    sources,
    facts: [],
    modifiedAt: Math.max(0, ...times),
  };
  return { session, ignored };
}

/** `<project>/<session>.jsonl`, or `<project>/<session>/subagents/…` where the main transcript is gone. */
function projectFolderOf({ path: file, role }: LocatedSource): string {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf(role === 'manifest' ? 'workflows' : 'subagents');
  return at > 1 ? parts.slice(0, at - 1).join(path.sep) : path.dirname(file);
}
