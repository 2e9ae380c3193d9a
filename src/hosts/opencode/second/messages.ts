// Records of OpenCode 2 (recorded: 2.0.15), in the form of OpenCode 1: what is told of an agent, and its transcript, come from one place.
// One record is one message with everything in it: a prompt, a call of the model with its tools, the end of an execution.

import { asAmount, asFlag, asObject, asText, type JsonObject, known } from '../../../lib/json.ts';
import { objectsIn, type SessionInfo, sessionInfo } from '../record.ts';
import type { WholeMessage } from '../whole-messages.ts';

/** `Session.Info` of the server and of exports. */
export function toSecondInfo(raw: JsonObject | undefined): SessionInfo | undefined {
  const id = asText(raw?.['id']);
  const time = asObject(raw?.['time']);
  if (!raw || !id?.startsWith('ses_')) return undefined;
  const location = asObject(raw['location']);
  const { created, updated, idle } = time ?? {};
  return secondInfo(
    sessionInfo(
      id,
      { ...raw, directory: location?.['directory'] },
      { parent: raw['parentID'], permission: raw['permissions'], created, updated },
    ),
    {
      fork: asObject(raw['fork'])?.['sessionID'],
      cost: raw['cost'],
      tokens: raw['tokens'],
      outcome: raw['outcome'],
      idle,
    },
  );
}

export function secondInfo(info: SessionInfo, { fork, cost, tokens, outcome, idle }: JsonObject): SessionInfo {
  const counted = asObject(tokens);
  const total = counted && { cost: asAmount(cost) ?? 0, tokens: counted };
  const [how, at] = [asText(outcome), asAmount(idle)];
  const ended = how === undefined || at === undefined ? undefined : { outcome: how, at };
  return { ...info, isSecond: true, ...known({ fork: asText(fork), total, ended }) };
}

/** Exports and answers of the server have `type` in each message, those of OpenCode 1 have `info`. */
export function isSecondMessage(message: JsonObject): boolean {
  return typeof message['type'] === 'string' && asObject(message['info']) === undefined;
}

/** Undefined without an id. */
export function toWhole(message: JsonObject): WholeMessage | undefined {
  const [id, type] = [asText(message['id']), asText(message['type'])];
  if (id === undefined || type === undefined) return undefined;
  const { time } = message;
  const part = (more: JsonObject): WholeMessage => ({
    id,
    info: { role: 'user', time },
    parts: [{ id: `${id}.0`, ...more }],
  });
  const text = asText(message['text']) ?? '';
  switch (type) {
    case 'assistant':
      return {
        id,
        info: replyInfo(message),
        parts: objectsIn(message['content']).map((one, at) => toPart(id, at, one)),
      };
    case 'user':
      return { id, info: { role: 'user', time }, parts: [...userParts(id, text, message)] };
    case 'synthetic':
      return part({ type: 'text', synthetic: true, text, metadata: message['metadata'] });
    case 'system':
      return { ...part({ type: 'text', synthetic: true, text }), info: { role: 'system', time } };
    case 'skill':
      return { ...part({ type: 'subtask', command: message['name'], prompt: text }), info: { role: 'system', time } };
    case 'shell':
      return {
        ...part({ type: 'shell', command: message['command'], text: shellOutput(message) }),
        info: { role: 'system', time },
      };
    case 'compaction':
      return compaction(id, message);
    default:
      return { id, info: { role: type, time, outcome: message['outcome'] }, parts: [] };
  }
}

function replyInfo({ time: said, agent, model, finish, error, cost, tokens, content }: JsonObject): JsonObject {
  const { id: modelID, providerID, variant } = asObject(model) ?? {};
  const failed = asObject(error);
  // One that OpenCode 1 left open is closed when its session goes on, without a word about its end.
  const isAbandoned = finish === undefined && !failed && objectsIn(content).length === 0;
  const time = isAbandoned ? { created: asObject(said)?.['created'] } : said;
  const { type, message } = failed ?? {};
  return {
    role: 'assistant',
    ...known({ time, agent, modelID, providerID, variant, finish, cost, tokens }),
    ...(failed && { error: { name: type === 'aborted' ? 'MessageAbortedError' : type, data: { message } } }),
  };
}

/** One that is still being written is told when it is over. */
function compaction(id: string, { time, status, summary, error, cost, tokens, model }: JsonObject): WholeMessage {
  if (status === 'failed') {
    const text = asText(asObject(error)?.['message']);
    return {
      id,
      info: { role: 'system', time },
      parts: [{ id: `${id}.0`, type: 'retry', error: { data: { message: text } } }],
    };
  }
  if (status !== 'completed')
    return { id, info: { role: 'system', time }, parts: [{ id: `${id}.0`, type: 'compaction' }] };
  const { created } = asObject(time) ?? {};
  const info = {
    role: 'assistant',
    summary: true,
    time: { created, completed: created },
    ...known({ cost, tokens, modelID: asObject(model)?.['id'] }),
  };
  return { id, info, parts: [{ id: `${id}.0`, type: 'text', text: summary }] };
}

function shellOutput({ output, exit }: JsonObject): string {
  const text = asText(asObject(output)?.['output']) ?? '';
  return exit === undefined || exit === 0 ? text : `${text}\nExited with code ${exit}`;
}

function* userParts(id: string, text: string, { files, agents, skills }: JsonObject): Generator<JsonObject> {
  let at = 0;
  const part = (more: JsonObject): JsonObject => ({ id: `${id}.${at++}`, ...more });
  yield part({ type: 'text', text });
  for (const { data, mime, name } of objectsIn(files))
    yield part({ type: 'file', mime, filename: name, url: `data:${asText(mime) ?? ''};base64,${asText(data) ?? ''}` });
  for (const { name } of objectsIn(agents)) yield part({ type: 'agent', name });
  for (const { name } of objectsIn(skills)) yield part({ type: 'subtask', command: name });
}

function toPart(message: string, at: number, content: JsonObject): JsonObject {
  const id = `${message}.${at}`;
  if (content['type'] !== 'tool') return { id, ...content };
  const call = asText(content['id']) ?? '';
  const { name: tool, state, time } = content;
  return {
    id: callId(message, call),
    type: 'tool',
    tool,
    callID: call,
    state: toState(asObject(state), asObject(time)),
  };
}

/** Ids of calls are the model's: unique in a message, at most. */
export function callId(message: string, call: string): string {
  return `${message}/${call}`;
}

function toState(state: JsonObject = {}, time: JsonObject = {}): JsonObject {
  const { status, input, content, metadata, error } = state;
  const files = objectsIn(content).filter(({ type }) => type === 'file');
  return {
    status: status === 'streaming' ? 'pending' : status,
    input: asObject(input) ?? {},
    metadata: toMetadata(asObject(metadata), status),
    time: known({ start: time['ran'] ?? time['created'], end: time['completed'] }),
    ...(status === 'completed' && { output: textOf(content) }),
    ...(status === 'error' && toError(error)),
    ...(files.length > 0 && { attachments: files.map(({ mime, name, uri }) => ({ mime, filename: name, url: uri })) }),
  };
}

/** A call that made an agent and ended while it runs has set it to work in the background. */
export function toMetadata(metadata: JsonObject | undefined, status: unknown): JsonObject {
  const sessionId = asText(metadata?.['sessionID']);
  const isLeft = sessionId !== undefined && status === 'completed' && metadata?.['status'] === 'running';
  const background = isLeft || asFlag(metadata?.['background']);
  return { ...metadata, ...known({ sessionId, background: background || undefined }) };
}

/** What a person or a rule of theirs said no to. */
const REFUSALS = new Set(['permission.rejected', 'permission.declined']);
const DECLINED = /^The user declined/;

function toError(error: unknown): JsonObject {
  const { type, message } = asObject(error) ?? {};
  const text = asText(error) ?? asText(message) ?? '';
  const isRefused = REFUSALS.has(String(type)) || (type === 'aborted' && DECLINED.test(text));
  return { error: text, ...(isRefused && { isRefused }), ...(type === 'aborted' && { isAborted: true }) };
}

function textOf(content: unknown): string {
  return objectsIn(content)
    .flatMap(({ type, text }) => (type === 'text' ? (asText(text) ?? []) : []))
    .join('\n');
}
