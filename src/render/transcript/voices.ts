import type { TranscriptMessage } from '../../model/transcript.ts';

/** Who speaks: the person, the agent that asked, the agent itself, or the program around it. */
export type Voice = 'person' | 'parent' | 'agent' | 'host';

export function voiceOf({ role }: TranscriptMessage, isSubAgent: boolean): Voice {
  if (role === 'assistant') return 'agent';
  if (role === 'system') return 'host';
  return isSubAgent ? 'parent' : 'person';
}

/** Its short name, word by word as people write names. */
export function hostTitle(host: string | undefined): string {
  if (!host) return 'the program';
  return host
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}
