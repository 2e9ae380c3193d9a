// The conversation of one agent: where its messages stand, and some of them read at a time.

import type { TranscriptMessage } from '../../core/index.ts';
import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { Bodies, BodyPlace, ByteRange, LocatedSource } from '../index.ts';
import { callsIn, createKindCount, followPlaces, type PlaceList, readPieces, responsesIn } from '../shared/index.ts';
import { toContent } from './body-blocks.ts';
import { BEGINNINGS, isKnownKind, kindOf, parseShort, partsIn } from './record.ts';

export function openBodies(source: LocatedSource): Bodies {
  return {
    ...followPlaces(source, createConversationPlaces),
    async read(places, options) {
      const pieces = await readPieces(
        source.path,
        places.flatMap(({ lines }) => lines),
      );
      const records = pieces.map(parseJsonBytes);
      let next = 0;
      return places.flatMap(({ id, timestamp, lines }): readonly TranscriptMessage[] => {
        const own = records.slice(next, next + lines.length).filter(isObject);
        next += lines.length;
        const content = toContent(own, { withMedia: options?.withMedia ?? false });
        const model = own.flatMap((record) => asText(record['model']) ?? [])[0] ?? null;
        return content.length === 0 ? [] : [{ id, role: roleOf(own[0]), timestamp, model, content }];
      });
    },
  };
}

/** Several lines of one reply, and the results of its calls, are one message. */
function createConversationPlaces(): PlaceList {
  const places = new Map<string, BodyPlace & { readonly lines: ByteRange[] }>();
  const replyOfCall = new Map<string, string>();
  const unknown = createKindCount();
  let reply: string | undefined;
  const messageOf = (record: JsonObject, own: string): string | undefined => {
    const kind = kindOf(record);
    if (kind === 'assistant') {
      if (asObject(record['usageMetadata']) || reply === undefined) reply = own;
      for (const { id } of callsIn(partsIn(record))) if (id !== undefined) replyOfCall.set(id, reply);
      return reply;
    }
    if (kind.startsWith('system/')) return kind === 'system/chat_compression' ? own : undefined;
    reply = undefined;
    if (kind === 'user') return own;
    const call = responsesIn(partsIn(record))[0]?.id;
    return kind === 'tool_result' ? (replyOfCall.get(call ?? '') ?? own) : undefined;
  };
  return {
    add(line) {
      const { record, offset, length } = recordInLine(line, parseShort, BEGINNINGS);
      if (!record) return;
      const kind = kindOf(record);
      if (!isKnownKind(kind)) unknown.add(kind);
      const id = messageOf(record, asText(record['uuid']) ?? `@${offset}`);
      if (id === undefined) return;
      const at = asInstant(record['timestamp']);
      const timestamp = at === undefined ? null : new Date(at).toISOString();
      const place = places.get(id) ?? { id, timestamp, lines: [] };
      places.set(id, place);
      place.lines.push({ offset, length });
    },
    all: () => [...places.values()],
    leftOut: unknown.all,
  };
}

function roleOf(record: JsonObject | undefined): TranscriptMessage['role'] {
  if (!record) return 'system';
  const kind = kindOf(record);
  if (kind === 'user') return record['subtype'] === 'notification' ? 'system' : 'user';
  return kind.startsWith('system/') ? 'system' : 'assistant';
}
