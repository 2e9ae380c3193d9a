import {
  type AgentId,
  type AgentNode,
  nativeId,
  type OpenedSession,
  type SessionId,
  type Sessions,
  type SessionTranscripts,
  type SessionTree,
  type SharedTranscripts,
  type Transcript,
  type TranscriptAuthor,
  type TranscriptReader,
} from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import { assertFound, codeOf, UserError } from '../lib/user-error.ts';
import { claim, type FoundSession, type FoundSessions, findSessions } from './find-sessions.ts';
import { createOpenBodies, type OpenedBodies } from './open-bodies.ts';
import { type PlacedAgents, placeAgents } from './place-agents.ts';
import type { Place } from './places.ts';
import { EVERYTHING, editionOfTranscript, openedAnew, readTranscript } from './read-transcript.ts';
import { fromShared, isOfFiles, type SharedSession, toShared } from './share-session.ts';
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
    async open(prefix, onFound) {
      const opened = await sessions.open(prefix, onFound);
      const found = await claimAll(await findSessions(places), opened);
      if (!found.has(opened.tree.id))
        throw new UserError(
          'session-not-found',
          'The session went away while it was read.',
          'List them with: troupe ls',
        );
      const placed = placeAgents(opened);
      // Who reads all of it again need not look for the messages again.
      const { tree } = opened;
      const author = () => (tree.cwd === undefined ? Promise.resolve(null) : authorOf(tree.cwd));
      const bodies = createOpenBodies(Number.POSITIVE_INFINITY);
      return {
        ...opened,
        ...placed,
        author,
        ...createReader({ sessions: found, tree, agents: placed.agents, bodies, author }),
        share: async () =>
          [...found.values()].every(isOfFiles)
            ? {
                sessions: [...found.values()].map(toShared),
                tree,
                agents: placed.agents,
                author: await author(),
              }
            : undefined,
      };
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

export interface ReopenedTranscripts extends TranscriptReader {
  /** Of an agent whose conversation is among them; else -1. */
  indexOf(agent: AgentId): number;
  /** Where the person works. */
  readonly folder: string | undefined;
}

/** A session that another thread has opened, by what its `share` gave. */
export function reopenTranscripts(adapters: readonly SourceAdapter[], shared: SharedTranscripts): ReopenedTranscripts {
  const { sessions, tree, agents, author } = shared as unknown as Shared;
  const found = sessions.map((session) => fromShared(adapters, session));
  const byId = new Map(found.map((session) => [session.located.id, session]));
  return {
    indexOf: (agent) => agents.findIndex(({ node }) => node.id === agent),
    folder: tree.cwd,
    ...createReader({ sessions: byId, tree, agents, bodies: { of: openedAnew }, author: async () => author }),
  };
}

interface Shared {
  readonly sessions: readonly SharedSession[];
  readonly tree: SessionTree;
  readonly agents: PlacedAgents['agents'];
  readonly author: TranscriptAuthor | null;
}

interface Reading {
  /** The session, and those that stand in its tree. */
  readonly sessions: ReadonlyMap<SessionId, FoundSession>;
  readonly tree: SessionTree;
  readonly agents: PlacedAgents['agents'];
  readonly bodies: OpenedBodies;
  readonly author: () => Promise<TranscriptAuthor | null>;
}

function createReader(reading: Reading): TranscriptReader {
  const toldTo = createToldWords(reading);
  async function* read(which?: readonly number[]) {
    const { agents } = reading;
    const author = await reading.author();
    for (const { node, depth } of which ? which.flatMap((index) => agents[index] ?? []) : agents) {
      const { own, problem, edition } = await readOwn(reading, node);
      const isOwn = own.messages.length > 0;
      const transcript = isOwn ? own : fromParent(own, await toldTo(node), problem);
      yield { node, depth, transcript: { ...transcript, author }, edition: isOwn ? edition : undefined };
    }
  }
  return {
    read,
    editionOf: async (which) => {
      const node = reading.agents[which]?.node;
      if (!node) return undefined;
      const session = sessionOf(reading, node);
      return editionOfTranscript(session, node, reading.bodies.of(session.adapter));
    },
  };
}

/** What the parent of one without lines of its own knows of it. The parent is read for that: it is rare. */
function createToldWords(reading: Reading): (node: AgentNode) => Promise<Told | undefined> {
  let last: { readonly parent: AgentNode; readonly told: ReadonlyMap<string, Told> } | undefined;
  return async ({ id, link }) => {
    const parent = reading.agents.find(({ node }) => node.id === link.parent)?.node;
    if (!parent) return undefined;
    if (last?.parent !== parent) {
      const { own } = await readOwn(reading, parent);
      last = { parent, told: toldIn(own, sessionOf(reading, parent).adapter) };
    }
    return last.told.get(nativeId(id));
  };
}

function sessionOf({ sessions, tree }: Reading, { session }: AgentNode): FoundSession {
  const found = sessions.get(session ?? tree.id) ?? sessions.get(tree.id);
  return assertFound(found, 'a session that is read was found');
}

interface Own {
  readonly own: Transcript;
  /** Why a part of it cannot be read, without where that lies. */
  readonly problem: string | undefined;
  readonly edition: string | undefined;
}

async function readOwn(reading: Reading, node: AgentNode): Promise<Own> {
  const session = sessionOf(reading, node);
  const opened = reading.bodies.of(session.adapter);
  let problem: string | undefined;
  const onUnreadable = ({ cause }: UserError): void => {
    problem = `It cannot be read: ${codeOf(cause)}`;
  };
  const options = { opened, withMedia: true, onUnreadable };
  const { transcript, edition } = await readTranscript(session, reading.tree, node, EVERYTHING, options);
  return { own: transcript, problem, edition };
}
