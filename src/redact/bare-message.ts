import type { TranscriptBlock, TranscriptMessage } from '../core/index.ts';

/** Without what only the tree knows: which agents a call made, and whom a notice is about. */
export function bareMessage(message: TranscriptMessage): TranscriptMessage {
  return isBare(message) ? message : { ...message, content: message.content.map(bareBlock) };
}

export function isBare({ content }: TranscriptMessage): boolean {
  for (const block of content) if (!isBareBlock(block)) return false;
  return true;
}

function isBareBlock(block: TranscriptBlock): boolean {
  return block.type === 'notice' ? block.agent_id === null : !('sub_agent_ref' in block);
}

function bareBlock(block: TranscriptBlock): TranscriptBlock {
  if (block.type === 'notice') return { ...block, agent_id: null };
  if (block.type !== 'tool_use') return block;
  const { sub_agent_ref: _made, sub_agent_refs: _allMade, ...bare } = block;
  return bare;
}
