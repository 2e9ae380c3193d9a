import { codeOf } from '../base/system-error.ts';
import { UserError } from '../base/user-error.ts';
import { nativeId } from '../model/ids.ts';
import type { OpenedSession, PlacedTranscript, Sessions, SessionTranscripts } from '../model/ports.ts';
import type { Transcript, TranscriptAuthor } from '../model/transcript.ts';
import type { AgentNode } from '../model/tree.ts';
import { claim, type FoundSession, findSessions } from './find-sessions.ts';
import { createOpenBodies } from './open-bodies.ts';
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
      const found = (await findSessions(places)).sessions.find(({ located }) => located.id === opened.tree.id);
      const session = found && (await claim(found, new Set()));
      if (!session)
        throw new UserError(
          'session-not-found',
          'The session went away while it was read.',
          'List them with: troupe ls',
        );
      const placed = placeAgents(opened);
      // Who reads all of it again need not look for the messages again.
      const bodies = createOpenBodies(Number.POSITIVE_INFINITY).of(session.adapter);
      return { ...opened, ...placed, read: () => readAll(session, opened, placed, { authorOf, bodies }) };
    },
  };
}

async function* readAll(
  session: FoundSession,
  { tree }: OpenedSession,
  { agents }: PlacedAgents,
  { authorOf, bodies }: { readonly authorOf: AuthorOf; readonly bodies: OpenBodies },
): AsyncGenerator<PlacedTranscript> {
  const author = tree.cwd === undefined ? null : await authorOf(tree.cwd);
  const told = new Map<string, Told>();
  for (const { node, depth } of agents) {
    const { own, problem } = await readOwn(session, tree, node, bodies);
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
