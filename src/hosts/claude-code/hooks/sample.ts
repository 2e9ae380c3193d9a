// A call as Claude Code 2.1.325 hands it to a hook: to see whether an installed command works.

import { known } from '../../../lib/json.ts';
import type { SampleCall } from '../../index.ts';

export function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    permission_mode: 'default',
    ...known({ agent_id: agent, agent_type: agent === undefined ? undefined : 'general-purpose' }),
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'true # troupe doctor', description: 'troupe doctor tries out its hooks' },
    tool_use_id: call,
  };
}

export function sampleTranscript(session: string, version: string): string {
  const line = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/',
    sessionId: session,
    version,
    type: 'user',
    message: { role: 'user', content: 'troupe doctor tries out its hooks' },
    uuid: session,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  return `${JSON.stringify(line)}\n`;
}
