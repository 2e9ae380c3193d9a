// A rollout line by line. `PARSERS` has one for each kind of line.

import {
  type AgentEvent,
  type AgentId,
  mainAgentOf,
  nativeId,
  type SessionId,
  type SourceId,
  toSessionId,
} from '../../core/index.ts';
import { parseJsonBytes } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import { atOf, createAskedCommands, emitTimed } from '../shared/index.ts';
import { HOST, type LineContext, type LineParser, type ThreadState } from './line-context.ts';
import { parseEvent, parseHeader, parseTurnContext } from './parse-events.ts';
import { parseItem } from './parse-items.ts';
import { parseLine, type RolloutRecord, recordsIn } from './record.ts';
import { createReplyTracker } from './replies.ts';
import { type CopyCheck, createCopyCheck, headOf } from './thread-head.ts';

const PARSERS: ReadonlyMap<string, LineParser> = new Map([
  ['response_item', parseItem],
  ['event_msg', parseEvent],
  ['turn_context', parseTurnContext],
  ['compacted', (context) => emitTimed(context, { kind: 'agent-compacted' })],
]);

/** Known, and of no use for the tree. Anything else is counted as `unknown-record`. */
const IGNORED_TYPES = new Set([
  // The first one is read by `createRolloutReader`; later ones are copies.
  'session_meta',
  'token_usage_record',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'record_type',
]);

export function isKnownType(type: string): boolean {
  return PARSERS.has(type) || IGNORED_TYPES.has(type);
}

export interface RolloutOf {
  readonly session: SessionId;
  readonly source: SourceId;
  readonly agent: AgentId;
}

export function createRolloutReader({ session, source, agent }: RolloutOf): SourceReader {
  const isMain = agent === mainAgentOf(session);
  const commands = createAskedCommands();
  const thread: ThreadState = { turns: 0, isPrompted: false, toolOf: new Map(), commands, told: new Map() };
  const track = createReplyTracker(nativeId(agent));
  let isCopy: CopyCheck = () => false;

  const readRecord = (record: RolloutRecord): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    const origin = { source, offset: record.offset, length: record.length };
    const place = { session, origin };
    const emit: LineContext['emit'] = (event) => events.push(Object.assign(event, place) as AgentEvent);
    const context = { session, agent, isMain, record, ...atOf(record), origin, thread, emit };
    if (record.type === 'session_meta' && !thread.head) {
      const head = headOf(record.payload);
      if (head) {
        thread.head = head;
        isCopy = createCopyCheck(head);
        parseHeader(head, context);
      }
      return events;
    }
    const isCopied = isCopy(record);
    // Copies, too: the first count of a fork's own may repeat the last one of its parent's.
    const part = track(record);
    // A sub-agent's parent stands in the same tree. A forked session shows what it copied, and says whose it is.
    if (isCopied && !isMain) return [];
    if (!isKnownType(record.type))
      emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: record.type, origin } });
    PARSERS.get(record.type)?.({ ...context, ...(part && { reply: part.reply }) });
    if (part?.usage) {
      const { model } = thread;
      const counted = { message: part.reply, usage: part.usage, final: true, ...(model !== undefined && { model }) };
      emitTimed(context, { kind: 'usage-counted', ...counted });
    }
    const from = thread.head?.forkedFrom;
    if (isCopied && part && from !== undefined)
      emit({ kind: 'session-forked', from: toSessionId(HOST, from), replies: [part.reply] });
    return events;
  };

  return {
    read(line: Line) {
      const isNeededWhole = thread.commands.areNamedIn(line.bytes);
      const { records, problem } = recordsIn(line, isNeededWhole ? parseJsonBytes : parseLine);
      const events = records.flatMap(readRecord);
      if (!problem) return events;
      const origin = { source, offset: line.offset, length: line.length };
      return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...events];
    },
  };
}
