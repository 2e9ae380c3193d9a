// The control protocol of `claude -p --input-format stream-json`: requests and answers between the lines of the conversation.
// Recorded: 2.0.76 to 2.1.325.

import { asAmount, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { ControlAnswer, ControlCapability, ControlEvent } from '../index.ts';
import { planControl, withLines } from './control-arguments.ts';

/** Our callback in front of each call: the program asks its person only about some of them, and tells hooks of all. */
const BEFORE_CALL = 'troupe-before-call';
/** And before a sub-agent ends: there is no other way to say something to one that makes no more calls. */
const BEFORE_END = 'troupe-before-end';

export const claudeCodeControl: ControlCapability = {
  plan: planControl,
  withLines,
  read: readControl,
  greet,
  isGreeting: (line) => line['type'] === 'control_request' && asObject(line['request'])?.['subtype'] === 'initialize',
  isMessage: (line) => line['type'] === 'user',
  isDecided: (printed) => ['allow', 'deny'].includes(String(decisionIn(printed)['permissionDecision'])),
  say: (text) => ({
    type: 'user',
    message: { role: 'user', content: text },
    parent_tool_use_id: null,
    session_id: '',
  }),
  interrupt: (request) => toRequest(request, { subtype: 'interrupt' }),
  // Tasks of agents have the ids of their agents. Known since about 2.1.50; earlier versions refuse it.
  stopAgent: (request, agent) => toRequest(request, { subtype: 'stop_task', task_id: agent }),
  callerIn,
  answerCall(request, answer, payload, message) {
    const said = hookAnswer(answer, asObject(payload) ?? {});
    if (message === undefined) return respond(request, said);
    const specific = asObject(said['hookSpecificOutput']) ?? {};
    return respond(request, { ...said, ...before({ ...specific, additionalContext: fromPerson(message) }) });
  },
  // What blocks its end is the next thing that the agent reads.
  answerEnding: (request, message) =>
    respond(request, message === undefined ? {} : { decision: 'block', reason: fromPerson(message) }),
  // A result that is given in place of the call's is said as a no.
  answerQuestion(request, answer, payload) {
    return respond(request, permission(answer, asObject(asObject(payload)?.['tool_input']) ?? {}));
  },
  refuse: (request) => ({
    type: 'control_response',
    response: { subtype: 'error', request_id: request, error: 'troupe has no answer to this request' },
  }),
  textIn,
  lastWords,
};

function toRequest(id: string, request: JsonObject): JsonObject {
  return { type: 'control_request', request_id: id, request };
}

function greet(request: string, theirs?: JsonObject): JsonObject {
  const asked = asObject(theirs?.['request']) ?? { subtype: 'initialize' };
  const hooks = asObject(asked['hooks']) ?? {};
  const theirsOn = (event: string): readonly unknown[] => (Array.isArray(hooks[event]) ? hooks[event] : []);
  // An hour and a bit: no person is waited for longer (seconds).
  const beforeCall = { matcher: '*', hookCallbackIds: [BEFORE_CALL], timeout: 3_700 };
  const beforeEnd = { hookCallbackIds: [BEFORE_END] };
  const ours = {
    PreToolUse: [beforeCall, ...theirsOn('PreToolUse')],
    SubagentStop: [beforeEnd, ...theirsOn('SubagentStop')],
  };
  return toRequest(asText(theirs?.['request_id']) ?? request, { ...asked, hooks: { ...hooks, ...ours } });
}

function decisionIn(printed: string): JsonObject {
  return (printed === '' ? undefined : asObject(asObject(JSON.parse(printed))?.['hookSpecificOutput'])) ?? {};
}

/** Since 2.1.69. */
function callerIn(payload: unknown): string | undefined {
  return asText(asObject(payload)?.['agent_id']);
}

function readControl(line: JsonObject): ControlEvent | undefined {
  switch (line['type']) {
    case 'control_request':
      return readRequest(asText(line['request_id']) ?? '', asObject(line['request']) ?? {});
    case 'control_cancel_request':
      return { kind: 'withdrawn', request: asText(line['request_id']) ?? '' };
    case 'control_response': {
      const response = asObject(line['response']) ?? {};
      const trouble = response['subtype'] === 'error' ? (asText(response['error']) ?? 'an error') : undefined;
      return { kind: 'reply', to: asText(response['request_id']) ?? '', ...known({ trouble }) };
    }
    case 'result':
      return { kind: 'turn-over' };
    case 'system':
      return line['subtype'] === 'init' ? { kind: 'turn-begun' } : readWork(line);
    default:
      return undefined;
  }
}

function readRequest(request: string, said: JsonObject): ControlEvent {
  if (said['subtype'] === 'can_use_tool') return { kind: 'question', request, call: asText(said['tool_use_id']) };
  const payload = asObject(said['input']);
  const callback = said['subtype'] === 'hook_callback' ? said['callback_id'] : undefined;
  if (callback === BEFORE_END) return { kind: 'agent-ending', request, agent: callerIn(payload) };
  if (callback !== BEFORE_CALL) return { kind: 'request', request };
  const call = asText(said['tool_use_id']) ?? asText(payload?.['tool_use_id']);
  return { kind: 'call', request, payload, call };
}

/** Agents that may still make calls. Commands in the background make none. */
function readWork(line: JsonObject): ControlEvent | undefined {
  const work = asText(line['task_id']);
  if (work === undefined) return undefined;
  if (line['subtype'] === 'task_started' && line['task_type'] !== 'local_bash') return { kind: 'work-begun', work };
  if (line['subtype'] !== 'task_notification') return undefined;
  return { kind: 'work-ended', work, isStopped: line['status'] === 'stopped' };
}

/** The program shows it as words of a hook. */
function fromPerson(message: string): string {
  return `The person who runs this session says to you: ${message}`;
}

function hookAnswer(answer: ControlAnswer, payload: JsonObject): JsonObject {
  switch (answer.kind) {
    case 'printed':
      return answer.printed === '' ? {} : (JSON.parse(answer.printed) as JsonObject);
    case 'allow':
      return before({ permissionDecision: 'allow', ...known({ updatedInput: answer.input }) });
    case 'deny':
      return before({ permissionDecision: 'deny', permissionDecisionReason: answer.reason });
    case 'result': {
      const input = asObject(payload['tool_input']);
      if (payload['tool_name'] === 'Bash' && input && !answer.isError)
        return before({ permissionDecision: 'allow', updatedInput: printing(input, answer.text) });
      // In this mode the program asks nobody, and refuses in its own words.
      if (payload['permission_mode'] === 'dontAsk')
        return before({ permissionDecision: 'deny', permissionDecisionReason: answer.text });
      // The program then asks its person, and what is said there as a no reaches the agent word for word.
      return before({ permissionDecision: 'ask', permissionDecisionReason: 'its result is given by troupe' });
    }
  }
}

function before(said: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...said } };
}

/** A command that does nothing but print the text. */
function printing(input: JsonObject, text: string): JsonObject {
  let end = 'TROUPE';
  while (text.split('\n').includes(end)) end += '_';
  const { run_in_background: _, ...rest } = input;
  return { ...rest, command: `cat <<'${end}'\n${text}\n${end}` };
}

function permission(answer: ControlAnswer, input: JsonObject): JsonObject {
  switch (answer.kind) {
    case 'allow':
      return { behavior: 'allow', updatedInput: answer.input ?? input };
    case 'deny':
      return { behavior: 'deny', message: answer.reason };
    case 'result':
      return { behavior: 'deny', message: answer.text };
    case 'printed': {
      const specific = decisionIn(answer.printed);
      if (specific['permissionDecision'] === 'allow')
        return { behavior: 'allow', updatedInput: specific['updatedInput'] ?? input };
      return { behavior: 'deny', message: asText(specific['permissionDecisionReason']) ?? 'Nobody allowed it.' };
    }
  }
}

function respond(request: string, response: JsonObject): JsonObject {
  return { type: 'control_response', response: { subtype: 'success', request_id: request, response } };
}

// What `claude -p` prints at its end without `--output-format stream-json`. Recorded: 2.0.76 to 2.1.325.

/** `lines`: all that it printed in the conversation. */
function lastWords(form: string | undefined, lines: readonly JsonObject[]): string {
  if (form === 'json-list') return `${JSON.stringify(lines)}\n`;
  const result = lines.findLast((line) => line['type'] === 'result');
  if (!result) return '';
  return form === 'json' ? `${JSON.stringify(result)}\n` : textOf(result);
}

function textOf(result: JsonObject): string {
  switch (result['subtype']) {
    case 'error_max_turns':
      return `Error: Reached max turns (${turnsIn(result)})`;
    case 'error_max_budget_usd':
      return 'Error: Exceeded USD budget\n';
    case 'error_during_execution':
      return 'Execution error';
    default: {
      const text = asText(result['result']) ?? '';
      return text.endsWith('\n') ? text : `${text}\n`;
    }
  }
}

/** The turn that was one too many counts, too. */
function turnsIn(result: JsonObject): number {
  return Math.max(1, (asAmount(result['num_turns']) ?? 1) - 1);
}

function textIn(line: JsonObject): { readonly text: string; readonly parent?: string } | undefined {
  if (line['type'] !== 'assistant') return undefined;
  const content = asObject(line['message'])?.['content'];
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const text = blocks.flatMap((block) => (block['type'] === 'text' ? (asText(block['text']) ?? []) : [])).join('');
  return text === '' ? undefined : { text, ...known({ parent: asText(line['parent_tool_use_id']) }) };
}
