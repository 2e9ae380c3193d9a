import { isObject, known } from '../../../lib/json.ts';
import type { HooksCapability, SampleCall } from '../../index.ts';
import { createToldReader, type Told } from '../../shared/index.ts';
import { qwenGuard } from '../guard.ts';
import { BEFORE_CALL, ENDS, toGuarded } from './payload.ts';
import { namesCallers } from './transcript-version.ts';

export const hooks: HooksCapability = {
  ...qwenGuard,
  toCall: toGuarded,
  condense: (payload): Told | undefined =>
    isObject(payload) && payload['hook_event_name'] === ENDS ? { closes: true } : undefined,
  sampleCall,
  sampleTranscript,
  namesCallers,
  createHookReader: createToldReader,
};

/** As 0.24.4 does. */
function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    timestamp: new Date().toISOString(),
    permission_mode: 'default',
    ...known({ agent_id: agent }),
    tool_name: 'run_shell_command',
    tool_input: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks', is_background: false },
    tool_use_id: `toolu_${call}`,
    tool_call_id: call,
  };
}

function sampleTranscript(session: string, version: string): string {
  const line = {
    uuid: session,
    parentUuid: null,
    sessionId: session,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'user',
    cwd: '/',
    version,
    message: { role: 'user', parts: [{ text: 'troupe doctor tries out its hooks' }] },
  };
  return `${JSON.stringify(line)}\n`;
}
