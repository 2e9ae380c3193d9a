// Which sessions are in a data folder of Qwen Code (a chat for each, beside the files of its agents), and which a change is about.

import path from 'node:path';
import { type AgentId, nativeId, toSessionId } from '../../core/index.ts';
import { modifiedAt } from '../../lib/folders.ts';
import { known } from '../../lib/json.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import { filesIn, foldersIn, lastModified, sourceIdOf } from '../shared/index.ts';
import { AGENTS, CHATS, fileLocation, mayHoldSessions, projectFolders } from './data-folder.ts';
import { agentIdOf, HOST } from './record.ts';

type Role = 'chat' | 'agent' | 'sidecar';

export async function locate(root: string): Promise<Located> {
  const sessions: LocatedSession[] = [];
  const ignoredFiles: string[] = [];
  for (const project of await projectFolders(root)) {
    const chats = await filesIn(path.join(project, CHATS));
    const agents = await foldersIn(path.join(project, AGENTS));
    // The chat may be gone while its agents' files are still there.
    const ofAgents = agents.map((folder) => path.basename(folder));
    const natives = new Set([...chats.flatMap((file) => sessionOf(file) ?? []), ...ofAgents]);
    ignoredFiles.push(...chats.filter((file) => sessionOf(file) === undefined));
    for (const native of natives) {
      const { session, ignored } = await locateSession(root, project, native);
      if (session.sources.length > 0) sessions.push(session);
      ignoredFiles.push(...ignored);
    }
  }
  return { sessions, ignoredFiles };
}

async function locateSession(root: string, project: string, native: string) {
  const chat = path.join(project, CHATS, `${native}.jsonl`);
  const hasChat = (await modifiedAt(chat)) > 0;
  const files = (await filesIn(path.join(project, AGENTS, native))).filter((file) => !file.endsWith(PARTIAL));
  const agents = files.flatMap((file) => toSource(root, file) ?? []);
  const sources = [...(hasChat ? [sourceOf(root, chat, 'chat')] : []), ...agents];
  const session: LocatedSession = {
    id: toSessionId(HOST, native),
    root,
    folder: project,
    sources,
    facts: [],
    modifiedAt: await lastModified(sources.map((source) => source.path)),
  };
  return { session, ignored: files.filter((file) => toSource(root, file) === undefined) };
}

/** A forked session names agents whose files are in the folder of the session that started them. */
export async function locateAgents(
  session: LocatedSession,
  agents: readonly AgentId[],
): Promise<readonly LocatedSource[]> {
  const { root, folder } = session;
  if (root === undefined || folder === undefined || agents.length === 0) return [];
  const found: LocatedSource[] = [];
  for (const others of await foldersIn(path.join(folder, AGENTS)))
    for (const file of await filesIn(others)) {
      const source = file.endsWith(PARTIAL) ? undefined : toSource(root, file);
      if (source?.agent && agents.includes(source.agent)) found.push(source);
    }
  return found;
}

/** The message that an agent is writing (0.2x); it is added to its conversation when complete. */
const PARTIAL = '.jsonl.stream';
const AGENT_FILE = /^agent-(.+?)(\.meta\.json|\.jsonl)$/;

function toSource(root: string, file: string): LocatedSource | undefined {
  const [, agent, ending] = AGENT_FILE.exec(path.basename(file)) ?? [];
  if (agent === undefined) return undefined;
  return sourceOf(root, file, ending === '.jsonl' ? 'agent' : 'sidecar', agent);
}

function sourceOf(root: string, file: string, role: Role, agent?: string): LocatedSource {
  return {
    id: sourceIdOf(root, file),
    path: file,
    shape: role === 'sidecar' ? 'document' : 'lines',
    role,
    ...known({
      companion: role === 'sidecar' ? true : undefined,
      agent: agent === undefined ? undefined : agentIdOf(agent),
    }),
  };
}

function sessionOf(chat: string): string | undefined {
  return chat.endsWith('.jsonl') ? path.basename(chat, '.jsonl') : undefined;
}

export const follow: FollowCapability = {
  // A rule, not a list: projects are created and deleted.
  watched: async (root) => (folder) => mayHoldSessions(root, folder),
  async subjectOf(root, place) {
    const at = fileLocation(root, place);
    return at ? { kind: 'part', part: { id: toSessionId(HOST, at.session), folder: at.project } } : { kind: 'nothing' };
  },
  locateParts: (root, folder, ids) =>
    Promise.all(ids.map(async (id) => (await locateSession(root, folder, nativeId(id))).session)),
  readFacts: async () => () => [],
};
