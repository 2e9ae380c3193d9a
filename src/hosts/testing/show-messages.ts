import type { Transcript, TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import { createSessions, createSessionTranscripts, createTranscripts } from '../../sessions/index.ts';
import type { SourceAdapter } from '../index.ts';
import { MUCH_LATER } from './feed.ts';

/** One message in a line, for people who compare. */
export function showMessage({ role, content }: TranscriptMessage): string {
  return `${role}: ${content.map(showBlock).join(' | ')}`;
}

function showBlock(block: TranscriptBlock): string {
  switch (block.type) {
    case 'tool_use':
      return `${block.name}(${block.summary})${showAgent(block.sub_agent_ref?.agent_id)}`;
    case 'tool_result':
      return `${block.is_error ? 'failed' : 'gave'} ${JSON.stringify(block.text.slice(0, 60))}`;
    case 'notice':
      return `[${block.kind} ${block.title}${showAgent(block.agent_id)}] ${block.text.slice(0, 60)}`;
    case 'text':
    case 'thinking':
    case 'summary':
      return `${block.type === 'text' ? '' : `(${block.type}) `}${block.text.slice(0, 60)}`;
    default:
      return block.type;
  }
}

const showAgent = (id: string | null | undefined): string => (id ? ` → ${id}` : '');

/** The conversation of one agent, by the beginning of its id. */
export async function readTranscript(adapter: SourceAdapter, root: string, agent: string): Promise<Transcript> {
  return (await createTranscripts([{ adapter, root, forced: false }], () => 0).read(agent)).transcript;
}

/** All conversations of the one session in a folder, by agent; of an agent without a file, what its parent knows. */
export async function showSession(
  adapter: SourceAdapter,
  root: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const places = [{ adapter, root, forced: false }];
  const opened = await createSessionTranscripts(places, createSessions(places, { clock: () => MUCH_LATER })).open();
  const shown: Record<string, readonly string[]> = {};
  for await (const { transcript } of opened.read())
    shown[transcript.session_id] = [`from ${transcript.known_from}`, ...transcript.messages.map(showMessage)];
  return shown;
}
