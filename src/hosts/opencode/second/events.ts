// Events of a server of OpenCode 2 (`/api/event`), live or recorded: they say piece by piece what its messages hold in the end.

import { asAmount, asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import { objectsIn } from '../record.ts';

/** A message is changed in place, as the program does it. */
export interface SecondMessages {
  /** `Session.Info`, by id. */
  readonly sessions: Map<string, JsonObject>;
  /** With `sessionID`, by id. */
  readonly messages: Map<string, JsonObject>;
  /** Prompts that are not delivered yet. */
  readonly inbox: Map<string, JsonObject>;
  /** Of messages: the number of the event that began each, which its row has, too. */
  readonly numbers: Map<string, number>;
}

export function createSecondMessages(): SecondMessages {
  return { sessions: new Map(), messages: new Map(), inbox: new Map(), numbers: new Map() };
}

/** `created`, and `data` where OpenCode 1 has `properties`. */
export function isSecondEvent(event: JsonObject): boolean {
  return isObject(event['data']) && typeof event['id'] === 'string' && typeof event['type'] === 'string';
}

export interface Change {
  readonly session: string;
  /** The message that changed; left out: the record of the session. */
  readonly message?: JsonObject;
  /** Messages that a fork begins with. */
  readonly copies?: readonly JsonObject[];
  /** What a revert took back, and what it left. */
  readonly reverted?: { readonly removed: readonly JsonObject[]; readonly left: readonly JsonObject[] };
}

type Apply = (state: SecondMessages, data: JsonObject, at: number | undefined, event: JsonObject) => Change | undefined;

/** What an event changes; undefined for one that is about nothing of this. */
export function applyEvent(state: SecondMessages, event: JsonObject): Change | undefined {
  const data = asObject(event['data']) ?? {};
  const type = asText(event['type']) ?? '';
  const change = APPLY.get(type)?.(state, data, asAmount(event['created']), event);
  const number = asAmount(asObject(event['durable'])?.['seq']);
  const id = asText(change?.message?.['id']);
  if (id !== undefined && number !== undefined && !state.numbers.has(id)) state.numbers.set(id, number);
  return change;
}

const APPLY: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ['session.created', begin],
  ['session.forked', fork],
  ['session.revert.committed', revert],
  ['session.renamed', (state, data, at) => changeSession(state, data, at, known({ title: data['title'] }))],
  [
    'session.usage.updated',
    (state, { sessionID, cost, tokens }) => changeSession(state, { sessionID }, undefined, { cost, tokens }),
  ],
  [
    'session.inbox.enqueued',
    (state, { inboxID, item }) => {
      if (typeof inboxID === 'string' && isObject(item)) state.inbox.set(inboxID, item);
      return undefined;
    },
  ],
  ['session.inbox.delivered', deliver],
  ['session.execution.succeeded', (...all) => settle('succeeded', ...all)],
  ['session.execution.failed', (...all) => settle('failed', ...all)],
  ['session.execution.interrupted', (...all) => settle('interrupted', ...all)],
  [
    'session.step.started',
    (state, data, at) =>
      changeMessage(state, data, (before) => ({
        ...before,
        ...known({ agent: data['agent'], model: data['model'] }),
        content: before['content'] ?? [],
        time: { ...asObject(before['time']), created: data['started'] ?? at },
      })),
  ],
  ['session.step.ended', (state, data, at) => changeMessage(state, data, (before) => endStep(before, data, at))],
  [
    'session.step.failed',
    (state, data, at) => changeMessage(state, data, (before) => ({ ...endStep(before, data, at), finish: 'error' })),
  ],
  ['session.text.started', (state, data) => changeText('text', state, data, '')],
  ['session.text.ended', (state, data) => changeText('text', state, data, data['text'])],
  ['session.reasoning.started', (state, data) => changeText('reasoning', state, data, '')],
  ['session.reasoning.ended', (state, data) => changeText('reasoning', state, data, data['text'])],
  [
    'session.tool.input.started',
    (state, data, at) =>
      changeTool(state, data, () => ({
        name: data['name'],
        state: { status: 'streaming', input: '' },
        time: { created: at },
      })),
  ],
  [
    'session.tool.called',
    (state, { input, ...data }, at) =>
      changeTool(state, data, ({ time, name }) => ({
        ...known({ name: data['name'] ?? name }),
        state: { status: 'running', input, metadata: {} },
        time: { ...asObject(time), ran: at },
      })),
  ],
  [
    'session.tool.progress',
    (state, data) =>
      changeTool(state, data, ({ state: before }) => {
        const metadata = { ...asObject(asObject(before)?.['metadata']), ...asObject(data['metadata']) };
        return { state: { ...asObject(before), metadata } };
      }),
  ],
  [
    'session.tool.success',
    (state, data, at) => endTool(state, data, at, { status: 'completed', content: data['content'] }),
  ],
  ['session.tool.failed', (state, data, at) => endTool(state, data, at, { status: 'error', error: data['error'] })],
]);

/** Of a session, by the program's own list (2.0.15), those that say nothing of its messages. */
const SILENT =
  /^session\.(?:agent\.selected|background|compact(?:ion\.\w+|ed)|deleted|diff|environment|error|execution\.started|idle|inbox\.[\w.]+|instructions\.[\w.]+|location[\w.-]*|message\.[\w.]+|metadata\.updated|model\.selected|moved?|permissions?(?:\.[\w.]+)?|(?:reasoning|text|tool\.input)\.(?:delta|ended)|remove|retry\.\w+|revert(?:\.(?:staged|cleared))?|shell\.\w+|skill\.\w+|status|step\.streamed|synthetic|updated|usage\.\w+|viewed)$/;

/** Of a session, and of a later version: what it says cannot be shown. */
export function isUnknownEvent(type: string): boolean {
  return type.startsWith('session.') && !APPLY.has(type) && !SILENT.test(type);
}

function begin(state: SecondMessages, data: JsonObject, at: number | undefined): Change | undefined {
  const { sessionID, parentID, title, agent, location, version, fork, permissions } = data;
  const time = { created: at, updated: at };
  return changeSession(
    state,
    data,
    undefined,
    known({ id: sessionID, parentID, title, agent, location, version, fork, permissions, time }),
  );
}

/** Here the parent is the session that it is a copy of. */
function fork(
  state: SecondMessages,
  { parentID, ...data }: JsonObject,
  at: number | undefined,
  event: JsonObject,
): Change | undefined {
  const change = begin(state, { ...data, fork: { sessionID: parentID } }, at);
  if (!change) return undefined;
  const { type, messageID } = asObject(data['boundary']) ?? {};
  const last = state.numbers.get(String(messageID)) ?? Number.POSITIVE_INFINITY;
  const copies: JsonObject[] = [];
  for (const message of [...state.messages.values()].filter(({ sessionID }) => sessionID === parentID)) {
    const number = state.numbers.get(String(message['id']));
    if (number === undefined || number > last || (number === last && type !== 'through')) continue;
    // The program copies what is over.
    if (message['type'] === 'assistant' && asObject(message['time'])?.['completed'] === undefined) continue;
    // As its row is called.
    const id = `${idAfter(event)}_${number}`;
    const copy = { ...message, id, sessionID: change.session };
    state.messages.set(id, copy);
    state.numbers.set(id, number);
    copies.push(copy);
  }
  return { ...change, copies };
}

/** The program deletes the message and all that follow. */
function revert({ messages, numbers }: SecondMessages, { sessionID, to }: JsonObject): Change | undefined {
  const session = asText(sessionID);
  if (session === undefined) return undefined;
  // Of a recording that began later, all that it holds follows.
  const first = numbers.get(String(to)) ?? 0;
  const [removed, left]: [JsonObject[], JsonObject[]] = [[], []];
  for (const message of messages.values())
    if (message['sessionID'] === session)
      ((numbers.get(String(message['id'])) ?? 0) < first ? left : removed).push(message);
  for (const { id } of removed) messages.delete(String(id));
  return { session, reverted: { removed, left } };
}

/** Of a row that an event makes: it has the same digits. */
function idAfter(event: JsonObject): string {
  return String(event['id']).replace(/^evt_/, 'msg_');
}

function changeSession(
  { sessions }: SecondMessages,
  { sessionID }: JsonObject,
  at: number | undefined,
  change: JsonObject,
): Change | undefined {
  const session = asText(sessionID);
  if (session === undefined) return undefined;
  const before = sessions.get(session);
  // A recording may begin after the session did.
  if (!before && change['id'] === undefined) return undefined;
  const time = { ...asObject(before?.['time']), ...asObject(change['time']), ...known({ updated: at }) };
  sessions.set(session, { ...before, ...change, time });
  return { session };
}

function deliver(state: SecondMessages, data: JsonObject, at: number | undefined): Change | undefined {
  const [id, session] = [asText(data['inboxID']), asText(data['sessionID'])];
  const item = id === undefined ? undefined : state.inbox.get(id);
  if (id === undefined || session === undefined || !item) return undefined;
  state.inbox.delete(id);
  const message = { ...asObject(item['payload']), id, type: item['type'], sessionID: session, time: { created: at } };
  state.messages.set(id, message);
  return { session, message };
}

function settle(
  outcome: string,
  state: SecondMessages,
  data: JsonObject,
  at: number | undefined,
  event: JsonObject,
): Change | undefined {
  const session = asText(data['sessionID']);
  if (session === undefined) return undefined;
  const id = idAfter(event);
  const message = { id, type: 'idle', sessionID: session, outcome, time: { created: at } };
  state.messages.set(id, message);
  return { session, message };
}

function changeMessage(
  { messages }: SecondMessages,
  { sessionID, assistantMessageID }: JsonObject,
  change: (before: JsonObject) => JsonObject,
): Change | undefined {
  const [id, session] = [asText(assistantMessageID), asText(sessionID)];
  if (id === undefined || session === undefined) return undefined;
  const before = messages.get(id) ?? { id, type: 'assistant', sessionID: session };
  const message = change(before);
  messages.set(id, message);
  return { session, message };
}

function endStep(before: JsonObject, data: JsonObject, at: number | undefined): JsonObject {
  const { finish, cost, tokens, error } = data;
  return {
    ...before,
    ...known({ finish, cost, tokens, error }),
    time: { ...asObject(before['time']), completed: at },
  };
}

/** Texts and thoughts are each numbered in their message. */
function changeText(type: string, state: SecondMessages, data: JsonObject, text: unknown): Change | undefined {
  const ordinal = data['ordinal'];
  return changeMessage(state, data, (before) => {
    const content = objectsIn(before['content']);
    const at = content.findIndex((one) => one['type'] === type && one['ordinal'] === ordinal);
    const next = { type, ordinal, text };
    return { ...before, content: at < 0 ? [...content, next] : content.with(at, next) };
  });
}

function changeTool(
  state: SecondMessages,
  data: JsonObject,
  change: (before: JsonObject) => JsonObject,
): Change | undefined {
  return changeMessage(state, data, (before) => {
    const content = objectsIn(before['content']);
    const at = content.findIndex((one) => one['type'] === 'tool' && one['id'] === data['id']);
    const found = content[at] ?? { type: 'tool', id: data['id'] };
    const next = { ...found, ...change(found) };
    return { ...before, content: at < 0 ? [...content, next] : content.with(at, next) };
  });
}

function endTool(state: SecondMessages, data: JsonObject, at: number | undefined, end: JsonObject): Change | undefined {
  return changeTool(state, data, ({ state: before, time }) => ({
    state: { input: asObject(asObject(before)?.['input']) ?? {}, ...end, ...known({ metadata: data['metadata'] }) },
    time: { ...asObject(time), completed: at },
  }));
}
