// What lies below a data folder of Claude Code: `projects/<project>/<session>.jsonl` and what belongs to it.
import path from 'node:path';
import { isFolder, listFilesBelow, listFolder, modifiedAt } from '../../io/folders.ts';
import { type AgentId, nativeId, toSessionId } from '../../model/ids.ts';
import type { Located, LocatedSession, LocatedSource, Machine } from '../adapter.ts';
import { LAYOUTS, toAgentSource, toSessionSource } from './layouts.ts';
import { HOST } from './line-context.ts';
import { readProcesses } from './processes.ts';

/** `CLAUDE_CONFIG_DIR` takes the place of `~/.claude`; `~/.config/claude` is where some versions and systems keep it. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const set = env['CLAUDE_CONFIG_DIR'];
  if (set)
    return set
      .split(',')
      .map((root) => root.trim())
      .filter((root) => root !== '');
  const config = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  return [path.join(home, '.claude'), path.join(config, 'claude')];
}

export async function locate(root: string): Promise<Located> {
  const processes = await readProcesses(root);
  const sessions: LocatedSession[] = [];
  const ignored: string[] = [];
  for (const project of await projectFolders(root)) {
    const entries = await listFolder(project);
    const transcripts = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map(({ name }) => name);
    const names = new Set(transcripts.map((name) => name.slice(0, -'.jsonl'.length)));
    // The main transcript may be gone (retention, another machine) while its agents' are still there.
    for (const entry of entries) {
      if (entry.isDirectory() && (await isFolder(path.join(project, entry.name, 'subagents')))) names.add(entry.name);
    }
    for (const name of names) {
      const located = await locateSession(root, project, name, transcripts.includes(`${name}.jsonl`));
      const facts = processes.get(toSessionId(HOST, name)) ?? [];
      if (located.sources.length > 0) sessions.push({ ...located, facts });
      ignored.push(...located.ignored);
    }
    ignored.push(
      ...entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.jsonl'))
        .map(({ name }) => path.join(project, name)),
    );
  }
  return { sessions, ignoredFiles: ignored };
}

/** A fork of a session repeats the calls, but leaves the transcripts of their agents in the first session's folder. */
export async function locateAgents(
  session: LocatedSession,
  agents: readonly AgentId[],
): Promise<readonly LocatedSource[]> {
  const main = session.sources[0];
  if (!main) return [];
  const wanted = new Set(agents.map(nativeId));
  const project = projectFolderOf(main.path);
  const found: LocatedSource[] = [];
  for (const entry of await listFolder(project)) {
    if (!entry.isDirectory()) continue;
    for (const file of await listFilesBelow(path.join(project, entry.name, 'subagents'))) {
      const native = /^agent-(.+?)(\.meta\.json|\.jsonl)$/.exec(path.basename(file))?.[1];
      const source = native !== undefined && wanted.has(native) ? toAgentSource(session.root, file) : undefined;
      if (source) found.push(source);
    }
  }
  return found;
}

/** `<project>/<session>.jsonl`, or `<project>/<session>/subagents/…` where the main transcript is gone. */
function projectFolderOf(file: string): string {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('subagents');
  return at > 1 ? parts.slice(0, at - 1).join(path.sep) : path.dirname(file);
}

/** Somebody may point at `projects/` itself, or at one project's folder: what counts is what the files hold. */
async function projectFolders(root: string): Promise<readonly string[]> {
  const projects = path.join(root, 'projects');
  const above = (await isFolder(projects)) ? projects : root;
  const folders = (await listFolder(above))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(above, name));
  return above === projects ? folders : [root, ...folders];
}

interface SessionFiles extends Omit<LocatedSession, 'facts'> {
  readonly ignored: readonly string[];
}

export async function locateSession(
  root: string,
  project: string,
  name: string,
  hasMain: boolean,
): Promise<SessionFiles> {
  const sources: LocatedSource[] = [];
  const ignored: string[] = [];
  if (hasMain) sources.push(toSessionSource(root, path.join(project, `${name}.jsonl`)));
  for (const layout of LAYOUTS) {
    const files = await layout.agentSources(root, project, name);
    sources.push(...files.sources);
    ignored.push(...files.ignored);
  }
  const times = await Promise.all(sources.map(({ path: file }) => modifiedAt(file)));
  return { id: toSessionId(HOST, name), root, sources, ignored, modifiedAt: Math.max(0, ...times) };
}
