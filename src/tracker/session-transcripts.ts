import { codeOf } from '../base/system-error.ts';
import { UserError } from '../base/user-error.ts';
import { nativeId, type SessionId } from '../model/ids.ts';
import type { OpenedSession, PlacedTranscript, Sessions, SessionTranscripts } from '../model/ports.ts';
import type { Transcript, TranscriptAuthor } from '../model/transcript.ts';
import type { AgentNode } from '../model/tree.ts';
import { claim, type FoundSession, type FoundSessions, findSessions } from './find-sessions.ts';
import { createOpenBodies, type OpenedBodies } from './open-bodies.ts';
import { type PlacedAgents, placeAgents } from './place-agents.ts';
import type { Place } from './places.ts';
import { EVERYTHING, type OpenBodies, readTranscript } from './read-transcript.ts';
import { fromParent, type Told, toldIn } from './told-by-parent.ts';

/** Who works in a folder, as far as anybody says. Never fails. */
export type AuthorOf = (folder: string) => Promise<TranscriptAuthor | null>;

export const NOBODY: AuthorOf = async () => null;

export function createSessionTranscripts(
  places: readonly Place[],
  sessions: Sessions,
  authorOf: AuthorOf = NOBODY,
): SessionTranscripts {
  return {
    async open(prefix) {
      const opened = await sessions.open(prefix);
      const found = await claimAll(await findSessions(places), opened);
      const session = found.get(opened.tree.id);
      if (!session)
        throw new UserError(
          'session-not-found',
          'The session went away while it was read.',
          'List them with: troupe ls',
        );
      const placed = placeAgents(opened);
      // Who reads all of it again need not look for the messages again.
      const bodies = createOpenBodies(Number.POSITIVE_INFINITY);
      const sessionOf = (node: AgentNode): FoundSession => found.get(node.session ?? opened.tree.id) ?? session;
      return { ...opened, ...placed, read: () => readAll(sessionOf, opened, placed, { authorOf, bodies }) };
    },
  };
}

/** The session, and those that stand in its tree. */
async function claimAll({ sessions }: FoundSessions, { tree }: OpenedSession) {
  const wanted = new Set([tree.id, ...tree.agents.flatMap(({ session }) => session ?? [])]);
  const claimed = new Map<SessionId, FoundSession>();
  for (const one of sessions.filter(({ located }) => wanted.has(located.id))) {
    const ours = await claim(one, new Set());
    if (ours) claimed.set(ours.located.id, ours);
  }
  return claimed;
}

async function* readAll(
  sessionOf: (node: AgentNode) => FoundSession,
  { tree }: OpenedSession,
  { agents }: PlacedAgents,
  { authorOf, bodies }: { readonly authorOf: AuthorOf; readonly bodies: OpenedBodies },
): AsyncGenerator<PlacedTranscript> {
  const author = tree.cwd === undefined ? null : await authorOf(tree.cwd);
  const told = new Map<string, Told>();
  for (const { node, depth } of agents) {
    const session = sessionOf(node);
    const { own, problem } = await readOwn(session, tree, node, bodies.of(session.adapter));
    const id = nativeId(node.id);
    const transcript = own.messages.length > 0 ? own : fromParent(own, told.get(id), problem);
    told.delete(id);
    for (const [child, words] of toldIn(transcript, session.adapter)) told.set(child, words);
    yield { node, depth, transcript: { ...transcript, author } };
  }
}

interface Own {
  readonly own: Transcript;
  /** Why a part of it cannot be read, without where that lies. */
  readonly problem: string | undefined;
}

async function readOwn(
  session: FoundSession,
  tree: OpenedSession['tree'],
  node: AgentNode,
  opened: OpenBodies,
): Promise<Own> {
  let problem: string | undefined;
  const onUnreadable = ({ cause }: UserError): void => {
    problem = `It cannot be read: ${codeOf(cause)}`;
  };
  const options = { opened, withMedia: true, onUnreadable };
  const { transcript } = await readTranscript(session, tree, node, EVERYTHING, options);
  return { own: transcript, problem };
}
