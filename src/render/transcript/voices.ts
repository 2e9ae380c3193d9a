import type { TranscriptMessage } from '../../model/transcript.ts';

/** Who speaks: the person, the agent that asked, the agent itself, or the program around it. */
export type Voice = 'person' | 'parent' | 'agent' | 'host';

export function voiceOf({ role }: TranscriptMessage, isSubAgent: boolean): Voice {
  if (role === 'assistant') return 'agent';
  if (role === 'system') return 'host';
  return isSubAgent ? 'parent' : 'person';
}

const HOSTS: ReadonlyMap<string, string> = new Map([
  ['claude-code', 'Claude Code'],
  ['opencode', 'OpenCode'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
]);

export function hostTitle(host: string | undefined): string {
  return (host && HOSTS.get(host)) || 'the program';
}
