// What is kept of our plugin's calls for the tree, and the facts of it: who waits for a permission, and whose was given or refused.

import type { AgentEvent, EventOrigin, SessionId, SourceId } from '../../../core/index.ts';
import { asAmount, asObject, asText, isObject, parseJson } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { SourceReader } from '../../index.ts';
import { answeredFact, askedFact } from '../facts/question-facts.ts';
import { ASKED, REPLIED } from './payload.ts';

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
