// From one event to the blocks of its message, with their bodies.

import type { FileChange, MediaBlock, NoticeBlock, ToolResultBlock, TranscriptBlock } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';
import { isHostPrompt } from './lines/conversation.ts';
import type { EventRecord } from './record.ts';
import { fileWrittenBy, outcomeOf, patchedFiles, shownResult, summarise } from './tools.ts';

export interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
}

export function toBlocks({ type, data }: EventRecord): readonly TranscriptBlock[] {
  switch (type) {
    case 'assistant.message':
      return toReply(data);
    case 'user.message':
      return toTold(data);
    case 'tool.execution_start':
    case 'tool.user_requested':
      return toCall(data, asText(data['toolName']), data['arguments']);
    case 'system.notification':
      return [toNotice(data)];
    case 'session.compaction_complete':
      return asText(data['summaryContent']) ? [{ type: 'summary', text: String(data['summaryContent']) }] : [];
    case 'session.error':
      return [note('the request failed', asText(data['message']) ?? '')];
    case 'abort':
      return [{ type: 'notice', kind: 'interruption', title: 'interrupted', text: '', agent_id: null }];
    default:
      return [];
  }
}

const note = (title: string, text: string): NoticeBlock => ({
  type: 'notice',
  kind: 'note',
  title,
  text,
  agent_id: null,
});

function toReply(data: JsonObject): readonly TranscriptBlock[] {
  const thought = asText(data['reasoningText']);
  const text = asText(data['content']);
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', text: thought } as const]),
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...requestsIn(data).flatMap((request) => toCall(request, asText(request['name']), inputOf(request))),
  ];
}

export function requestsIn(data: JsonObject): readonly JsonObject[] {
  return Array.isArray(data['toolRequests']) ? data['toolRequests'].filter(isObject) : [];
}

export function inputOf(request: JsonObject): unknown {
  return request['arguments'] ?? request['input'];
}

function toCall(data: JsonObject, tool: string | undefined, raw: unknown): readonly TranscriptBlock[] {
  const id = asText(data['toolCallId']);
  if (id === undefined || tool === undefined) return [];
  // A tool that takes a text: told as a field, so that every call has fields.
  const input = typeof raw === 'string' ? { input: raw } : (raw ?? {});
  return [{ type: 'tool_use', tool_use_id: id, name: tool, input, summary: summarise(tool, raw) ?? null }];
}

function toTold(data: JsonObject): readonly TranscriptBlock[] {
  const text = asText(data['content']);
  const attachments = Array.isArray(data['attachments']) ? data['attachments'].filter(isObject) : [];
  const media = attachments.map(toAttachment);
  if (text === undefined) return media;
  if (!isHostPrompt(data)) return [{ type: 'text', text }, ...media];
  return [{ type: 'notice', kind: 'reminder', title: asText(data['source']) ?? null, text, agent_id: null }, ...media];
}

function toAttachment(attachment: JsonObject): MediaBlock {
  return {
    type: 'attachment',
    media_type: asText(attachment['mimeType']) ?? asText(attachment['type']) ?? 'file',
    name: asText(attachment['displayName']) ?? asText(attachment['path']) ?? null,
    bytes: asAmount(attachment['byteLength']) ?? null,
  };
}

/** The marks around the text go; `kind` says whom it is about. */
function toNotice(data: JsonObject): NoticeBlock {
  const kind = asObject(data['kind']);
  const raw = asText(data['content']) ?? '';
  const text = /^<system_notification>\n?([\s\S]*?)\n?<\/system_notification>\s*$/.exec(raw)?.[1] ?? raw;
  const agent = asText(kind?.['agentId']) ?? null;
  const about = asText(kind?.['type']) ?? '';
  const isBackground = agent !== null || about.startsWith('shell_') || about.startsWith('workflow_');
  return {
    type: 'notice',
    kind: isBackground ? 'background' : 'note',
    title: about === '' ? null : about.replaceAll('_', ' '),
    text,
    agent_id: agent,
  };
}

/** `call`: the one whose result it is, where it is known. */
export function toResult(data: JsonObject, call: MadeCall | undefined): ToolResultBlock {
  const isError = outcomeOf(data).outcome !== 'ok';
  const changes = call && !isError ? changesBy(call, data) : [];
  return {
    type: 'tool_result',
    tool_use_id: asText(data['toolCallId']) ?? '',
    text: shownResult(data),
    is_error: isError,
    ...(changes.length > 0 && { changes }),
  };
}

function changesBy({ tool, input }: MadeCall, data: JsonObject): readonly FileChange[] {
  const patched = patchedFiles(tool, input);
  if (patched.length > 0) return patched.map(({ path, added, removed }) => ({ path, added, removed }));
  const file = fileWrittenBy(tool, input);
  if (file === undefined) return [];
  const diff = asText(asObject(data['result'])?.['detailedContent']);
  return [{ path: file, ...countLines(diff) }];
}

/** The host keeps what an edit did as a diff, with whole lines around it. */
function countLines(diff: string | undefined): Pick<FileChange, 'added' | 'removed'> {
  const from = diff?.search(/^@@ /m) ?? -1;
  if (diff === undefined || from === -1) return { added: null, removed: null };
  const lines = diff.slice(from).split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: count('+'), removed: count('-') };
}
