// OpenCode's hooks beside the guard: a sample for `troupe doctor`, and the permission requests that our plugin reports: who waits for one, and
// when it is answered.

import type { SessionId, SourceId } from '../../../core/index.ts';
import { asObject, asText, isObject, known } from '../../../lib/json.ts';
import type { HooksCapability, SampleCall, SourceReader } from '../../index.ts';
import { createHookRecordReader } from '../../shared/index.ts';
import { ASKED, BEFORE_CALL, opencodeGuard, REPLIED, toGuarded } from '../guard.ts';
import { answeredFact, askedFact } from '../parse-messages.ts';

export const hooks: HooksCapability = {
  ...opencodeGuard,
  // The servers at that time are unknown.
  toCall: (tool, input) => toGuarded(tool, input, []),
  condense,
  sampleCall,
  // There are no transcripts: the caller is in the payload.
  sampleTranscript: () => '',
  namesCallers: () => true,
  createHookReader,
};

export function condense(payload: unknown): unknown {
  if (!isObject(payload)) return undefined;
  const { hook, session, permission } = payload;
  if (hook !== ASKED && hook !== REPLIED) return undefined;
  return { event: hook, agent: session, question: asObject(permission)?.['id'] };
}

export function createHookReader(session: SessionId, source: SourceId): SourceReader {
  return createHookRecordReader(session, source, ({ payload, ...place }) => {
    const [by, question] = [asText(payload['agent']), asText(payload['question'])];
    if (by === undefined || question === undefined) return undefined;
    if (payload['event'] === ASKED) return askedFact({ ...place, question, by });
    return payload['event'] === REPLIED ? answeredFact({ ...place, question, by }) : undefined;
  });
}

function sampleCall({ session, call, agent }: SampleCall): unknown {
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
