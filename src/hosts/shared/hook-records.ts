// What is kept of a hook for the tree, where the host's own files say all the rest: who asks the person, and that it is over.

import {
  type AgentEvent,
  type EventOrigin,
  hostOf,
  type SessionId,
  type SourceId,
  toAgentId,
} from '../../core/index.ts';
import { asAmount, asText, isObject, parseJson } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';

/** By the host's own id of the agent. */
export type Told = { readonly asks: string } | { readonly closes: true };

export function createToldReader(session: SessionId, source: SourceId): SourceReader {
  return { read: (line) => readLine(line, session, { source, offset: line.offset, length: line.length }) };
}

function readLine(line: Line, session: SessionId, origin: EventOrigin): readonly AgentEvent[] {
  const said = parseJson(Buffer.from(line.bytes).toString('utf8'));
  const at = isObject(said) ? asAmount(said['at']) : undefined;
  const told = isObject(said) ? said['payload'] : undefined;
  if (at === undefined || !isObject(told))
    return [{ kind: 'problem-found', session, origin, diagnostic: { code: 'invalid-json', detail: 'hooks', origin } }];
  const agent = asText(told['asks']);
  if (agent !== undefined)
    return [{ kind: 'agent-asked', session, origin, at, agent: toAgentId(hostOf(session), agent) }];
  return told['closes'] === true ? [{ kind: 'session-closed', session, origin, at }] : [];
}
