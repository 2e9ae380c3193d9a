import type { TranscriptBlock, TranscriptMessage } from '../../model/transcript.ts';
import { createSessionTranscripts } from '../../tracker/session-transcripts.ts';
import { createSessions } from '../../tracker/sessions.ts';
import type { SourceAdapter } from '../adapter.ts';
import { MUCH_LATER } from './feed.ts';

/** One message in a line, for people who compare. */
export function showMessage({ role, content }: TranscriptMessage): string {
  return `${role}: ${content.map(showBlock).join(' | ')}`;
}

function showBlock(block: TranscriptBlock): string {
  switch (block.type) {
    case 'tool_use':
      return `${block.name}(${block.summary})${block.sub_agent_ref ? ` → ${block.sub_agent_ref.agent_id}` : ''}`;
    case 'tool_result':
      return `${block.is_error ? 'failed' : 'gave'} ${JSON.stringify(block.text.slice(0, 60))}`;
    case 'notice':
      return `[${block.kind} ${block.title}] ${block.text.slice(0, 60)}`;
    case 'text':
    case 'thinking':
    case 'summary':
      return `${block.type === 'text' ? '' : `(${block.type}) `}${block.text.slice(0, 60)}`;
    default:
      return block.type;
  }
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
