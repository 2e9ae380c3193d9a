// One message with all its parts, as exports, the server and OpenCode 2 have it.

import type { AgentEvent } from '../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import { messageFacts, noteOf } from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { objectsIn, type RecordContext } from './record.ts';

/** One message with all its parts. Each part has its `id`. */
export interface WholeMessage {
  readonly id: string;
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** A list of `{info, parts}`, as exports and the server have it. */
export function toMessages(list: unknown): readonly WholeMessage[] {
  return objectsIn(list).flatMap((message) => {
    const info = asObject(message['info']);
    const id = asText(info?.['id']);
    const parts = objectsIn(message['parts']).flatMap((part) => withId(part['id'], part));
    return info && id !== undefined ? [{ id, info, parts }] : [];
  });
}

/** Empty if one of them is missing. */
export function withId(id: unknown, part: JsonObject | undefined): readonly JsonObject[] {
  return part && asText(id) !== undefined ? [{ ...part, id }] : [];
}

export function wholeMessageFacts(
  { id, info, parts }: WholeMessage,
  session: string,
  context: RecordContext,
): readonly AgentEvent[] {
  const note = noteOf(info);
  return [
    ...messageFacts({ id, session }, info, context),
    ...parts.flatMap((part) => partFacts({ ...note, id: String(part['id']), session }, part, context)),
  ];
}
