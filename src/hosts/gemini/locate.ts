// Which sessions are in a data folder of Gemini CLI (chats by project, beside folders with those of their agents), and which a change is
// about.

import path from 'node:path';
import { nativeId, toSessionId } from '../../core/index.ts';
import { groupBy } from '../../lib/group.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import { filesIn, foldersIn, lastModified, sourceIdOf } from '../shared/index.ts';
import {
  chatLocation,
  chatsFolders,
  mayBeProject,
  mayHoldChats,
  PROJECT_ROOT_FILE,
  PROJECTS_FILE,
  readProjects,
  sessionOfChat,
} from './data-folder.ts';
import { agentIdOf, HOST } from './record.ts';

export async function locate(root: string): Promise<Located> {
  const problems: string[] = [];
  const factsOf = await readProjects(root, problems);
  const sessions: LocatedSession[] = [];
  const ignoredFiles: string[] = [];
  for (const folder of await chatsFolders(root)) {
    const chats = await readChats(folder);
    ignoredFiles.push(...chats.ignored);
    for (const session of await toParts(root, chats, [...chats.files.keys()]))
      sessions.push({ ...session, facts: factsOf(session) });
  }
  return { sessions, ignoredFiles, problems };
}

interface Chat {
  readonly file: string;
  readonly agent?: string;
}

interface Chats {
  readonly folder: string;
  /** By session, the main agent's first. */
  readonly files: ReadonlyMap<string, readonly Chat[]>;
  readonly ignored: readonly string[];
}

async function readChats(folder: string): Promise<Chats> {
  const ignored: string[] = [];
  const found: (Chat & { readonly session: string })[] = [];
  for (const file of await filesIn(folder)) {
    const session = await sessionOfChat(file);
    if (session === undefined) ignored.push(file);
    else found.push({ file, session });
  }
  const agents = await agentFoldersIn(folder);
  for (const [parent, files] of agents)
    for (const file of files) {
      const agent = agentOf(file);
      if (agent === undefined) ignored.push(file);
      else found.push({ file, agent, session: climb(parent, agents) });
    }
  return { folder, files: groupBy(found, ({ session }) => session), ignored };
}

const AGENT_FILE = /^(.+)\.jsonl?$/;

function agentOf(file: string): string | undefined {
  return AGENT_FILE.exec(path.basename(file))?.[1];
}

type AgentFolders = ReadonlyMap<string, readonly string[]>;

/** Files in the folders beside the chats, by the folder's name. */
async function agentFoldersIn(chats: string): Promise<AgentFolders> {
  const folders = await foldersIn(chats);
  return new Map(
    await Promise.all(folders.map(async (folder) => [path.basename(folder), await filesIn(folder)] as const)),
  );
}

/** Up to 0.61 agents have no agents; if one had, its folder would have the agent's name and be beside. */
function climb(folder: string, folders: AgentFolders): string {
  const seen = new Set<string>();
  let at = folder;
  while (!seen.has(at)) {
    seen.add(at);
    const above = [...folders].find(([, files]) => files.some((file) => agentOf(file) === at))?.[0];
    if (above === undefined) return at;
    at = above;
  }
  return folder;
}

function toParts(
  root: string,
  { folder, files }: Chats,
  natives: readonly string[],
): Promise<readonly LocatedSession[]> {
  return Promise.all(
    natives.map(async (native) => {
      const chats = files.get(native) ?? [];
      return {
        id: toSessionId(HOST, native),
        root,
        folder,
        sources: chats.map((chat) => toSource(root, chat)),
        facts: [],
        modifiedAt: await lastModified(chats.map(({ file }) => file)),
      };
    }),
  );
}

function toSource(root: string, { file, agent }: Chat): LocatedSource {
  return {
    id: sourceIdOf(root, file),
    path: file,
    shape: file.endsWith('.json') ? 'document' : 'lines',
    role: 'chat',
    ...(agent !== undefined && { agent: agentIdOf(agent) }),
  };
}

export const follow: FollowCapability = {
  // A rule, not a list: projects are created and deleted.
  watched: async (root) => (folder) => mayHoldChats(root, folder),
  async subjectOf(root, place) {
    const name = path.basename(place);
    if (name === PROJECT_ROOT_FILE || (name === PROJECTS_FILE && path.dirname(place) === root))
      return { kind: 'facts' };
    const at = chatLocation(root, place);
    if (!at) return { kind: 'nothing', mayHoldFacts: mayBeProject(root, place) };
    const session = await (at.parent === undefined ? sessionOfChat(place) : sessionAbove(at.chats, at.parent, place));
    return session === undefined
      ? { kind: 'nothing' }
      : { kind: 'part', part: { id: toSessionId(HOST, session), folder: at.chats } };
  },
  locateParts: async (root, folder, ids) => toParts(root, await readChats(folder), ids.map(nativeId)),
  readFacts: readProjects,
};

async function sessionAbove(chats: string, parent: string, place: string): Promise<string | undefined> {
  return agentOf(place) === undefined ? undefined : climb(parent, await agentFoldersIn(chats));
}
