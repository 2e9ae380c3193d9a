import {
  cleanBlock,
  cleanLine,
  cleanOutput,
  cleanValue,
  type MediaBlock,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../index.ts';
import { isShell } from './tool-names.ts';

/** A message whose texts can be shown: the one gate that everything a face shows of a transcript goes through. */
export function cleanMessage(message: TranscriptMessage): TranscriptMessage {
  const shells = new Set(
    message.content.flatMap((block) => (block.type === 'tool_use' && isShell(block.name) ? block.tool_use_id : [])),
  );
  return {
    ...message,
    model: message.model === null ? null : cleanLine(message.model),
    content: message.content.map((block) => cleanOne(block, shells)),
  };
}

function cleanOne(block: TranscriptBlock, shells: ReadonlySet<string>): TranscriptBlock {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'summary':
      return { ...block, text: cleanBlock(block.text) };
    case 'tool_use':
      return {
        ...block,
        name: cleanLine(block.name) || 'unnamed tool',
        input: cleanValue(block.input),
        summary: block.summary === null ? null : cleanLine(block.summary),
      };
    case 'tool_result':
      return {
        ...block,
        text: shells.has(block.tool_use_id) ? cleanOutput(block.text) : cleanBlock(block.text),
        ...(block.media && { media: block.media.map(cleanMedia) }),
        ...(block.changes && { changes: block.changes.map((change) => ({ ...change, path: cleanLine(change.path) })) }),
      };
    case 'notice':
      return {
        ...block,
        title: block.title === null ? null : cleanLine(block.title),
        text: block.kind === 'command-output' ? cleanOutput(block.text) : cleanBlock(block.text),
      };
    case 'image':
    case 'attachment':
      return cleanMedia(block);
  }
}

/** Base64 is handed on as it is; who shows an image checks what is in it. */
function cleanMedia(block: MediaBlock): MediaBlock {
  const media_type = cleanLine(block.media_type) || 'unknown';
  if (block.type === 'image') return { ...block, media_type };
  return { ...block, media_type, name: block.name === null ? null : cleanLine(block.name) };
}
