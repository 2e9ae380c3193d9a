import type { AgentNode, OpenedSession, TranscriptBlock } from '../core/index.ts';
import { claim, findSessions } from './find-sessions.ts';
import type { Place } from './places.ts';
import { readTranscript } from './read-transcript.ts';

export interface CallInTranscript {
  readonly agent: AgentNode;
  /** The host's id of it. */
  readonly id: string;
  readonly tool: string;
  /** Whole, with all secrets in it. */
  readonly input: unknown;
}

/** Every tool call of a session, agent by agent, with what it was given. */
export async function readCalls(
  places: readonly Place[],
  { tree }: Pick<OpenedSession, 'tree'>,
): Promise<readonly CallInTranscript[]> {
  const found = (await findSessions(places)).sessions.find(({ located }) => located.id === tree.id);
  const session = found && (await claim(found, new Set()));
  if (!session) return [];
  const calls = new Map<string, CallInTranscript>();
  for (const agent of tree.agents) {
    const { transcript } = await readTranscript(session, tree, agent);
    for (const block of transcript.messages.flatMap(({ content }) => content))
      if (isCall(block) && !calls.has(block.tool_use_id))
        calls.set(block.tool_use_id, { agent, id: block.tool_use_id, tool: block.name, input: block.input });
  }
  return [...calls.values()];
}

function isCall(block: TranscriptBlock): block is Extract<TranscriptBlock, { readonly type: 'tool_use' }> {
  return block.type === 'tool_use';
}
