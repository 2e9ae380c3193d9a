// The conversation of one agent with its bodies. Lines of one reply become one message; a result stands behind its call.
import { asObject, asText } from '../../base/json.ts';
import { readLines } from '../../io/read-lines.ts';
import { type AgentId, mainAgentOf } from '../../model/ids.ts';
import type { TranscriptBlock, TranscriptMessage } from '../../model/transcript.ts';
import type { LocatedSession, LocatedSource } from '../adapter.ts';
import { agentIdOf } from './line-context.ts';
import { isSpokenByHarness } from './lines/user.ts';
import { blocksOf, parseWhole, type RawRecord, textOf } from './record.ts';
import { recordsIn } from './records-in-line.ts';
import { speakerOf } from './speaker.ts';
import { isSpawning, summarise } from './tools.ts';

interface Draft extends Omit<TranscriptMessage, 'content'> {
  readonly content: TranscriptBlock[];
}

export async function readBodies(
  session: LocatedSession,
  source: LocatedSource,
  agent: AgentId,
): Promise<readonly TranscriptMessage[]> {
  const messages: Draft[] = [];
  const byId = new Map<string, Draft>();
  const byCall = new Map<string, Draft>();
  const inline = new Map<string, AgentId>();
  const owner = source.agent ?? mainAgentOf(session.id);
  const add = (record: RawRecord): void => {
    const draft = draftOf(record, byId);
    if (!draft) return;
    for (const block of toBlocks(record)) {
      const home = block.type === 'tool_result' ? byCall.get(block.tool_use_id) : undefined;
      if (home && block.type === 'tool_result') putBehindCall(home.content, block);
      else draft.content.push(block);
      if (block.type === 'tool_use') byCall.set(block.tool_use_id, draft);
    }
    if (!byId.has(draft.id)) {
      byId.set(draft.id, draft);
      messages.push(draft);
    }
  };
  await readLines(source.path, (line) => {
    for (const { record } of recordsIn(line, parseWhole).records) {
      const spoken = speakerOf(record, owner, session.id, inline) === agent ? record : copyOf(record, agent);
      if (spoken && (spoken['type'] === 'user' || spoken['type'] === 'assistant')) add(spoken);
    }
  });
  return messages.filter(({ content }) => content.length > 0);
}

/** An agent whose own file is gone: its parent's `progress` lines hold copies (2.1.9 to 2.1.83). */
function copyOf(record: RawRecord, agent: AgentId): RawRecord | undefined {
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
