import type { TranscriptMessage } from '../index.ts';

/** Who speaks: the person, the agent that asked, the agent itself, or the program around it. */
export type Voice = 'person' | 'parent' | 'agent' | 'host';

export function voiceOf(message: TranscriptMessage, isSubAgent: boolean): Voice {
  if (message.role === 'assistant') return 'agent';
  if (message.role === 'system') return 'host';
  if (isSubAgent) return 'parent';
  return isHandedOver(message) ? 'host' : 'person';
}

/** What teammates write to the main agent comes in the person's place, and is none of the person's words. */
function isHandedOver({ content }: TranscriptMessage): boolean {
  return content.length > 0 && content.every((block) => block.type === 'notice' && block.kind !== 'command');
}
