// What is kept of hook calls for the tree: lines `{"id":…,"at":epoch ms,"payload":…}`, one for each call.

import {
  type AgentEvent,
  type EventOrigin,
  hostOf,
  type SessionId,
  type SourceId,
  toAgentId,
} from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, parseJson } from '../../lib/json.ts';
import type { SourceReader } from '../index.ts';

/** One kept call: when it came, and what was kept of it. */
export interface HookRecord {
  readonly session: SessionId;
  readonly origin: EventOrigin;
  readonly at: number;
  readonly payload: JsonObject;
}

export function createHookRecordReader(
  session: SessionId,
  source: SourceId,
  toFact: (record: HookRecord) => AgentEvent | undefined,
): SourceReader {
  return {
    read(line) {
      const origin = { source, offset: line.offset, length: line.length };
      const record = asObject(parseJson(Buffer.from(line.bytes).toString('utf8')));
      const [at, payload] = [asAmount(record?.['at']), asObject(record?.['payload'])];
      if (at === undefined || !payload) {
        const diagnostic = { code: 'invalid-json', detail: 'hooks', origin } as const;
        return [{ kind: 'problem-found', session, origin, diagnostic }];
      }
      const fact = toFact({ session, origin, at, payload });
      return fact ? [fact] : [];
    },
  };
}

/** All that is kept where the host's own files hold the rest: which agent asks the person (by the host's id), and the end. */
export type Told = { readonly asks: string } | { readonly closes: true };

export function createKeptHookReader(session: SessionId, source: SourceId): SourceReader {
  return createHookRecordReader(session, source, ({ payload, ...place }) => {
    const agent = asText(payload['asks']);
    if (agent !== undefined) return { kind: 'agent-asked', ...place, agent: toAgentId(hostOf(session), agent) };
    return payload['closes'] === true ? { kind: 'session-closed', ...place } : undefined;
  });
}
