// A call as Codex 0.166 hands it to a hook: to see whether an installed command works.

import { known } from '../../../lib/json.ts';
import type { SampleCall } from '../../index.ts';
import { BEFORE_CALL } from './payload.ts';

export function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    turn_id: session,
    ...known({ agent_id: agent, agent_type: agent === undefined ? undefined : 'worker' }),
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    model: 'troupe-doctor',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'true # troupe doctor tries out its hooks' },
    tool_use_id: call,
  };
}

/** The rollout of the main thread. */
export function sampleTranscript(session: string, version: string): string {
  const payload = { id: session, session_id: session, cwd: '/', source: 'cli', cli_version: version };
  return `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload })}\n`;
}
