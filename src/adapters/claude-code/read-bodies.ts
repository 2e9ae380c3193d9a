// From records to messages with their bodies. Lines of one reply become one message; a result stands behind its call.
import { asObject, asText } from '../../base/json.ts';
import type { AgentId } from '../../model/ids.ts';
import type { TranscriptBlock, TranscriptMessage } from '../../model/transcript.ts';
import { agentIdOf } from './line-context.ts';
import { isSpokenByHarness } from './lines/user.ts';
import { blocksOf, type RawRecord, textOf } from './record.ts';
import { isSpawning, summarise } from './tools.ts';

interface Draft extends Omit<TranscriptMessage, 'content'> {
  readonly content: TranscriptBlock[];
}

/** The messages that these records make, in their order. */
export function toMessages(records: Iterable<RawRecord>): readonly TranscriptMessage[] {
  const messages = new Map<string, Draft>();
  const byCall = new Map<string, Draft>();
  for (const record of records) {
    const draft = draftOf(record, messages);
    if (!draft) continue;
    for (const block of toBlocks(record)) {
      const home = block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined;
      if (home && block.type === 'tool_result') putBehindCall(home.content, block);
      else draft.content.push(block);
      if (block.type === 'tool_use') byCall.set(block.tool_use_id, draft);
    }
    messages.set(draft.id, draft);
  }
  return [...messages.values()].filter(({ content }) => content.length > 0);
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
    for (const block of toBlocks(record)) {
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
  if (!message || id === undefined) return undefined;
  const harness = !isReply && isSpokenByHarness(record, textOf(message['content']));
  return (
    known.get(id) ?? {
      id,
      role: isReply ? 'assistant' : harness ? 'system' : 'user',
      timestamp: asText(record['timestamp']) ?? null,
      model: asText(message['model']) ?? null,
      content: [],
    }
  );
}

function toBlocks(record: RawRecord): readonly TranscriptBlock[] {
  return blocksOf(asObject(record['message'])).flatMap((block): readonly TranscriptBlock[] => {
    switch (block['type']) {
      case 'text':
        return asText(block['text']) === undefined ? [] : [{ type: 'text', text: String(block['text']) }];
      case 'thinking':
        return asText(block['thinking']) === undefined ? [] : [{ type: 'thinking', text: String(block['thinking']) }];
      case 'tool_use': {
        const name = asText(block['name']) ?? 'unknown';
        const summary = summarise(name, asObject(block['input'])) ?? null;
        return [{ type: 'tool_use', tool_use_id: asText(block['id']) ?? '', name, input: block['input'], summary }];
      }
      case 'tool_result': {
        const text = textOf(block['content']);
        return [
          {
            type: 'tool_result',
            tool_use_id: asText(block['tool_use_id']) ?? '',
            text,
            is_error: block['is_error'] === true,
          },
        ];
      }
      default:
        return [
          {
            type: 'attachment',
            media_type: asText(asObject(block['source'])?.['media_type']) ?? String(block['type']),
          },
        ];
    }
  });
}

type Result = Extract<TranscriptBlock, { readonly type: 'tool_result' }>;

function putBehindCall(content: TranscriptBlock[], result: Result): void {
  const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === result.tool_use_id);
  const call = content[at];
  const isReport = call?.type === 'tool_use' && isSpawning(call.name);
  content.splice(at + 1, 0, isReport ? { ...result, text: reportIn(result.text) } : result);
}

const FRAME = /^\[Subagent hand-back\].*The report follows:$/m;
const TRAILER = /^agentId: [\s\S]*$/m;

/** What the agent itself reported, without the frame (2.1.286 and later) and the host's lines behind it. */
function reportIn(text: string): string {
  const frame = FRAME.exec(text);
  const report = frame ? text.slice(frame.index + frame[0].length).replace(/^ {2}/gm, '') : text;
  return report.replace(TRAILER, '').trim();
}
