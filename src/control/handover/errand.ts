// What an agent was asked, and what it said last.

import type { Transcript, TranscriptMessage } from '../../core/index.ts';

/** Everything that was asked of it, in order: an agent may have been woken again. */
export function askedIn({ messages }: Transcript): string {
  return messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The words behind its last call; where it was cut off there, the last ones it said at all. */
export function resultIn({ messages }: Transcript): string {
  const said = messages.filter(({ role }) => role === 'assistant').map(textOf);
  return said.findLast((text) => text !== '') ?? '';
}

function textOf({ content }: TranscriptMessage): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []))
    .filter((text) => text !== '')
    .join('\n\n');
}
