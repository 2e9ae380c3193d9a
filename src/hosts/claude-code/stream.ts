// `claude -p --output-format stream-json`, line by line. Messages are those of the transcript, by the same ids, but for a few
// names; agents are told apart by the call that made them. Versions seen: 1.0.60 to 2.1.325.

import {
  type AgentEvent,
  type AgentId,
  mainAgentOf,
  type RunOutcome,
  type SessionId,
  type SourceId,
  type ToolCallId,
  toUnnamedAgentId,
} from '../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import { versionNumber } from '../../lib/version-number.ts';
import type { CallPrompt, StreamReader, StreamResult, StreamSign, StreamUpdate } from '../index.ts';
import { createAskedCommands, promptFact } from '../shared/index.ts';
import { TASK_OUTCOMES } from './host-text.ts';
import { agentIdOf, callIdOf, createFileState, HOST, type LineContext } from './line-context.ts';
import { parseAssistant } from './parse-assistant.ts';
import { parseUser } from './parse-user.ts';
import { blocksOf, parseLine, parseWhole, type RawRecord, recordsIn, textOf } from './record.ts';
import { isMessaging, isSpawning } from './tools.ts';

/** Most lines of a stream with partial messages: pieces of what follows as a whole. */
const PIECE = Buffer.from('{"type":"stream_event"');
const TASK = /^task_(?:started|progress|updated|notification)$/;

export function createStreamReader(session: SessionId, source: SourceId): StreamReader {
  const state = new StreamAgents();
  const file = createFileState(createAskedCommands());
  return {
    read(line) {
      if (isPiece(line)) return NOTHING;
      const { records, problem } = recordsIn(line, parseLine);
      const origin = { source, offset: line.offset, length: line.length };
      const facts: AgentEvent[] = [];
      if (problem) facts.push({ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } });
      let result: StreamResult | undefined;
      for (const { record } of records) {
        const printed = printedIn(record);
        if (!printed) continue;
        const emit: LineContext['emit'] = (event) =>
          facts.push(Object.assign(event, { session, origin }) as AgentEvent);
        const context = { session, origin, copied: false, file, emit };
        if (printed['type'] === 'result') result = toResult(printed);
        else readMessage(printed, state, context);
      }
      const prompts = records.length === 0 ? [] : promptsIn(line);
      return { facts, ...known({ result }), ...(prompts.length > 0 && { prompts }) };
    },
  };
}

const NOTHING: StreamUpdate = { facts: [] };

function isPiece({ bytes }: Line): boolean {
  return bytes.length > PIECE.length && PIECE.equals(bytes.subarray(0, PIECE.length));
}

type StreamContext = Omit<LineContext, 'agent'>;

function readMessage(record: RawRecord, state: StreamAgents, context: StreamContext): void {
  const main = mainAgentOf(context.session);
  if (record['type'] === 'system') {
    const subtype = asText(record['subtype']) ?? '';
    if (subtype === 'init') readInit(record, context);
    else if (TASK.test(subtype)) readTask(record, state, { ...context, agent: main });
    return;
  }
  const agent = speakerOf(record, state, context) ?? main;
  const spoken = { ...context, agent };
  // Lines of 1.0.60 have no id.
  const id = asText(record['uuid']) ?? `${context.origin.source}@${context.origin.offset}`;
  if (record['type'] === 'assistant') {
    // What a transcript calls `isApiErrorMessage`; `is_api_error_message` of 2.1.287 is not in 2.1.161.
    const isApiErrorMessage = asText(record['error']) !== undefined;
    parseAssistant({ ...record, uuid: id, isApiErrorMessage }, spoken);
  } else if (record['type'] === 'user') {
    const toolUseResult = record['tool_use_result'];
    parseUser({ ...record, uuid: id, ...(toolUseResult !== undefined && { toolUseResult }) }, spoken);
    for (const block of blocksOf(asObject(record['message'])))
      if (block['type'] === 'tool_result') noteReport(block, toolUseResult, state, spoken);
  }
}

function readInit(record: RawRecord, { emit, file }: StreamContext): void {
  const hostVersion = asText(record['claude_code_version']);
  if (hostVersion !== undefined) file.version = hostVersion;
  emit({ kind: 'session-seen', ...known({ cwd: asText(record['cwd']), hostVersion }) });
}

/** Whose line it is. One of an agent that was not announced is the first that is heard of it (up to 2.1.5x). */
function speakerOf(record: RawRecord, state: StreamAgents, context: StreamContext): AgentId | undefined {
  const call = callIdOf(record['parent_tool_use_id']);
  if (call === undefined) return undefined;
  const told = asText(record['agent_id']);
  const known =
    told === undefined ? (state.agentOf.get(call) ?? wokenAs(record, call, state, context)) : agentIdOf(told);
  if (known !== undefined && state.agentOf.has(call)) return known;
  const agent = known ?? toUnnamedAgentId(HOST, call);
  linkAgent(call, agent, state, context);
  return agent;
}

/**
 * A resumed session wakes agents of runs before: their lines name a call that this stream does not have, and no agent (2.1.287).
 * The description tells if only one of them has it.
 */
function wokenAs(
  record: RawRecord,
  call: ToolCallId,
  state: StreamAgents,
  { file }: StreamContext,
): AgentId | undefined {
  if (file.toolOf.has(call)) return undefined;
  const description = asText(record['task_description']);
  const [only, ...others] = [...state.woken].filter(([, said]) => description !== undefined && said === description);
  return others.length === 0 ? only?.[0] : undefined;
}

function linkAgent(call: ToolCallId, agent: AgentId, state: StreamAgents, { file, emit }: StreamContext): void {
  state.name(call, agent);
  file.prompted.add(agent);
  emit({ kind: 'agent-linked', agent, evidence: 'stream', call });
}

/** Up to 2.1.305 at the least, an agent that died of it hands the provider's error to its parent as if it were its report. */
const API_ERROR = /^API Error: (?:\d{3}\b|Connection error|Request timed out)/;

/** The result of a call that asked for an agent: who it was, where nobody said so before, and whether it went wrong. */
function noteReport(block: RawRecord, details: unknown, state: StreamAgents, context: LineContext): void {
  const call = callIdOf(block['tool_use_id']);
  const tool = call === undefined ? undefined : context.file.toolOf.get(call);
  if (call === undefined || !isSpawning(tool) || block['is_error'] === true) return;
  const named = asText(asObject(details)?.['agentId']);
  const known = state.agentOf.get(call);
  const agent = named === undefined ? (known ?? toUnnamedAgentId(HOST, call)) : agentIdOf(named);
  if (agent !== known) linkAgent(call, agent, state, context);
  const text = textOf(block['content']);
  if (!API_ERROR.test(text)) return;
  const reason = text.split('\n')[0] ?? text;
  context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'failed', call, reason });
}

function toResult(record: RawRecord): StreamResult {
  return {
    isError: asFlag(record['is_error']) ?? record['subtype'] !== 'success',
    ...known({
      text: asText(record['result']),
      costUsd: asAmount(record['total_cost_usd']),
      durationMs: asAmount(record['duration_ms']),
    }),
  };
}

// Whether a line is one of `--output-format stream-json`, or of a recording of both directions (`{at, dir, msg}`).

const MESSAGES = new Set(['assistant', 'user', 'stream_event', 'result', 'tool_progress', 'rate_limit_event']);
const CONTROL = new Set(['control_request', 'control_response', 'control_cancel_request', 'keep_alive']);

/** What the program printed; undefined for what was said to it, and for lines about the connection. */
function printedIn(record: JsonObject): JsonObject | undefined {
  const isRecorded = 'dir' in record && 'msg' in record;
  const printed = !isRecorded ? record : record['dir'] === 'out' ? asObject(record['msg']) : undefined;
  return printed && !CONTROL.has(String(printed['type'])) ? printed : undefined;
}

export function recognise(record: JsonObject): StreamSign | undefined {
  const printed = printedIn(record);
  const type = asText(printed?.['type']);
  const session = asText(printed?.['session_id']);
  if (!printed || type === undefined || session === undefined) return undefined;
  // Qwen Code prints lines of the same names; its first one says whose they are.
  if ('qwen_code_version' in printed) return undefined;
  const isSystem = type === 'system' && asText(printed['subtype']) !== undefined && !('data' in printed);
  return isSystem || MESSAGES.has(type) ? { session } : undefined;
}

/** Which agents the calls of one stream made. */
class StreamAgents {
  /** Whose lines those are that name a call as their parent. */
  readonly agentOf = new Map<ToolCallId, AgentId>();
  /** The call that last set an agent to work. */
  readonly callOf = new Map<AgentId, ToolCallId>();
  /** Agents of runs before that a message woke, with their descriptions. */
  readonly woken = new Map<AgentId, string | undefined>();

  name(call: ToolCallId, agent: AgentId): void {
    this.agentOf.set(call, agent);
    this.callOf.set(agent, call);
  }
}

// `system/task_*`: the lives of agents as the program announces them (2.1.50 late and for few, 2.1.100 and later for all).

/** Commands, workflows and agents elsewhere are tasks, too. */
const AGENT_TASK = 'local_agent';

function readTask(record: RawRecord, state: StreamAgents, context: LineContext): void {
  const task = asText(record['task_id']);
  if (task === undefined) return;
  const agent = agentIdOf(task);
  if (record['subtype'] === 'task_started') startTask(record, agent, state, context);
  else if (state.callOf.has(agent)) {
    noteCalls(record, agent, state, context);
    noteEnd(record, agent, state, context);
  }
}

/** `task_progress`, `task_notification`: of an agent's agent, no line of its own is printed (2.1.325). Each run counts from 0. */
function noteCalls(record: RawRecord, agent: AgentId, state: StreamAgents, context: LineContext): void {
  const call = callIdOf(record['tool_use_id']) ?? state.callOf.get(agent);
  const count = asAmount(asObject(record['usage'])?.['tool_uses']);
  if (call !== undefined && count !== undefined) context.emit({ kind: 'calls-counted', agent, call, count });
}

function startTask(record: RawRecord, agent: AgentId, state: StreamAgents, context: LineContext): void {
  if ((record['task_type'] ?? AGENT_TASK) !== AGENT_TASK) return;
  const call = callIdOf(record['tool_use_id']);
  if (call === undefined) return;
  const tool = context.file.toolOf.get(call);
  const made = state.callOf.get(agent);
  const facts = {
    type: asText(record['subagent_type']),
    description: asText(record['description']),
    background: asFlag(record['is_backgrounded']),
  };
  const depth = asAmount(record['spawn_depth']);
  // Woken by a message: the same agent, another call.
  if ((made !== undefined && made !== call && !isSpawning(tool)) || isMessaging(tool)) {
    state.callOf.set(agent, call);
    if (made === undefined) {
      state.woken.set(agent, facts.description);
      context.emit({ kind: 'agent-seen', agent, ...known({ ...facts, depth }) });
    }
    context.emit({ kind: 'run-resumed', agent, id: call, call });
    return;
  }
  const above = asText(record['parent_task_id']);
  const parent = above === undefined ? undefined : agentIdOf(above);
  state.name(call, agent);
  const text = asText(record['prompt']);
  const prompt = text === undefined ? undefined : promptFact(text);
  // The call of an agent's agent is not always printed: what was asked stands here.
  if (tool === undefined && parent !== undefined)
    context.emit({ kind: 'spawn-requested', agent: parent, call, ...known({ ...facts, prompt }) });
  context.emit({ kind: 'agent-linked', agent, evidence: 'stream', call, ...known({ parent }) });
  context.emit({ kind: 'agent-seen', agent, ...known({ ...facts, depth }) });
  context.file.prompted.add(agent);
  if (prompt) context.emit({ kind: 'agent-prompted', agent, prompt });
}

/** Before, an agent that died of an error of the provider is told to have completed: the result of its call says more. */
const TELLS_FAILURES_SINCE = versionNumber('2.1.325');

function isUnsure(outcome: RunOutcome, call: ToolCallId | undefined, { file }: LineContext): boolean {
  const isOld = versionNumber(file.version) < TELLS_FAILURES_SINCE;
  return outcome === 'completed' && isOld && call !== undefined && isSpawning(file.toolOf.get(call));
}

/** `task_updated` has the failure's own words, `task_notification` the call; both may come, and they say the same. */
function noteEnd(record: RawRecord, agent: AgentId, state: StreamAgents, context: LineContext): void {
  const patch = record['subtype'] === 'task_updated' ? asObject(record['patch']) : record;
  const outcome = TASK_OUTCOMES.get(asText(patch?.['status']) ?? '');
  if (!patch || outcome === undefined) return;
  const reason = outcome === 'failed' ? (asText(patch['error']) ?? asText(patch['summary'])) : undefined;
  const call = callIdOf(record['tool_use_id']) ?? state.callOf.get(agent);
  if (isUnsure(outcome, call, context) && !context.file.launched.has(agent)) return;
  context.emit({ kind: 'run-ended', agent, signal: 'notification', outcome, ...known({ call, reason }) });
}

/** Whether it is worth the reading: nearly every line has none. */
const ASKS = [
  Buffer.from('"name":"Task"'),
  Buffer.from('"name":"Agent"'),
  Buffer.from('"name":"SendMessage"'),
  Buffer.from('"task_started"'),
];

function promptsIn({ bytes }: Line): readonly CallPrompt[] {
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
