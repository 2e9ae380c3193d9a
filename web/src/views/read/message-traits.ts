import type { TranscriptBlock, TranscriptMessage } from '../../../../src/core/index.ts';

/** Changes whenever the message has: replies grow block by block, and results come later. */
export function traitsOf({ id, content }: TranscriptMessage): string {
  const blocks = content.map((block) => {
    switch (block.type) {
      case 'tool_use':
        return `${block.tool_use_id}>${block.sub_agent_ref?.agent_id ?? ''}`;
      case 'tool_result':
        return `${block.is_error ? '!' : '='}${block.text.length}`;
      case 'image':
      case 'attachment':
        return block.media_type;
      default:
        return String(block.text.length);
    }
  });
  return [id, ...blocks].join(' ');
}

/** Characters it takes, about. */
export function sizeOf({ content }: TranscriptMessage): number {
  return content.reduce((sum, block) => sum + 100 + sizeOfBlock(block), 0);
}

function sizeOfBlock(block: TranscriptBlock): number {
  if (block.type === 'image') return block.data?.length ?? 0;
  if (block.type === 'attachment') return 0;
  return block.type === 'tool_use' ? sizeOfValue(block.input) : block.text.length;
}

function sizeOfValue(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 32) return 8;
  return Object.values(value).reduce<number>((sum, one) => sum + 16 + sizeOfValue(one, depth + 1), 0);
}
