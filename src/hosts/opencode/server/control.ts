// What troupe does through a running server: answering the permission requests of all its sessions (the program's own clients lose those of
// agents' agents), sending messages to agents, stopping them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentToSteer, Steered, SteeringCapability } from '../../../core/index.ts';
import { asObject, asText, type JsonObject, known, parseObject } from '../../../lib/json.ts';
import type { ApprovalListener, ApprovalsCapability, HostApproval } from '../../index.ts';
import { ASKED, QUESTION, REPLIED } from '../guard.ts';
import { findServers } from '../processes.ts';
import { objectsIn } from '../record.ts';
import { toSecondInfo } from '../second/messages.ts';
import { getJson, getList, isAddress, post } from './http.ts';
import { openStream } from './request.ts';
import { getData, isSecondServer, listActive, listQuestions } from './second.ts';

export const questions: ApprovalsCapability = {
  addressesOf,
  async listen(address, heard, signal) {
    const open: OpenRequests = new Map();
    const timer = setInterval(() => void dropStale(address, open, heard).catch(() => undefined), POLL_MS);
    try {
      await listenOnce(address, open, heard, signal);
    } catch {
      // The server is gone, or refuses: the caller retries.
    } finally {
      clearInterval(timer);
      for (const id of open.keys()) heard.gone(id);
    }
  },
  async reply(address, { id, payloads: { question } }, printed) {
    const body = parseObject(printed);
    if (!body) return false;
    const { session, directory } = question as { readonly session: string; readonly directory?: string };
    if (await isSecondServer(address)) {
      const route = `/api/session/${encodeURIComponent(session)}/permission/${encodeURIComponent(id)}/reply`;
      const decision = { decision: body['reply'], ...known({ message: body['message'] }) };
      return (await post(address, route, decision)) < 300;
    }
    const status = await post(address, withFolder(`/permission/${encodeURIComponent(id)}/reply`, directory), body);
    if (status !== 404) return status < 300;
    const older = withFolder(`/session/${session}/permissions/${encodeURIComponent(id)}`, directory);
    return (await post(address, older, { response: body['reply'] })) < 300;
  },
};

/** The folder of each open request, by its id. */
type OpenRequests = Map<string, string | undefined>;

/** Stopping a session drops its requests without an event. */
const POLL_MS = 2_000;

/** The stream first: a request that arrives meanwhile may be read twice, but is not lost. */
async function listenOnce(
  address: string,
  open: OpenRequests,
  heard: ApprovalListener,
  signal: AbortSignal,
): Promise<void> {
  const events = await openStream(address, signal);
  if (!events) return;
  const ask = async (asked: JsonObject, directory: string | undefined): Promise<void> => {
    const id = asText(asked['id']);
    if (id === undefined || open.has(id)) return;
    open.set(id, directory);
    const question = await describe(address, id, asked, directory).catch(() => undefined);
    if (question && open.has(id)) heard.asked(question);
  };
  for (const asked of await listOpen(address)) await ask(asked, undefined);
  for await (const { type, properties, directory } of events) {
    if (type === 'permission.asked') await ask(properties, directory);
    const id = asText(properties['requestID']);
    if (type === 'permission.replied' && id !== undefined && open.delete(id)) heard.gone(id);
  }
}

/** Requests that are open already. */
async function listOpen(address: string): Promise<readonly JsonObject[]> {
  if (!(await isSecondServer(address))) return getList(address, '/permission');
  const all: JsonObject[] = [];
  for (const session of await listActive(address)) all.push(...(await listQuestions(address, session)).permissions);
  return all;
}

async function dropStale(address: string, open: OpenRequests, heard: ApprovalListener): Promise<void> {
  if (open.size === 0) return;
  if (await isSecondServer(address)) {
    const before = [...open.keys()];
    const there = new Set((await listOpen(address)).map(({ id }) => id));
    for (const id of before) if (!there.has(id) && open.delete(id)) heard.gone(id);
    return;
  }
  for (const directory of new Set(open.values())) {
    const before = [...open].filter(([, folder]) => folder === directory).map(([id]) => id);
    const there = new Set((await getList(address, withFolder('/permission', directory))).map(({ id }) => id));
    for (const id of before) if (!there.has(id) && open.delete(id)) heard.gone(id);
  }
}

/** As our plugin would report it. */
async function describe(address: string, id: string, asked: JsonObject, folder?: string) {
  const session = asText(asked['sessionID']);
  if (session === undefined) return undefined;
  if (await isSecondServer(address)) return describeSecond(address, id, session, asked, folder);
  const line = await lineOf(address, session, folder);
  const directory = folder ?? asText(line[0]?.['directory']);
  const { permission, patterns } = asked;
  const servers = Object.keys((await find(address, '/mcp', directory)) ?? {});
  const call = await callOf(address, session, asked, directory);
  const facts = { session, line, servers, permission: { id, permission, patterns }, ...call, ...known({ directory }) };
  const as = (hook: string): object => ({ hook, ...facts });
  return { id, payloads: { asked: as(ASKED), question: as(QUESTION), gone: as(REPLIED) } } satisfies HostApproval;
}

/** The same of OpenCode 2. */
async function describeSecond(address: string, id: string, session: string, asked: JsonObject, folder?: string) {
  const line = await secondLineOf(address, session);
  const directory = folder ?? asText(line[0]?.['directory']);
  const { action, resources, metadata, source } = asked;
  const { messageID, id: callID } = asObject(source) ?? {};
  const [message, call] = [asText(messageID), asText(callID)];
  const found =
    message === undefined || call === undefined ? undefined : await secondCallOf(address, session, message, call);
  const facts = {
    ...{ session, line, servers: [], permission: { id, permission: action, patterns: resources } },
    ...(found ?? { tool: action, args: metadata ?? { patterns: resources } }),
    ...known({ call, directory }),
  };
  const as = (hook: string): object => ({ hook, ...facts });
  return { id, payloads: { asked: as(ASKED), question: as(QUESTION), gone: as(REPLIED) } } satisfies HostApproval;
}

async function secondLineOf(address: string, session: string): Promise<readonly JsonObject[]> {
  const line: JsonObject[] = [];
  for (let next: string | undefined = session; next !== undefined; ) {
    const id: string = next;
    const route = `/api/session/${encodeURIComponent(id)}`;
    const info = toSecondInfo(asObject(await getData(address, route).catch(() => undefined)));
    if (!info || line.some((one) => one['id'] === id)) break;
    const { parent, agent, title, directory } = info;
    line.push({ id, ...known({ parent, agent, title, directory }) });
    next = parent;
  }
  return line;
}

async function secondCallOf(address: string, session: string, message: string, call: string) {
  const route = `/api/session/${encodeURIComponent(session)}/message/${encodeURIComponent(message)}`;
  const found = asObject(await getData(address, route).catch(() => undefined));
  const part = objectsIn(found?.['content']).find(({ type, id }) => type === 'tool' && id === call);
  const [tool, input] = [asText(part?.['name']), asObject(asObject(part?.['state'])?.['input'])];
  return tool === undefined || !input ? undefined : { tool, args: input };
}

/** From the session that asks to the main one. */
async function lineOf(address: string, session: string, directory: string | undefined): Promise<readonly JsonObject[]> {
  const line: JsonObject[] = [];
  for (let next: string | undefined = session; next !== undefined; ) {
    const id: string = next;
    const found = await find(address, `/session/${id}`, directory);
    if (!found || line.some((one) => one['id'] === id)) break;
    const { parentID: parent, agent, title, directory: own } = found;
    line.push({ id, ...known({ parent, agent, title, directory: own }) });
    next = asText(parent);
  }
  return line;
}

/** The call itself, if the request names it: a permission may cover less than the call does. */
async function callOf(address: string, session: string, asked: JsonObject, directory?: string): Promise<JsonObject> {
  const { tool: of, permission, metadata } = asked;
  const [message, call] = [asText(asObject(of)?.['messageID']), asText(asObject(of)?.['callID'])];
  const otherwise = { tool: permission, args: metadata, ...known({ call }) };
  if (message === undefined || call === undefined) return otherwise;
  for (let tries = 1; ; tries++) {
    const found = await find(address, `/session/${session}/message/${message}`, directory);
    const part = objectsIn(found?.['parts']).find(({ callID }) => callID === call);
    const [tool, state] = [asText(part?.['tool']), asObject(part?.['state'])];
    const input = asObject(state?.['input']);
    if (tool !== undefined && input && state?.['status'] !== 'pending') return { tool, args: input, call };
    if (tries >= INPUT_TRIES) return otherwise;
    await sleep(INPUT_MS);
  }
}

/** 1.3.2 may ask moments before it has written the call or its input. */
const [INPUT_TRIES, INPUT_MS] = [20, 50];

/** Undefined if the server does not answer, or not with an object. */
async function find(address: string, route: string, directory: string | undefined): Promise<JsonObject | undefined> {
  return asObject(await getJson(address, withFolder(route, directory)).catch(() => undefined));
}

async function addressesOf(root: string): Promise<readonly string[]> {
  return isAddress(root) ? [root] : findServers(root);
}

function withFolder(route: string, directory: string | undefined): string {
  return directory === undefined ? route : `${route}?directory=${encodeURIComponent(directory)}`;
}

export const steering: SteeringCapability = {
  send: (agent, message) =>
    atServer(agent, async (address, route) => {
      if (await isSecondServer(address)) {
        const sent = await post(address, secondRoute(agent, 'prompt'), { text: message });
        return toSteered(address, sent, 'has the message: the agent reads it in its next turn');
      }
      const status = await post(address, route('prompt_async'), { parts: [{ type: 'text', text: message }] });
      return toSteered(address, status, 'has the message: the agent reads it in its next turn');
    }),
  stop: (agent) =>
    atServer(agent, async (address, route) => {
      if (!agent.isAtWork) return { whyNot: 'it is not at work.' };
      const stop = (await isSecondServer(address)) ? secondRoute(agent, 'interrupt') : route('abort');
      return toSteered(address, await post(address, stop, {}), 'has stopped it');
    }),
};

function secondRoute({ agent }: AgentToSteer, what: string): string {
  return `/api/session/${encodeURIComponent(agent)}/${what}`;
}

function toSteered(address: string, status: number, done: string): Steered {
  return status < 300
    ? { words: `The server at ${address} ${done}.` }
    : { whyNot: `the server at ${address} answered ${status}.` };
}

type Act = (address: string, route: (what: string) => string) => Promise<Steered>;

/** A server that works on the same data and knows the session: a process that only has the file open does not run the agent. */
async function atServer({ root, agent, cwd }: AgentToSteer, act: Act): Promise<Steered> {
  const session = `/session/${encodeURIComponent(agent)}`;
  for (const address of await addressesOf(root)) {
    if (!(await knowsSession(address, agent, session, cwd))) continue;
    try {
      return await act(address, (what) => withFolder(`${session}/${what}`, cwd));
    } catch {
      return { whyNot: `the server at ${address} does not answer any more.` };
    }
  }
  return {
    whyNot:
      'no server of OpenCode that runs it was found. A terminal without --port listens nowhere; a server elsewhere is named with --root ADDRESS.',
  };
}

async function knowsSession(address: string, agent: string, route: string, cwd: string | undefined): Promise<boolean> {
  const isSecond = await isSecondServer(address).catch(() => false);
  if (!isSecond) return (await find(address, route, cwd))?.['id'] === agent;
  return asObject(await getData(address, `/api${route}`).catch(() => undefined))?.['id'] === agent;
}
