// A call as our plugin hands it over: to see whether an installed command works.

import { known } from '../../../lib/json.ts';
import type { SampleCall } from '../../index.ts';
import { BEFORE_CALL } from './payload.ts';

export function sampleCall({ session, call, agent }: SampleCall): unknown {
  const main = { id: session, directory: '/' };
  const own = agent === undefined ? [] : [{ id: agent, parent: session, agent: 'general', directory: '/' }];
  return {
    hook: BEFORE_CALL,
    session: agent ?? session,
    line: [...own, main],
    directory: '/',
    tool: 'bash',
    args: { command: 'true # troupe doctor', description: 'troupe doctor tries out its hooks' },
    ...known({ call }),
  };
}
