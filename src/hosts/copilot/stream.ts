// `copilot -p --output-format json`: the events of its file, and many transient ones. Only the last line names the session.

import { toToolCallId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, parseJsonBytes } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { CallPrompt, StreamCapability, StreamUpdate } from '../index.ts';
import { createEventReader } from './parse-events.ts';
import { isEvent } from './record.ts';

export const stream: StreamCapability = {
  recognise: (record) => (isEvent(record) ? {} : undefined),
  // All agents are in the stream, to any depth.
  leavesToDisk: false,
  namesSessionLast: true,
  createReader(session, source) {
    const reader = createEventReader(session, source);
    return {
      read(line) {
        if (isTransient(line)) return { facts: [] };
        const found = readOutside(line);
        return { facts: found?.result ? [] : reader.read(line), ...found };
      },
    };
  },
};

/** Fragments of events that follow as a whole; they are not in the file. */
const TRANSIENT = Buffer.from('"ephemeral":true');

function isTransient({ bytes, torn }: Line): boolean {
  return !torn && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(TRANSIENT);
}

const PARSED = ['"toolName":"task"', '"type":"result"'].map((text) => Buffer.from(text));

function readOutside({ bytes, torn, tooLong }: Line): Omit<StreamUpdate, 'facts'> | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (torn || tooLong || !PARSED.some((text) => all.includes(text))) return undefined;
  const record = parseJsonBytes(bytes);
  if (!isObject(record)) return undefined;
  if (record['type'] === 'result') return endIn(record);
  const prompts = promptIn(asObject(record['data']) ?? {});
  return prompts.length > 0 ? { prompts } : undefined;
}

function endIn(record: JsonObject): Omit<StreamUpdate, 'facts'> {
  const session = asText(record['sessionId']);
  return {
    result: { isError: typeof record['exitCode'] === 'number' && record['exitCode'] !== 0 },
    ...(session !== undefined && { session }),
  };
}

function promptIn(data: JsonObject): readonly CallPrompt[] {
  const call = asText(data['toolCallId']);
  const prompt = asText(asObject(data['arguments'])?.['prompt']);
  return call === undefined || prompt === undefined ? [] : [{ call: toToolCallId(call), prompt }];
}
