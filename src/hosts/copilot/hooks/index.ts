import { known } from '../../../lib/json.ts';
import type { HooksCapability, SampleCall } from '../../index.ts';
import { createToldReader } from '../../shared/index.ts';
import { copilotGuard } from '../guard.ts';
import { toGuarded } from './guarded-tools.ts';

export const hooks: HooksCapability = {
  ...copilotGuard,
  toCall: toGuarded,
  // The session's own file tells of everything as soon as a hook would.
  condense: () => undefined,
  sampleCall,
  sampleTranscript: () => '',
  // Who calls is told by where the session lies, not by the version.
  namesCallers: () => false,
  createHookReader: createToldReader,
};

/** As 1.0.102 does. Its calls have no ids: the command says which it is. */
function sampleCall({ session, call, agent }: SampleCall): unknown {
  return {
    sessionId: agent ?? session,
    timestamp: Date.now(),
    cwd: '/',
    toolName: 'bash',
    toolArgs: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks' },
    ...known({
      agentId: agent,
      agentType: agent === undefined ? undefined : 'general-purpose',
      parentAgentId: agent === undefined ? undefined : session,
    }),
  };
}
