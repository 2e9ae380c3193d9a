// What `codex exec --json` printed, live or kept in a file: the main thread's items, without times. Of its agents only what its
// calls say.

import { type AgentEvent, type AgentId, mainAgentOf, type ToolCallId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known, parseJsonBytes } from '../../lib/json.ts';
import type { CallPrompt, SourceReader, StreamCapability, StreamResult, StreamSign } from '../index.ts';
import { firstLine, promptFact } from '../shared/index.ts';
import { agentIdOf } from './line-context.ts';
import { OUTCOMES } from './parse-items.ts';
import type { RolloutOf } from './read-rollout.ts';
import { parseLine, recordsIn } from './record.ts';
import { toUsage } from './replies.ts';

const KINDS = /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;

export const stream: StreamCapability = {
  recognise,
  leavesToDisk: true,
  createReader(session, source) {
    const reader = createStreamReader({ session, source, agent: mainAgentOf(session) });
    let last: string | undefined;
    return {
      read(line) {
        const facts = reader.read(line);
        const record = line.tooLong || line.torn ? undefined : asObject(parseJsonBytes(line.bytes));
        const item = asObject(record?.['item']);
        if (item?.['type'] === 'agent_message') last = asText(item['text']);
        const result = record && resultIn(record, last);
        const prompt = asText(item?.['prompt']);
        const prompts = facts.flatMap((fact): readonly CallPrompt[] =>
          fact.kind === 'spawn-requested' && prompt !== undefined ? [{ call: fact.call, prompt }] : [],
        );
        return { facts, ...(prompts.length > 0 && { prompts }), ...(result && { result }) };
      },
    };
  },
};

function recognise(record: JsonObject): StreamSign | undefined {
  const type = asText(record['type']);
  if (type === undefined || !KINDS.test(type)) return undefined;
  const session = asText(record['thread_id']);
  return session === undefined ? {} : { session };
}

/** `last`: the last message of the turn is what it came to. */
function resultIn({ type, error }: JsonObject, last: string | undefined): StreamResult | undefined {
  if (type === 'turn.failed') return { isError: true, ...known({ text: asText(asObject(error)?.['message']) }) };
  return type === 'turn.completed' ? { isError: false, ...known({ text: last }) } : undefined;
}

/** Facts without their place; about the main agent where they name none. */
type StreamFact<E = AgentEvent> = E extends AgentEvent
  ? Omit<E, 'session' | 'origin' | 'agent'> & { readonly agent?: AgentId }
  : never;

interface StreamContext {
  emit(fact: StreamFact): void;
  /** The turn it stands in: items are numbered anew by every process. */
  readonly turn: number;
  readonly isDone: boolean;
  /** Calls that began, and of which no end was printed: those that the host refused get none. */
  readonly open: Set<ToolCallId>;
}

/** Items that are calls, and what each does. */
const CALLS = new Map<unknown, (item: JsonObject) => readonly [tool: string, summary?: unknown]>([
  ['command_execution', ({ command }) => ['exec_command', command]],
  ['file_change', ({ changes }) => ['apply_patch', pathsIn(changes)]],
  ['mcp_tool_call', ({ server, tool }) => [`mcp__${server}__${tool}`]],
  ['web_search', ({ query }) => ['web_search', query]],
  ['collab_tool_call', ({ tool, prompt }) => [String(tool), prompt]],
]);

const IGNORED_TYPES = new Set(['thread.started', 'item.updated']);

export function createStreamReader({ session, source, agent }: RolloutOf): SourceReader {
  let turn = 0;
  const open = new Set<ToolCallId>();
  return {
    read(line) {
      const { records, problem } = recordsIn(line, parseLine);
      const origin = { source, offset: line.offset, length: line.length };
      const events: AgentEvent[] = [];
      const emit: StreamContext['emit'] = (fact) => events.push({ agent, ...fact, session, origin } as AgentEvent);
      if (problem) emit({ kind: 'problem-found', diagnostic: { ...problem, origin } });
      for (const { type, payload } of records) {
        if (type === 'turn.started') turn++;
        else if (type === 'item.started' || type === 'item.completed')
          readItem(asObject(payload['item']) ?? {}, { emit, turn, isDone: type === 'item.completed', open });
        else if (type === 'turn.completed') endTurn(payload, { emit, turn, isDone: true, open });
        else if (type === 'turn.failed' || type === 'error')
          emit({ kind: 'entry-added', entry: 'failure', id: `failure-${turn}` });
        else if (!IGNORED_TYPES.has(type))
          emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: type, origin } });
      }
      return events;
    },
  };
}

/** One reply a turn: where one ends and the next begins is not printed. */
const replyOf = (turn: number): string => `turn-${turn}`;

function endTurn(payload: JsonObject, { emit, turn, open }: StreamContext): void {
  for (const call of open) emit({ kind: 'tool-ended', call, outcome: 'error' });
  open.clear();
  emit({ kind: 'entry-added', entry: 'reply', id: replyOf(turn), end: 'turn' });
  const usage = asObject(payload['usage']);
  if (usage) emit({ kind: 'usage-counted', message: replyOf(turn), usage: toUsage(usage), final: true });
  emit({ kind: 'session-closed' });
}

function readItem(item: JsonObject, context: StreamContext): void {
  const { emit, turn, isDone, open } = context;
  const { type: kind } = item;
  const id = asText(item['id']);
  if (id === undefined) return;
  const describe = CALLS.get(kind);
  if (!describe) {
    if (kind === 'agent_message' || kind === 'reasoning')
      emit({ kind: 'entry-added', entry: 'reply', id: replyOf(turn), end: 'tools' });
    return;
  }
  const call = toToolCallId(`${turn}-${id}`);
  const [tool, summary] = describe(item);
  if (!isDone) emit({ kind: 'entry-added', entry: 'reply', id: replyOf(turn), end: 'tools' });
  emit({
    kind: 'tool-started',
    call,
    tool,
    ...known({ summary: firstLine(asText(summary)) }),
    ...(tool === 'wait' && { awaitsAgents: true }),
  });
  if (kind === 'collab_tool_call') readCollab(item, call, tool, context);
  if (!isDone) return void open.add(call);
  open.delete(call);
  const isLaunch = tool === 'spawn_agent' && receiversOf(item).length > 0;
  const failed = item['status'] === 'failed' && tool !== 'wait';
  emit({ kind: 'tool-ended', call, outcome: failed ? 'error' : 'ok', ...(isLaunch && { launched: true }) });
  emit({ kind: 'entry-added', entry: 'result', id: call });
}

function readCollab(item: JsonObject, call: ToolCallId, tool: string, { emit }: StreamContext): void {
  const prompt = asText(item['prompt']);
  if (tool === 'spawn_agent') {
    emit({ kind: 'spawn-requested', call, ...(prompt !== undefined && { prompt: promptFact(prompt) }) });
    const sender = asText(item['sender_thread_id']);
    const parent = sender === undefined ? {} : { parent: agentIdOf(sender) };
    for (const receiver of receiversOf(item))
      emit({ kind: 'agent-linked', agent: agentIdOf(receiver), evidence: 'result', call, ...parent });
  }
  for (const [thread, state] of Object.entries(asObject(item['agents_states']) ?? {})) {
    const outcome = OUTCOMES.get(asObject(state)?.['status']);
    if (outcome) emit({ kind: 'run-ended', agent: agentIdOf(thread), signal: 'notification', outcome, hearsay: true });
  }
}

function receiversOf(item: JsonObject): readonly string[] {
  const ids = item['receiver_thread_ids'];
  return Array.isArray(ids) ? ids.flatMap((id) => asText(id) ?? []) : [];
}

function pathsIn(changes: unknown): string | undefined {
  const paths = Array.isArray(changes) ? changes.filter(isObject).flatMap(({ path }) => asText(path) ?? []) : [];
  return paths.length > 0 ? paths.join(', ') : undefined;
}
