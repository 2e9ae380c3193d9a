// OpenCode's hooks beside the guard: a sample for `troupe doctor`, and the permission requests that our plugin reports: who waits for one, and
// when it is answered.

import type { AgentEvent, EventOrigin, SessionId, SourceId } from '../../../core/index.ts';
import { asAmount, asObject, asText, isObject, known, parseJson } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { HooksCapability, SampleCall, SourceReader } from '../../index.ts';
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
  return { read: (line) => readLine(line, session, { source, offset: line.offset, length: line.length }) };
}

function readLine(line: Line, session: SessionId, origin: EventOrigin): readonly AgentEvent[] {
  const said = parseJson(Buffer.from(line.bytes).toString('utf8'));
  const at = isObject(said) ? asAmount(said['at']) : undefined;
  const payload = isObject(said) ? said['payload'] : undefined;
  if (at === undefined || !isObject(payload))
    return [{ kind: 'problem-found', session, origin, diagnostic: { code: 'invalid-json', detail: 'hooks', origin } }];
  const [by, question] = [asText(payload['agent']), asText(payload['question'])];
  if (by === undefined || question === undefined) return [];
  const place = { session, origin, question, by, at };
  if (payload['event'] === ASKED) return [askedFact(place)];
  return payload['event'] === REPLIED ? [answeredFact(place)] : [];
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
