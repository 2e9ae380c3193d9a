import type { SourceAdapter } from '../adapters/adapter.ts';
import { codeOf } from '../base/system-error.ts';
import { UserError } from '../base/user-error.ts';
import { nativeId } from '../model/ids.ts';
import type { Sessions, SessionTranscripts, SharedTranscripts, TranscriptReader } from '../model/ports.ts';
import type { Transcript, TranscriptAuthor } from '../model/transcript.ts';
import type { AgentNode, SessionTree } from '../model/tree.ts';
import { claim, type FoundSession, findSessions } from './find-sessions.ts';
import { createOpenBodies } from './open-bodies.ts';
import { type PlacedAgents, placeAgents } from './place-agents.ts';
import type { Place } from './places.ts';
import { EVERYTHING, type OpenBodies, openedAnew, readTranscript } from './read-transcript.ts';
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
      const { tree } = opened;
      const author = () => (tree.cwd === undefined ? Promise.resolve(null) : authorOf(tree.cwd));
      return {
        ...opened,
        ...placed,
        read: createReader({ session, tree, agents: placed.agents, bodies, author }),
        share: async () =>
          isOfFiles(session)
            ? { ...toShared(session), tree, agents: placed.agents, author: await author() }
            : undefined,
      };
    },
  };
}

/** A session that another thread has opened, by what its `share` gave. */
export function reopenTranscripts(adapters: readonly SourceAdapter[], shared: SharedTranscripts): TranscriptReader {
  const { host, forced, located, tree, agents, author } = shared as unknown as Shared;
  const adapter = adapters.find((one) => one.host === host);
  if (!adapter) throw new Error(`troupe: nobody reads ${host} here`);
  const session = { adapter, forced, located };
  return { read: createReader({ session, tree, agents, bodies: openedAnew(adapter), author: async () => author }) };
}

/** A database or a server has its own reader, which stays with who opened it. */
function isOfFiles({ located }: FoundSession): boolean {
  return located.sources.every(({ shape }) => shape !== 'table');
}

interface Shared extends Omit<FoundSession, 'adapter'> {
  readonly host: string;
  readonly tree: SessionTree;
  readonly agents: PlacedAgents['agents'];
  readonly author: TranscriptAuthor | null;
}

function toShared({ adapter, forced, located }: FoundSession): Pick<Shared, 'host' | 'forced' | 'located'> {
  return { host: adapter.host, forced, located };
}

interface Reading {
  readonly session: FoundSession;
  readonly tree: SessionTree;
  readonly agents: PlacedAgents['agents'];
  readonly bodies: OpenBodies;
  readonly author: () => Promise<TranscriptAuthor | null>;
}

function createReader(reading: Reading): TranscriptReader['read'] {
  const toldTo = createToldWords(reading);
  return async function* read(which) {
    const { agents } = reading;
    const author = await reading.author();
    for (const { node, depth } of which ? which.flatMap((index) => agents[index] ?? []) : agents) {
      const { own, problem } = await readOwn(reading, node);
      const transcript = own.messages.length > 0 ? own : fromParent(own, await toldTo(node), problem);
      yield { node, depth, transcript: { ...transcript, author } };
    }
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
      last = { parent, told: toldIn(own, reading.session.adapter) };
    }
    return last.told.get(nativeId(id));
  };
}

interface Own {
  readonly own: Transcript;
  /** Why a part of it cannot be read, without where that lies. */
  readonly problem: string | undefined;
}

async function readOwn({ session, tree, bodies: opened }: Reading, node: AgentNode): Promise<Own> {
  let problem: string | undefined;
  const onUnreadable = ({ cause }: UserError): void => {
    problem = `It cannot be read: ${codeOf(cause)}`;
  };
  const options = { opened, withMedia: true, onUnreadable };
  const { transcript } = await readTranscript(session, tree, node, EVERYTHING, options);
  return { own: transcript, problem };
}
