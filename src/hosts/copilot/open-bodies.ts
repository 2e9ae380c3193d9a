// The conversation of one agent: where its messages stand, and some of them read at a time.

import type { AgentId, SessionId, TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import { createLineCursor } from '../../lib/follow-file.ts';
import { asObject, asText } from '../../lib/json.ts';
import { openRegular } from '../../lib/regular-file.ts';
import type { Bodies, BodyPlace, LocatedSession, LocatedSource } from '../index.ts';
import { toBlocks, toResult } from './body-blocks.ts';
import { callsIn, createPlaceList } from './body-places.ts';
import { agentOf } from './line-context.ts';
import { isHostPrompt } from './lines/conversation.ts';
import { type EventRecord, parseWhole, recordsIn } from './record.ts';
import { isSpawning } from './tools.ts';

export function openBodies(session: LocatedSession, source: LocatedSource, agent: AgentId): Bodies {
  let list = createPlaceList(session.id, agent);
  let cursor = createLineCursor(source.path);
  const lookOn = async (): Promise<readonly BodyPlace[]> => {
    const look = await cursor.look((line) => list.add(line));
    if (look !== 'replaced' && look !== 'gone') return list.all();
    list = createPlaceList(session.id, agent);
    cursor = createLineCursor(source.path);
    await cursor.look((line) => list.add(line));
    return list.all();
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other: who asks while the file is being read gets all of it, too.
    places() {
      const next = last.then(lookOn, lookOn);
      last = next;
      return next;
    },
    leftOut: () => list.leftOut(),
    files: [source.path],
    read: async (places) => {
      const handle = await openRegular(source.path);
      try {
        const messages: TranscriptMessage[] = [];
        for (const place of places) {
          const records: EventRecord[] = [];
          for (const { offset, length } of place.lines) {
            const bytes = Buffer.alloc(length);
            const { bytesRead } = await handle.read(bytes, 0, length, offset);
            const line = { bytes: bytes.subarray(0, bytesRead), offset, length, torn: false, tooLong: false };
            records.push(...recordsIn(line, parseWhole).records);
          }
          const { id, timestamp } = place;
          const told = toMessage(records, session.id, agent);
          if (told.content.length > 0) messages.push({ id, timestamp, model: list.modelOf(id), ...told });
        }
        return messages;
      } finally {
        await handle.close();
      }
    },
  };
}

function toMessage(
  records: readonly EventRecord[],
  session: SessionId,
  agent: AgentId,
): Pick<TranscriptMessage, 'role' | 'content'> {
  const task = taskIn(records[0], session, agent);
  if (task !== undefined) return { role: 'user', content: [{ type: 'text', text: task }] };
  const calls = callsIn(records);
  const content: TranscriptBlock[] = [];
  for (const record of records) {
    if (record.type !== 'tool.execution_complete') {
      content.push(...toBlocks(record));
      continue;
    }
    const native = asText(record.data['toolCallId']);
    const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === native);
    content.splice(at === -1 ? content.length : at + 1, 0, toResult(record.data, calls.get(native ?? '')));
  }
  return { role: roleOf(records[0]), content };
}

/** The call of another agent that made this one: all there is of its task in versions that do not repeat it. */
function taskIn(record: EventRecord | undefined, session: SessionId, agent: AgentId): string | undefined {
  if (!record || agentOf(record, session) === agent || !isSpawning(asText(record.data['toolName']))) return undefined;
  return asText(asObject(record.data['arguments'])?.['prompt']);
}

function roleOf(first: EventRecord | undefined): TranscriptMessage['role'] {
  if (!first) return 'system';
  if (first.type === 'user.message') return isHostPrompt(first.data) ? 'system' : 'user';
  return first.type === 'assistant.message' || first.type.startsWith('tool.') ? 'assistant' : 'system';
}
