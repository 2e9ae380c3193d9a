// The data folder of Gemini CLI (a root may also be a part of it): its folders of chats, the session of a chat, the paths of projects.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, mainAgentOf, toSourceId } from '../../core/index.ts';
import { isFolder, readBeside } from '../../lib/folders.ts';
import { asObject, asText, known, parseJsonBytes } from '../../lib/json.ts';
import { readHead } from '../../lib/read-lines.ts';
import { isWrongFile } from '../../lib/regular-file.ts';
import type { LocatedSession } from '../index.ts';
import { foldersIn } from '../shared/index.ts';

const CHATS = 'chats';
/** Path of a project → its short name (0.2x and later). */
export const PROJECTS_FILE = 'projects.json';
/** In a project's folder: its path (0.2x and later). */
export const PROJECT_ROOT_FILE = '.project_root';

/** `tmp/<project>/chats`; the root may be `tmp`, a project's folder in it, or `chats` itself. */
export async function chatsFolders(root: string): Promise<readonly string[]> {
  if (path.basename(root) === CHATS) return [root];
  const projects = [...(await foldersIn(path.join(root, 'tmp'))), root, ...(await foldersIn(root))];
  const found: string[] = [];
  for (const project of projects) {
    const chats = path.join(project, CHATS);
    if (await isFolder(chats)) found.push(chats);
  }
  return found;
}

/** Of a chat: its `chats` folder, and the folder of an agent's parent below it. */
export function chatLocation(
  root: string,
  file: string,
): { readonly chats: string; readonly parent?: string } | undefined {
  const parts = path.relative(path.dirname(root), path.dirname(file)).split(path.sep);
  const at = parts.lastIndexOf(CHATS);
  // At most `tmp/<project>/chats` below the root.
  if (at === -1 || at > 3 || parts.length > at + 2) return undefined;
  const chats = path.join(path.dirname(root), ...parts.slice(0, at + 1));
  return { chats, ...known({ parent: parts[at + 1] }) };
}

/** Whether a folder may be that of a project, in which `readProjects` looks for its path, or the parent of all of them. */
export function mayBeProject(root: string, folder: string): boolean {
  return folder === path.join(root, 'tmp') || path.dirname(folder) === path.join(root, 'tmp');
}

/** Whether a folder may hold chats or the agents of a session, or is a parent of these. */
export function mayHoldChats(root: string, folder: string): boolean {
  const parts = path.relative(root, folder).split(path.sep);
  if (path.basename(root) === CHATS) return parts.length === 1;
  const at = parts.indexOf(CHATS);
  if (at !== -1) return at <= 2 && parts.length <= at + 2;
  // Other folders of a project, such as `bin` and `logs`, have no sessions.
  return parts[0] === 'tmp' ? parts.length <= 2 : parts.length === 1;
}

const HEAD_BYTES = 2048;
const SESSION = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]+)"\s*,\s*"projectHash"\s*:/;
const CHAT = /^session-.+\.jsonl?$/;

export function sessionInHead(head: Uint8Array): string | undefined {
  return SESSION.exec(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('utf8'))?.[1];
}

/** Sessions by file, reused while the file is unchanged. */
const named = new Map<string, { readonly state: string; readonly session: string }>();
const MAX_NAMED = 50_000;

/** The name of a chat has only the beginning of the session's id; it is used if the head is unreadable. */
export async function sessionOfChat(file: string): Promise<string | undefined> {
  if (!CHAT.test(path.basename(file))) return undefined;
  try {
    const { ino, size, ctimeMs } = await stat(file);
    const state = `${ino} ${size} ${ctimeMs}`;
    const cached = named.get(file);
    if (cached?.state === state) return cached.session;
    const session = sessionInHead(await readHead(file, HEAD_BYTES));
    if (session !== undefined && named.size < MAX_NAMED) named.set(file, { state, session });
    return session ?? (await sessionByName(file));
  } catch (error) {
    // Its name makes it a chat; reading it reports the problem.
    return isWrongFile(error) ? sessionByName(file) : undefined;
  }
}

/** The name ends in the beginning of the session's id; the folder of its agents has the whole id. */
async function sessionByName(file: string): Promise<string> {
  const name = path.basename(file).replace(/\.jsonl?$/, '');
  const beginning = name.slice(name.lastIndexOf('-') + 1);
  const beside = (await foldersIn(path.dirname(file))).map((folder) => path.basename(folder));
  return beside.find((session) => session.startsWith(`${beginning}-`)) ?? name;
}

/** A path and a name for each project: the program writes no larger file. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The path of each project. Its chats are in a folder with a short name (0.2x and later) or the SHA-256 of the path. */
export async function readProjects(
  root: string,
  problems: string[] = [],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const listed = await readList(path.join(root, PROJECTS_FILE), problems);
  const marked = await readMarks(path.join(root, 'tmp'), problems);
  const byName = new Map([
    // Hashes of all known paths.
    ...[...listed.values(), ...marked.values()].map(
      (place) => [createHash('sha256').update(place).digest('hex'), place] as const,
    ),
    ...listed,
    ...marked,
  ]);
  return ({ id, sources }) => {
    const projects = new Set(sources.flatMap((source) => projectOf(root, source.path) ?? []));
    return [...projects].flatMap((project): readonly AgentEvent[] => {
      const cwd = byName.get(project);
      if (cwd === undefined) return [];
      // By project: a session may be in two, and the order of reading must not matter.
      const origin = { source: toSourceId(`${PROJECTS_FILE}#${project}`), offset: 0, length: 0 };
      return [
        { kind: 'session-seen', session: id, origin, cwd, at: AFTER_ALL_ELSE },
        { kind: 'agent-seen', session: id, origin, agent: mainAgentOf(id), cwd },
      ];
    });
  };
}

/** The first folder of a session wins: one named in its chat comes before that of its project. */
const AFTER_ALL_ELSE = Number.MAX_SAFE_INTEGER;

/** The name of the project's folder that a chat lies in. */
function projectOf(root: string, file: string): string | undefined {
  const place = file.startsWith(root + path.sep) ? chatLocation(root, file) : undefined;
  return place && path.basename(path.dirname(place.chats));
}

async function readList(file: string, problems: string[]): Promise<ReadonlyMap<string, string>> {
  const bytes = await readBeside(file, problems, MAX_BYTES);
  const projects = asObject(asObject(bytes && parseJsonBytes(bytes))?.['projects']);
  return new Map(
    Object.entries(projects ?? {}).flatMap(([place, name]) => (asText(name) ? [[String(name), place] as const] : [])),
  );
}

async function readMarks(tmp: string, problems: string[]): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  for (const folder of await foldersIn(tmp)) {
    const bytes = await readBeside(path.join(folder, PROJECT_ROOT_FILE), problems, MAX_BYTES);
    const place = bytes?.toString('utf8').trim() ?? '';
    if (place !== '') marks.set(path.basename(folder), place);
  }
  return marks;
}
