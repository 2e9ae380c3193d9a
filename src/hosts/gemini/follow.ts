// What a change below a data folder of Gemini CLI is about.

import path from 'node:path';
import { nativeId, toSessionId } from '../../core/index.ts';
import type { FollowCapability } from '../index.ts';
import { isChatName, sessionOfChat } from './chat-head.ts';
import { chatPlaceOf, mayBeProject, mayHoldChats, PROJECT_ROOT_FILE, PROJECTS_FILE } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { agentOf, locateParts, sessionOfFolder } from './locate.ts';
import { readProjects } from './projects.ts';

export const follow: FollowCapability = {
  // Projects come and go: a rule, not a list.
  watched: async (root) => (folder) => mayHoldChats(root, folder),
  async subjectOf(root, place) {
    const name = path.basename(place);
    if (name === PROJECT_ROOT_FILE || (name === PROJECTS_FILE && path.dirname(place) === root))
      return { kind: 'facts' };
    const at = chatPlaceOf(root, place);
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
