import type { AgentEvent } from '../../../core/index.ts';
import { asObject, asText, known, parseObject } from '../../../lib/json.ts';
import type { SourceReader } from '../../index.ts';
import { createdAtOf, messageFacts } from '../facts/message-facts.ts';
import { partFacts } from '../facts/part-facts.ts';
import { sessionFacts } from '../facts/session-facts.ts';
import { type Door, toSessionInfo } from '../record.ts';

/** `{info, messages: [{info, parts}]}`: one session, without those of its agents. */
export function createExportReader(door: Door): SourceReader {
  return {
    read({ bytes, length }) {
      if (length === 0) return [];
      const document = parseObject(Buffer.from(bytes).toString('utf8'));
      const session = toSessionInfo(asObject(document?.['info']));
      if (!document || !session) {
        const origin = { source: door.source, offset: 0, length };
        const diagnostic = { code: 'invalid-json', detail: 'no export, or not all of it', origin } as const;
        return [{ kind: 'problem-found', session: door.session, origin, diagnostic }];
      }
      const messages = Array.isArray(document['messages']) ? document['messages'] : [];
      return [
        ...sessionFacts(session, door),
        ...messages.flatMap((message) => messageWithParts(message, session.id, door)),
      ];
    },
  };
}

/** `{info, parts}`, as exports and the server have it. */
export function messageWithParts(message: unknown, session: string, door: Door): readonly AgentEvent[] {
  const info = asObject(asObject(message)?.['info']);
  const id = asText(info?.['id']);
  if (!info || id === undefined) return [];
  const parts = asObject(message)?.['parts'];
  const key = { session, isTold: info['role'] === 'user', ...known({ createdAt: createdAtOf(info) }) };
  return [
    ...messageFacts({ id, session }, info, door),
    ...(Array.isArray(parts) ? parts : []).map(asObject).flatMap((part) => {
      const native = asText(part?.['id']);
      return part && native !== undefined ? partFacts({ ...key, id: native }, part, door) : [];
    }),
  ];
}
