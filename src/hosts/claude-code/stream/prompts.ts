// What agents are asked, whole: facts hold no more of it than a line.

import { asObject, asText, isObject } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { CallPrompt } from '../../index.ts';
import { callIdOf } from '../line-context.ts';
import { blocksOf, parseWhole, type RawRecord } from '../record.ts';
import { isMessaging, isSpawning } from '../tools.ts';
import { printedIn } from './recognise.ts';

/** Whether it is worth the reading: nearly every line has none. */
const ASKS = ['"name":"Task"', '"name":"Agent"', '"name":"SendMessage"', '"task_started"'].map((text) =>
  Buffer.from(text),
);

export function promptsIn({ bytes }: Line): readonly CallPrompt[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!ASKS.some((text) => all.includes(text))) return [];
  const record = parseWhole(bytes);
  const printed = isObject(record) ? printedIn(record) : undefined;
  if (!printed) return [];
  if (printed['subtype'] === 'task_started') return toPrompt(printed['tool_use_id'], printed['prompt']);
  return blocksOf(asObject(printed['message'])).flatMap(askedBy);
}

function askedBy(block: RawRecord): readonly CallPrompt[] {
  const tool = asText(block['name']) ?? '';
  const input = asObject(block['input']);
  if (block['type'] !== 'tool_use' || !input) return [];
  if (isSpawning(tool)) return toPrompt(block['id'], input['prompt']);
  return isMessaging(tool) ? toPrompt(block['id'], input['message']) : [];
}

function toPrompt(id: unknown, text: unknown): readonly CallPrompt[] {
  const call = callIdOf(id);
  const prompt = asText(text);
  return call === undefined || prompt === undefined ? [] : [{ call, prompt }];
}
