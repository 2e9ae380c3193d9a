// Facts from the parts of a message: tool calls, prompts, notifications of background tasks.

import {
  type AgentEvent,
  mainAgentOf,
  type PromptFact,
  type RunOutcome,
  type ToolEnded,
  type ToolStarted,
  toToolCallId,
} from '../../core/index.ts';
import { asAmount, asFlag, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import { firstLine, promptFact, requestIn, sessionsPrinted } from '../shared/index.ts';
import type { MessageNote } from './parse-messages.ts';
import { agentIdOf, type Draft, heardAs, isSessionId, originOf, type RecordContext } from './record.ts';
import { fileWrittenBy, INVALID, isShell, isTask, summarise } from './tools.ts';

/** With the note of its message. */
export interface PartKey extends MessageNote {
  readonly id: string;
  readonly session: string;
  /** When the part was created and last changed, for calls without times. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export function partFacts(key: PartKey, part: JsonObject, context: RecordContext): readonly AgentEvent[] {
  if (part['type'] === 'tool') return toolFacts(key, part, context);
  if (part['type'] === 'text' && key.isPrompt) return promptFacts(key, part, context);
  return [];
}

/** The result will replace this part. */
export function isOpenCall(part: JsonObject): boolean {
  const status = asObject(part['state'])?.['status'];
  return part['type'] === 'tool' && status !== 'completed' && status !== 'error';
}

function toolFacts(key: PartKey, part: JsonObject, context: RecordContext): readonly AgentEvent[] {
  const state = asObject(part['state']);
  const named = asText(part['tool']);
  const status = asText(state?.['status']);
  // Its input is still being written.
  if (!state || named === undefined || status === undefined || status === 'pending') return [];
  const input = asObject(state['input']);
  const time = asObject(state['time']);
  // By the part's id: ids of calls come from the model, and some models restart them in each session.
  const call = toToolCallId(key.id);
  const agent = agentIdOf(key.session);
  const place = { session: context.session, origin: originOf(context, key.createdAt, true), agent, call };
  const isInvalid = named === INVALID;
  const tool = isInvalid ? (asText(input?.['tool']) ?? named) : named;
  const startedAt = asAmount(time?.['start']) ?? key.from;
  const heard = asText(part['callID']);
  const started: Draft<ToolStarted> = { kind: 'tool-started', ...place, tool };
  if (startedAt !== undefined) started.at = startedAt;
  const summary = summarise(named, input);
  if (summary !== undefined) started.summary = summary;
  const writes = fileWrittenBy(tool, input);
  if (writes !== undefined) started.writes = writes;
  if (heard !== undefined) started.heardAs = heardAs(key.session, heard);
  const facts: AgentEvent[] = [started];
  if (isTask(tool) && !isInvalid) facts.push(...taskFacts(key, state, place, startedAt));
  if (status === 'completed' || status === 'error') {
    const at = asAmount(time?.['end']) ?? key.until;
    const isLaunch = status === 'completed' && asFlag(asObject(state['metadata'])?.['background']);
    const how = outcomeOf(state, isInvalid ? asText(input?.['error']) : undefined);
    const ended: Draft<ToolEnded> = { kind: 'tool-ended', ...place, ...how };
    if (at !== undefined) ended.at = at;
    if (isLaunch) ended.launched = true;
    facts.push(ended);
  }
  const command = isShell(tool) ? asText(input?.['command']) : undefined;
  const output = command === undefined ? undefined : asText(state['output']);
  if (command !== undefined && output !== undefined)
    for (const printed of sessionsPrinted(command, output)) facts.push({ kind: 'session-printed', ...place, printed });
  return facts;
}

/** Denied by the user, or by a rule of theirs. */
const REFUSED = /^(?:The user (?:rejected permission|dismissed)|The user has specified a rule which prevents)/;

function outcomeOf(
  state: JsonObject,
  invalid?: string,
): Pick<ToolEnded, 'outcome' | 'reason' | 'unrun' | 'interrupted'> {
  if (invalid !== undefined) return { outcome: 'error', reason: firstLine(invalid) ?? '', unrun: true };
  if (state['status'] === 'completed') return { outcome: 'ok' };
  const error = asText(state['error']) ?? '';
  const isRefused = state['isRefused'] === true || REFUSED.test(error);
  const interrupted = state['isAborted'] === true && !isRefused ? true : undefined;
  return { outcome: isRefused ? 'refused' : 'error', ...known({ reason: firstLine(error), interrupted }) };
}

/** In OpenCode 2, of an agent that ran. */
const FAILED = /^Subagent failed \(sessionID: /;

type CallPlace = Pick<ToolEnded, 'session' | 'origin' | 'agent' | 'call'>;

function taskFacts(key: PartKey, state: JsonObject, place: CallPlace, at: number | undefined): readonly AgentEvent[] {
  const input = asObject(state['input']) ?? {};
  const metadata = asObject(state['metadata']);
  const prompt = asText(input['prompt']);
  const background = asFlag(metadata?.['background']) ?? asFlag(input['background']);
  const facts: AgentEvent[] = [
    {
      kind: 'spawn-requested',
      ...place,
      ...known({
        type: asText(input['subagent_type']) ?? asText(input['agent']),
        description: asText(input['description']),
        prompt: prompt === undefined ? undefined : toPrompt(prompt),
        background,
      }),
    },
  ];
  const made = asText(metadata?.['sessionId']);
  const parent = asText(metadata?.['parentSessionId']) ?? key.session;
  if (made === undefined || !isSessionId(made)) return facts;
  const { session, origin, agent, call } = place;
  const child = agentIdOf(made);
  // A forked session repeats the calls; their agents belong to the original, also if the fork gives them another task.
  if (parent !== key.session) return [...facts, { kind: 'agent-seen', session, origin, agent: child, isOthers: true }];
  facts.push({ kind: 'agent-linked', session, origin, agent: child, evidence: 'call-record', call, parent: agent });
  // `session_id` up to 1.0.x, where a wrong one silently makes a new agent; `sessionID` since 2.0.
  const woken = asText(input['task_id']) ?? asText(input['session_id']) ?? asText(input['sessionID']);
  if (woken === made)
    facts.push({ kind: 'run-resumed', session, origin, agent: child, id: call, call, ...known({ at }) });
  // Interrupted, or a question of its was declined: it may not say so itself. A resumed agent may be known by its calls only.
  const error = asText(state['error']);
  const hasFailed = woken === made && FAILED.test(error ?? '');
  if (state['isAborted'] === true || hasFailed) {
    const end = known({ at: asAmount(asObject(state['time'])?.['end']), reason: firstLine(error) });
    const outcome = hasFailed ? 'failed' : 'stopped';
    facts.push({ kind: 'run-ended', session, origin, agent: child, signal: 'notification', outcome, call, ...end });
  }
  return facts;
}

/** Added to the parent's conversation when a background task has ended. */
const NOTIFICATION = /^<(?:task id|subagent sessionID)="(ses_[^"]+)" state="(\w+)"/;
const OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  completed: 'completed',
  error: 'failed',
  cancelled: 'stopped',
};

function promptFacts(key: PartKey, part: JsonObject, context: RecordContext): readonly AgentEvent[] {
  const text = asText(part['text']);
  if (text === undefined || part['ignored'] === true) return [];
  const { createdAt: at } = key;
  const place = { session: context.session, origin: originOf(context, at, false) };
  const agent = agentIdOf(key.session);
  if (part['synthetic'] === true) {
    const [, ended, state = ''] = NOTIFICATION.exec(text) ?? [];
    const outcome = OUTCOMES[state];
    if (ended === undefined || outcome === undefined) return [];
    return [
      { kind: 'run-ended', ...place, agent: agentIdOf(ended), signal: 'notification', outcome, ...known({ at }) },
    ];
  }
  const title = agent === mainAgentOf(context.session) ? requestIn(text) : undefined;
  return [
    { kind: 'agent-prompted', ...place, agent, prompt: toPrompt(text), ...known({ at }) },
    ...(title === undefined
      ? []
      : [{ kind: 'session-titled', ...place, title, titleKind: 'prompt', ...known({ at }) } as const]),
  ];
}

/** Only the beginning of long prompts is read, and compared. */
const COMPARED = 4_000;

/** What 2.0 puts in front of a sub-agent's first prompt. */
const SPAWNED = /^You are a subagent spawned by another session\.\n/;

/** `opencode run` puts a prompt of several words into quotes. */
function toPrompt(text: string): PromptFact {
  const own = text.replace(SPAWNED, '');
  const [, plain = own] = /^"([^"]*)"$/s.exec(own) ?? [];
  return promptFact(plain.slice(0, COMPARED));
}
