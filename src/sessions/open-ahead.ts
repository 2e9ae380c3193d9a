import { type AgentId, buildTree, mainAgentOf, nativeId, type SharedFiles, type Transcript } from '../core/index.ts';
import type { LocatedSource, SourceAdapter } from '../hosts/index.ts';
import { editionOf } from '../lib/edition.ts';
import { readSession } from './read-session.ts';
import { fromShared, type SharedSession } from './share-session.ts';

/** What can be said of a session while somebody else still reads it. */
export interface AheadSession {
  /** Where the person works, as the main agent's own file has it. */
  folder(): Promise<string | undefined>;
  /** One after the other, each file by itself, without what a tree would know of it. */
  readonly conversations: readonly AheadConversation[];
}

export interface AheadConversation {
  readonly agent: AgentId;
  read(): Promise<ReadAhead>;
}

export interface ReadAhead extends Pick<Transcript, 'session_id' | 'messages' | 'left_out'> {
  /** As `PlacedTranscript` has it. */
  readonly edition: string | undefined;
}

export function openAhead(adapters: readonly SourceAdapter[], shared: SharedFiles): AheadSession {
  const { adapter, located } = fromShared(adapters, shared as unknown as SharedSession);
  const main = mainAgentOf(located.id);
  const sources = located.sources.filter(({ companion, standIn }) => !companion && !standIn);
  const toConversation = (source: LocatedSource): AheadConversation => {
    const agent = source.agent ?? main;
    return {
      agent,
      async read() {
        const bodies = adapter.openBodies?.(located, source, agent);
        const edition = bodies?.files && editionOf(bodies.files);
        const messages = (await bodies?.readAll?.()) ?? [];
        const isAsBefore = edition !== undefined && bodies?.files && editionOf(bodies.files) === edition;
        return {
          session_id: nativeId(agent),
          messages,
          left_out: bodies?.leftOut() ?? {},
          edition: isAsBefore ? edition : undefined,
        };
      },
    };
  };
  return {
    folder: async () => {
      const own = sources.filter(({ agent }) => agent === undefined);
      // Agents that it names have files, which would be looked for.
      const { locateAgents: _elsewhere, ...alone } = adapter;
      return buildTree(await readSession(alone, { ...located, sources: own }), { now: located.modifiedAt }).cwd;
    },
    conversations: sources.map(toConversation),
  };
}
