import { isObject } from '../../../lib/json.ts';
import type { HooksCapability, SampleCall } from '../../index.ts';
import { createToldReader, type Told } from '../../shared/index.ts';
import { geminiGuard } from '../guard.ts';
import { BEFORE_CALL, ENDS, toGuarded } from './payload.ts';

export const hooks: HooksCapability = {
  ...geminiGuard,
  toCall: toGuarded,
  condense: (payload): Told | undefined =>
    isObject(payload) && payload['hook_event_name'] === ENDS ? { closes: true } : undefined,
  sampleCall,
  sampleTranscript: () => '',
  namesNobody: true,
  namesCallers: () => false,
  createHookReader: createToldReader,
};

/** As 0.61.0 does, whichever agent it is. Its calls have no ids: the command says which it is. */
function sampleCall({ session, transcript, call }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    timestamp: new Date().toISOString(),
    tool_name: 'run_shell_command',
    tool_input: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks' },
  };
}
