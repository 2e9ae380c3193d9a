// From one record to the blocks of its message, with their bodies.

import type { FileChange, MediaBlock, NoticeBlock, ToolResultBlock, TranscriptBlock } from '../../core/index.ts';
import { asText, isObject, type JsonObject, parseObject } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';
import { firstLine, sizeOfBase64 } from '../shared/index.ts';
import { isHostText, messageIn, messageOfError, outputIn } from './host-text.ts';
import { type RolloutRecord, textOf } from './record.ts';
import { callIn, outcomeOf, patchIn, summarise } from './tools.ts';

interface BlockOptions {
  /** For a call that has no id of its own. */
  readonly placeId: string;
  readonly withMedia: boolean;
}

export function toBlocks({ type, payload }: RolloutRecord, options: BlockOptions): readonly TranscriptBlock[] {
  if (type === 'compacted')
    return asText(payload['message']) ? [{ type: 'summary', text: String(payload['message']) }] : [];
  if (type === 'event_msg') return toFailure(payload);
  switch (payload['type']) {
    case 'message':
      return payload['role'] === 'assistant'
        ? [{ type: 'text', text: textOf(payload['content']) }]
        : toUserBlocks(payload['content'], options);
    case 'reasoning':
      return toThinking(payload);
    case 'agent_message':
      return toAgentMessage(payload);
    default:
      return toCall(payload, options);
  }
}

function toCall(item: JsonObject, { placeId }: BlockOptions): readonly TranscriptBlock[] {
  const call = callIn(item);
  if (!call) return [];
  const { id, tool } = call;
  const patch = patchIn(tool, call.input);
  // A tool that takes a text: told as a field, so that every call has fields.
  const input = typeof call.input === 'string' ? { [patch === '' ? 'input' : 'patch']: call.input } : call.input;
  const summary = summarise(tool, call.input) ?? null;
  return [{ type: 'tool_use', tool_use_id: id ?? placeId, name: tool, input, summary }];
}

/** `call`: the item whose result it is, where it is known. */
export function toResult(output: JsonObject, call: JsonObject | undefined, options: BlockOptions): ToolResultBlock {
  const made = call && callIn(call);
  const text = textOf(output['output']);
  const isError = outcomeOf(made?.tool, text).outcome !== 'ok';
  const parts = Array.isArray(output['output']) ? output['output'].filter(isObject) : [];
  const media = parts.flatMap((part) => toImage(part, options));
  const patches = made && !isError ? parsePatch(patchIn(made.tool, made.input)) : [];
  const changes = patches.map(({ path, added, removed }): FileChange => ({ path, added, removed }));
  return {
    type: 'tool_result',
    tool_use_id: asText(output['call_id']) ?? '',
    text: outputIn(text),
    is_error: isError,
    ...(media.length > 0 && { media }),
    ...(changes.length > 0 && { changes }),
  };
}

/** What the model thought is sealed; the service gives a summary of it, some models their own words. */
function toThinking(item: JsonObject): readonly TranscriptBlock[] {
  const text = [textOf(item['summary']), textOf(item['content'])].filter((part) => part !== '').join('\n\n');
  return text === '' ? [] : [{ type: 'thinking', text }];
}

function toUserBlocks(content: unknown, options: BlockOptions): readonly TranscriptBlock[] {
  const parts = Array.isArray(content) ? content.filter(isObject) : [{ text: content }];
  return parts.flatMap((part): readonly TranscriptBlock[] => {
    const text = asText(part['text']);
    if (text === undefined) return toImage(part, options);
    return [isHostText(text) ? toNotice(text) : { type: 'text', text }];
  });
}

function toNotice(text: string): NoticeBlock {
  const notice = { type: 'notice', agent_id: null } as const;
  if (text.startsWith('<turn_aborted>')) return { ...notice, kind: 'interruption', title: 'interrupted', text: '' };
  const told = /^<subagent_notification>\s*([\s\S]*?)\s*<\/subagent_notification>/.exec(text)?.[1];
  if (told !== undefined) return { ...notice, kind: 'background', ...readEnd(told) };
  const [, tag, inner] = /^\s*<([\w ]+)>\n?([\s\S]*?)\n?<\/\1>\s*$/.exec(text) ?? [];
  const title = tag?.replaceAll('_', ' ') ?? firstLine(text) ?? null;
  return { ...notice, kind: 'reminder', title, text: inner ?? text };
}

function readEnd(json: string): Pick<NoticeBlock, 'title' | 'text' | 'agent_id'> {
  const { agent_path: agent, status } = parseObject(json) ?? {};
  const [word, said] = isObject(status) ? (Object.entries(status)[0] ?? []) : [status, undefined];
  const text = messageOfError({ message: said }) ?? '';
  return { title: asText(word) ?? null, text, agent_id: asText(agent) ?? null };
}

/** From another agent. The task of an agent is what it was asked, and reads like any prompt. */
function toAgentMessage(item: JsonObject): readonly TranscriptBlock[] {
  const { kind, author, text } = messageIn(item);
  if (kind === 'NEW_TASK') return text === undefined ? [] : [{ type: 'text', text }];
  return [{ type: 'notice', kind: 'message', title: author ?? null, text: text ?? '', agent_id: null }];
}

/** A turn that ended in an error: nobody says it in the conversation itself. */
function toFailure(event: JsonObject): readonly TranscriptBlock[] {
  const text = messageOfError(event['error']);
  return text === undefined ? [] : [{ type: 'notice', kind: 'note', title: 'the turn failed', text, agent_id: null }];
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

function toImage(part: JsonObject, { withMedia }: BlockOptions): readonly MediaBlock[] {
  const url = asText(part['image_url']);
  if (url === undefined) {
    const kind = asText(part['type']);
    const isText = kind === undefined || kind.endsWith('text') || kind === 'encrypted_content';
    return isText
      ? []
      : [{ type: 'attachment', media_type: kind, name: asText(part['filename']) ?? null, bytes: null }];
  }
  const [, media_type = 'image', data] = DATA_URL.exec(url) ?? [];
  const bytes = data === undefined ? null : sizeOfBase64(data);
  return [{ type: 'image', media_type, data: withMedia ? (data ?? null) : null, bytes }];
}
