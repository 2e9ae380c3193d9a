// The data folder of Claude Code, and somebody who points at a part of it.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { COMPACTION, toSourceId } from '../../core/index.ts';
import { isFileEntry, isFolder, listFilesBelow, listFolder } from '../../lib/folders.ts';
import { asText, known, parseObject } from '../../lib/json.ts';
import { readHead, readPart } from '../../lib/read-lines.ts';
import type { LocatedSource } from '../index.ts';
import { namesIn } from '../shared/index.ts';
import { agentIdOf } from './line-context.ts';

/** Somebody may point at `projects/` itself, or at one project's folder: what counts is what the files hold. */
export async function projectFolders(root: string): Promise<readonly string[]> {
  const projects = path.join(root, 'projects');
  const above = (await isFolder(projects)) ? projects : root;
  const entries = await listFolder(above);
  const folders = entries.filter((entry) => entry.kind === 'folder').map(({ name }) => path.join(above, name));
  return above === projects ? folders : [root, ...folders];
}

/** A folder beside `projects/`, also where the root is that folder itself, or one project in it. */
export async function besideProjects(root: string, name: string): Promise<string> {
  const beside = path.join(root, name);
  if (await isFolder(path.join(root, 'projects'))) return beside;
  for (const above of [path.dirname(root), path.dirname(path.dirname(root))]) {
    if (root.startsWith(path.join(above, 'projects'))) return path.join(above, name);
  }
  return beside;
}

// What a file is, and whose, by its place and name.

/**
 * `teammate`: all of it is the conversation of one member of a team (`locateAgents`). `elsewhere`: of an agent of another
 * session, which is read there. `notices`: the main transcript of the session in which an agent went on after `/clear`.
 * `woken`, `until-woken`: in the folder of a copy; it belongs to the copy from the message on that wakes the agent, and until then
 * to the original.
 */
export type Role =
  | 'session'
  | 'agent'
  | 'sidecar'
  | 'journal'
  | 'manifest'
  | 'teammate'
  | 'elsewhere'
  | 'notices'
  | 'woken'
  | 'until-woken';

const KINDS: Readonly<Record<Role, Pick<LocatedSource, 'shape' | 'companion'>>> = {
  session: { shape: 'lines' },
  agent: { shape: 'lines' },
  teammate: { shape: 'lines' },
  elsewhere: { shape: 'lines' },
  notices: { shape: 'lines' },
  woken: { shape: 'lines' },
  'until-woken': { shape: 'lines' },
  journal: { shape: 'lines', companion: true },
  sidecar: { shape: 'document', companion: true },
  manifest: { shape: 'document', companion: true },
};

/** The program's own list of a project's sessions. */
export const INDEX_FILE = 'sessions-index.json';

const AGENT_FILE = /^agent-(.+?)(\.meta\.json|\.jsonl)$/;
const WORKFLOW_FOLDER = /[\\/]workflows[\\/](wf_[^\\/]+)[\\/]/;
const MANIFEST = /[\\/]workflows[\\/](wf_[^\\/]+)\.json$/;

/** The source that a file is by its name; none where the name says nothing to us. */
export function toSource(root: string, file: string, role = roleOf(file)): LocatedSource | undefined {
  if (!role) return undefined;
  const native = role === 'agent' || role === 'sidecar' ? nativeAgentOf(file) : undefined;
  const agent = native === undefined ? undefined : agentIdOf(native);
  // Below its root, with forward slashes: the same on every machine, so that trees and snapshots compare.
  // `path.relative` takes its time, and there may be ten thousand files.
  const below = file.startsWith(root + path.sep) ? file.slice(root.length + 1) : path.relative(root, file);
  const id = toSourceId(below.split(path.sep).join('/'));
  return { id, path: file, role, ...KINDS[role], ...known({ agent }) };
}

function roleOf(file: string): Role | undefined {
  const name = path.basename(file);
  const agent = AGENT_FILE.exec(name);
  if (agent) return agent[2] === '.meta.json' ? 'sidecar' : 'agent';
  if (name === 'journal.jsonl' && WORKFLOW_FOLDER.test(file)) return 'journal';
  return MANIFEST.test(file) ? 'manifest' : undefined;
}

export function nativeAgentOf(file: string): string | undefined {
  return AGENT_FILE.exec(path.basename(file))?.[1];
}

/** The run of a workflow whose folder, or manifest, it is. */
export function workflowRunOf(file: string): string | undefined {
  return (WORKFLOW_FOLDER.exec(file) ?? MANIFEST.exec(file))?.[1];
}

/** Agents that the host starts for itself name themselves in their file's name (2.1.38 to 2.1.88). */
const INTERNAL = /^a(compact|side_question|prompt_suggestion)-/;

export function internalPurpose(native: string | undefined): string | undefined {
  const purpose = INTERNAL.exec(native ?? '')?.[1];
  return purpose === 'compact' ? COMPACTION : purpose?.replace('_', ' ');
}

/** The data folder that a source lies below. */
export function rootOf({ id, path: file }: LocatedSource): string {
  return file.slice(0, -id.length - 1);
}

// Where the transcripts of a session's agents lie, by generation.

/** Files of sub-agents, by the name of their session, of one project's folder; of some sessions only, where they are named. */
type Layout = (project: string, sessions?: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** `<project>/<session>/subagents/…` and `<project>/<session>/workflows/wf_….json`, nested agents too (2.1.2 and later). */
const findInSessionFolders: Layout = async (project, sessions) => {
  const found = new Map<string, readonly string[]>();
  const entries = sessions?.map((name) => ({ name, kind: 'folder' as const })) ?? (await listFolder(project));
  for (const entry of entries) {
    if (entry.kind !== 'folder') continue;
    const folder = path.join(project, entry.name);
    const files = await listFilesBelow(path.join(folder, 'subagents'));
    const manifests = (await listFolder(path.join(folder, 'workflows'))).filter(isFileEntry);
    const all = [...files, ...manifests.map(({ name }) => path.join(folder, 'workflows', name))];
    if (all.length > 0 || (await isFolder(path.join(folder, 'subagents')))) found.set(entry.name, all);
  }
  return found;
};

/** `<project>/agent-<id>.jsonl` beside the sessions of all; the lines name the session (2.0.42 to 2.1.1). */
const findBesideSessions: Layout = async (project) => {
  const found = new Map<string, string[]>();
  for (const entry of await listFolder(project)) {
    const file = path.join(project, entry.name);
    if (entry.kind !== 'file' || nativeAgentOf(file) === undefined) continue;
    const session = await sessionNamedIn(file);
    if (session !== undefined) found.set(session, [...(found.get(session) ?? []), file]);
  }
  return found;
};

/** Up to 2.0.41 agents speak in the session's own file, and need no files: `speakerOf` tells them apart. */
export const LAYOUTS: readonly Layout[] = [findInSessionFolders, findBesideSessions];

const HEAD_BYTES = 16 * 1024;

/** Which session a file named when it was last looked into. Not looked into again while it stays as it was. */
const named = new Map<string, { readonly state: string; readonly session: string }>();
const MAX_NAMED = 50_000;

export async function sessionNamedIn(file: string): Promise<string | undefined> {
  try {
    const { ino, size, ctimeMs } = await stat(file);
    const state = `${ino} ${size} ${ctimeMs}`;
    const known = named.get(file);
    if (known?.state === state) return known.session;
    const head = Buffer.from(await readHead(file, HEAD_BYTES)).toString('utf8');
    const session = head.match(/"sessionId":"([^"\\]+)"/)?.[1];
    if (session !== undefined && named.size < MAX_NAMED) named.set(file, { state, session });
    return session;
  } catch {
    return undefined;
  }
}

// `summary` lines (up to 2.1.29) at the beginning of a session's file name conversations of other sessions of the project.

const SUMMARY = /^\{"type":"summary","summary":/;
const SUMMARY_BYTES = [512, 256 * 1024];

/** By folder, as it was when its files were last looked into. */
const summaries = new Map<string, { readonly state: number; readonly byLeaf: ReadonlyMap<string, string> }>();

/** Titles by the line that they are about. Looks into all files of the project, once. */
export function summariesIn(project: string): ReadonlyMap<string, string> {
  const state = statSync(project, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const known = summaries.get(project);
  if (known?.state === state) return known.byLeaf;
  const byLeaf = new Map<string, string>();
  for (const name of namesIn(project)) {
    if (!name.endsWith('.jsonl') || nativeAgentOf(name) !== undefined) continue;
    for (const [leaf, title] of summariesAtHead(path.join(project, name))) byLeaf.set(leaf, title);
  }
  summaries.set(project, { state, byLeaf });
  return byLeaf;
}

function summariesAtHead(file: string): readonly (readonly [leaf: string, title: string])[] {
  const [few = 0, many = 0] = SUMMARY_BYTES;
  if (!SUMMARY.test(readPart(file, 'head', few) ?? '')) return [];
  const lines = (readPart(file, 'head', many) ?? '').split('\n');
  const end = lines.findIndex((line) => !SUMMARY.test(line));
  return lines.slice(0, end === -1 ? undefined : end).flatMap((line) => {
    const { leafUuid, summary } = parseObject(line) ?? {};
    const [leaf, title] = [asText(leafUuid), asText(summary)];
    return leaf === undefined || title === undefined ? [] : [[leaf, title] as const];
  });
}
