// `copilot -p --output-format json`: the events of its file, and many passing ones. Which session it is, only the last line says.

import { asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { CallPrompt, StreamCapability, StreamNews } from '../index.ts';
import { callIdOf } from './line-context.ts';
import { createEventReader } from './parse-events.ts';
import { isEvent, parseWhole } from './record.ts';

export const stream: StreamCapability = {
  programs: ['copilot'],
  printing: 'copilot -p … --output-format json',
  recognise: (record) => (isEvent(record) ? {} : undefined),
  // All agents are in the stream, to any depth.
  leavesToDisk: false,
  namesSessionLast: true,
  createReader(session, source) {
    const reader = createEventReader(session, source);
    return {
      read(line) {
        if (isPassing(line)) return { facts: [] };
        const news = worthALook(line);
        if (news?.result) return { facts: [], ...news };
        return { facts: reader.read(line), ...news };
      },
    };
  },
};

/** Pieces of what follows as a whole: they are not in the file. */
const PASSING = Buffer.from('"ephemeral":true');

function isPassing({ bytes, torn }: Line): boolean {
  return !torn && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(PASSING);
}

const WORTH = ['"toolName":"task"', '"type":"result"'].map((text) => Buffer.from(text));

function worthALook({ bytes, torn, tooLong }: Line): Omit<StreamNews, 'facts'> | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (torn || tooLong || !WORTH.some((text) => all.includes(text))) return undefined;
  const record = parseWhole(bytes);
  if (!isObject(record)) return undefined;
  if (record['type'] === 'result') return endIn(record);
  const prompts = promptIn(asObject(record['data']) ?? {});
  return prompts.length > 0 ? { prompts } : undefined;
}

function endIn(record: JsonObject): Omit<StreamNews, 'facts'> {
  const session = asText(record['sessionId']);
  return {
    result: { isError: typeof record['exitCode'] === 'number' && record['exitCode'] !== 0 },
    ...(session !== undefined && { session }),
  };
}

function promptIn(data: JsonObject): readonly CallPrompt[] {
  const call = asText(data['toolCallId']);
  const prompt = asText(asObject(data['arguments'])?.['prompt']);
  return call === undefined || prompt === undefined ? [] : [{ call: callIdOf(call), prompt }];
}
