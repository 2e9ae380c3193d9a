// From records to messages with their bodies. Lines of one reply become one message; a result stands behind its call.

import type { AgentId, ToolResultBlock, ToolUseBlock, TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import { asInstant, asObject, asText } from '../../lib/json.ts';
import { toBlocks } from './body-blocks.ts';
import { reportIn } from './errand.ts';
import { changesOfCall } from './file-changes.ts';
import { withoutReminders } from './harness-text.ts';
import { agentIdOf } from './line-context.ts';
import { isSpokenByHarness } from './lines/user.ts';
import { type RawRecord, textOf } from './record.ts';
import { isSpawning } from './tools.ts';

interface Draft extends Omit<TranscriptMessage, 'content'> {
  readonly content: TranscriptBlock[];
}

export interface MessageBuilder {
  /** In their order. Nothing of the record is kept but what is said in it. */
  add(record: RawRecord): void;
  /** By id. */
  messages(): ReadonlyMap<string, TranscriptMessage>;
}

export function createMessageBuilder(withMedia: boolean): MessageBuilder {
  const messages = new Map<string, Draft>();
  const byCall = new Map<string, Draft>();
  /** A line may stand there twice: files are copied and glued together. */
  const lines = new Set<string>();
  return {
    add(record) {
      const line = asText(record['uuid']);
      const draft = draftOf(record, messages);
      if (!draft || (line !== undefined && lines.has(line))) return;
      if (line !== undefined) lines.add(line);
      for (const block of toBlocks(record, { isHarness: draft.role === 'system', withMedia })) {
        const home = block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined;
        if (home && block.type === 'tool_result') putBehindCall(home.content, block);
        else draft.content.push(block);
        if (block.type === 'tool_use') byCall.set(block.tool_use_id, draft);
      }
      if (draft.content.length > 0) messages.set(draft.id, draft);
    },
    messages: () => messages,
  };
}

/** Which messages a record adds to: its own, and those whose calls it holds the results of. */
export interface BodyPart {
  readonly id: string;
  readonly timestamp: string | null;
}

/** Says so record by record, without keeping any body. */
export function createBodySorter(): (record: RawRecord) => readonly BodyPart[] {
  const byCall = new Map<string, BodyPart>();
  return (record) => {
    const draft = draftOf(record, new Map());
    if (!draft) return [];
    const own: BodyPart = { id: draft.id, timestamp: draft.timestamp };
    const parts = new Map<string, BodyPart>();
    for (const block of toBlocks(record, { isHarness: draft.role === 'system', withMedia: false })) {
      const part = (block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined) ?? own;
      parts.set(part.id, part);
      if (block.type === 'tool_use') byCall.set(block.tool_use_id, own);
    }
    return [...parts.values()];
  };
}

/** An agent whose own file is gone: its parent's `progress` lines hold copies (2.1.9 to 2.1.83). */
export function copyOf(record: RawRecord, agent: AgentId): RawRecord | undefined {
  const data = record['type'] === 'progress' ? asObject(record['data']) : undefined;
  const native = data?.['type'] === 'agent_progress' ? asText(data['agentId']) : undefined;
  return native !== undefined && agentIdOf(native) === agent ? asObject(data?.['message']) : undefined;
}

function draftOf(record: RawRecord, known: ReadonlyMap<string, Draft>): Draft | undefined {
  const message = asObject(record['message']);
  const isReply = record['type'] === 'assistant';
  const id = (isReply ? asText(message?.['id']) : undefined) ?? asText(record['uuid']);
  if (id === undefined || (!message && record['type'] !== 'system')) return undefined;
  return (
    known.get(id) ?? {
      id,
      role: isReply ? 'assistant' : isHarness(record) ? 'system' : 'user',
      timestamp: timeOf(record),
      model: asText(message?.['model']) ?? null,
      content: [],
    }
  );
}

/** How the program writes it, and a day that every month has: to write it anew takes longer than all else that is read of a line. */
const AS_WRITTEN = /^\d{4}-\d\d-(?:0\d|1\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/;

/** As every time that leaves troupe is written. */
function timeOf(record: RawRecord): string | null {
  const said = record['timestamp'];
  const at = asInstant(said);
  if (at === undefined) return null;
  return typeof said === 'string' && AS_WRITTEN.test(said) ? said : new Date(at).toISOString();
}

/** Those who hold results alone are drafts that stay empty. */
function isHarness(record: RawRecord): boolean {
  if (record['type'] !== 'user') return record['type'] === 'system';
  return isSpokenByHarness(record, textOf(asObject(record['message'])?.['content']));
}

function putBehindCall(content: TranscriptBlock[], result: ToolResultBlock): void {
  const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === result.tool_use_id);
  const call = content[at];
  if (call?.type !== 'tool_use') return;
  if (isSpawning(call.name)) {
    content.splice(at + 1, 0, { ...result, text: reportIn(result.text) });
    return;
  }
  const { text, reminders } = withoutReminders(result.text);
  content.splice(at + 1, 0, withChanges(call, { ...result, text }), ...reminders);
}

function withChanges({ name, input }: ToolUseBlock, result: ToolResultBlock): ToolResultBlock {
  if (result.is_error || result.changes) return result;
  const changes = changesOfCall(name, input, result.text);
  return changes.length === 0 ? result : { ...result, changes };
}
