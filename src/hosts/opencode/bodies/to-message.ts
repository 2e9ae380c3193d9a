import type { TranscriptBlock, TranscriptMessage } from '../../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { createdAtOf } from '../facts/message-facts.ts';
import { firstLine } from '../tools.ts';
import { callBlocks } from './call-blocks.ts';
import type { WholeMessage } from './conversation.ts';
import { fileBlock } from './file-block.ts';
import { notice, spokenNotice } from './notices.ts';

export interface BodyOptions {
  readonly withMedia: boolean;
}

export function toMessage({ id, info, parts }: WholeMessage, options: BodyOptions): TranscriptMessage {
  const createdAt = createdAtOf(info);
  const isReply = info['role'] === 'assistant';
  const blocks = parts.flatMap(({ id: part, part: raw }) => blocksOf(part, raw, info, options));
  const content = [...blocks, ...errorBlocks(asObject(info['error']))];
  return {
    id,
    role: isReply ? 'assistant' : isHostSpeaking(content) ? 'system' : 'user',
    timestamp: createdAt === undefined ? null : new Date(createdAt).toISOString(),
    model: isReply ? (asText(info['modelID']) ?? null) : null,
    content,
  };
}

/** What the program puts in the person's place: nothing in it is the person's. */
function isHostSpeaking(content: readonly TranscriptBlock[]): boolean {
  return content.length > 0 && content.every(({ type }) => type === 'notice');
}

/** Marks of the program's own: steps, states of the folder, files that a step changed. */
const WITHOUT_TEXT = new Set(['step-start', 'step-finish', 'snapshot', 'patch']);

function blocksOf(id: string, part: JsonObject, info: JsonObject, options: BodyOptions): readonly TranscriptBlock[] {
  const type = asText(part['type']) ?? '';
  switch (type) {
    case 'text':
      return textBlocks(part, info);
    case 'reasoning':
      return nonEmpty('thinking', asText(part['text']));
    case 'tool':
      return callBlocks(id, part, options);
    case 'file':
      return [fileBlock(part, options)];
    case 'subtask':
      return [notice('command', `/${asText(part['command']) ?? asText(part['agent']) ?? ''}`, asText(part['prompt']))];
    case 'agent':
      return [notice('note', `@${asText(part['name']) ?? ''}`, undefined)];
    case 'compaction':
      return [notice('compaction', 'The conversation is shortened', undefined)];
    case 'retry':
      return [notice('note', 'The request is made again', errorText(asObject(part['error'])))];
    default:
      return WITHOUT_TEXT.has(type) ? [] : [notice('note', type, undefined)];
  }
}

function textBlocks(part: JsonObject, info: JsonObject): readonly TranscriptBlock[] {
  const text = asText(part['text']);
  if (text === undefined) return [];
  if (info['summary'] === true) return [{ type: 'summary', text }];
  return part['synthetic'] === true ? [spokenNotice(text)] : [{ type: 'text', text }];
}

function nonEmpty(type: 'thinking', text: string | undefined): readonly TranscriptBlock[] {
  return text === undefined ? [] : [{ type, text }];
}

function errorBlocks(error: JsonObject | undefined): readonly TranscriptBlock[] {
  if (!error) return [];
  const text = errorText(error);
  const isStop = error['name'] === 'MessageAbortedError';
  return [notice(isStop ? 'interruption' : 'note', isStop ? 'Interrupted' : (firstLine(text) ?? 'Failed'), text)];
}

function errorText(error: JsonObject | undefined): string | undefined {
  return asText(asObject(error?.['data'])?.['message']) ?? asText(error?.['name']);
}
