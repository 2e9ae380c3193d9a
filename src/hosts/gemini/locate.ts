// Which sessions are in a data folder of Gemini CLI (chats by project, beside folders with those of their agents), and which a change is
// about.

import path from 'node:path';
import { nativeId, toSessionId, toSourceId } from '../../core/index.ts';
import { isFileEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { groupBy } from '../../lib/group.ts';
import { known } from '../../lib/json.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import {
  chatLocation,
  chatsFolders,
  isChatName,
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
    for (const session of await Promise.all([...chats.files.keys()].map((native) => toPart(root, chats, native))))
      sessions.push({ ...session, facts: factsOf(session) });
  }
  return { sessions, ignoredFiles, problems };
}

async function locateParts(
  root: string,
  folder: string,
  natives: readonly string[],
): Promise<readonly LocatedSession[]> {
  const chats = await readChats(folder);
  return Promise.all(natives.map((native) => toPart(root, chats, native)));
}

async function sessionOfFolder(chats: string, folder: string): Promise<string> {
  return climb(folder, await agentFoldersIn(chats));
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
  for (const entry of await listFolder(folder)) {
    const { name } = entry;
    const file = path.join(folder, name);
    if (!isFileEntry(entry)) continue;
    const session = isChatName(name) ? await sessionOfChat(file) : undefined;
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
  const folders = (await listFolder(chats)).filter(({ kind }) => kind === 'folder');
  return new Map(
    await Promise.all(
      folders.map(async ({ name }): Promise<[string, readonly string[]]> => {
        const files = (await listFolder(path.join(chats, name))).filter(isFileEntry);
        return [name, files.map((file) => path.join(chats, name, file.name))];
      }),
    ),
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

async function toPart(root: string, { folder, files }: Chats, native: string): Promise<LocatedSession> {
  const chats = files.get(native) ?? [];
  const times = await Promise.all(chats.map(({ file }) => modifiedAt(file)));
  return {
    id: toSessionId(HOST, native),
    root,
    folder,
    sources: chats.map((chat) => toSource(root, chat)),
    facts: [],
    modifiedAt: Math.max(0, ...times),
  };
}

function toSource(root: string, { file, agent }: Chat): LocatedSource {
  return {
    id: toSourceId(path.relative(root, file).split(path.sep).join('/')),
    path: file,
    shape: file.endsWith('.json') ? 'document' : 'lines',
    role: 'chat',
    ...known({ agent: agent === undefined ? undefined : agentIdOf(agent) }),
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
    const session = at.parent === undefined ? await ownSession(place) : await sessionAbove(at.chats, at.parent, place);
    return session === undefined
      ? { kind: 'nothing' }
      : { kind: 'part', part: { id: toSessionId(HOST, session), folder: at.chats } };
  },
  locateParts: (root, folder, ids) => locateParts(root, folder, ids.map(nativeId)),
  readFacts: readProjects,
};

async function ownSession(place: string): Promise<string | undefined> {
  return isChatName(path.basename(place)) ? sessionOfChat(place) : undefined;
}

async function sessionAbove(chats: string, parent: string, place: string): Promise<string | undefined> {
  return agentOf(place) === undefined ? undefined : sessionOfFolder(chats, parent);
}
