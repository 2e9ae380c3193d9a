// What only a running server of OpenCode 2 says of the sessions in its database: which questions are open, and which call made an agent that
// still works. It is kept for as long as this process runs: facts that were said are not taken back.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentEvent, nativeId, type SessionId, toSourceId, toToolCallId } from '../../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { LocatedSession } from '../../index.ts';
import { answeredFact, askedFact } from '../parse-messages.ts';
import { findServers } from '../processes.ts';
import { agentIdOf, isSessionId } from '../record.ts';
import { callId } from '../second/messages.ts';
import { openStream, type ServerEvent } from './request.ts';
import { isSecondServer, listActive, listQuestions } from './second.ts';

interface Question {
  readonly by: string;
  readonly at: number;
  readonly about: 'permission' | 'input';
  isAnswered: boolean;
}

interface Made {
  readonly by: string;
  readonly call: string;
  readonly at: number;
}

interface Heard {
  readonly questions: Map<string, Question>;
  /** By agent. */
  readonly made: Map<string, Made>;
}

/** By data folder. */
const heardAt = new Map<string, Heard>();

function heardOf(root: string): Heard {
  const heard = heardAt.get(root) ?? { questions: new Map(), made: new Map() };
  heardAt.set(root, heard);
  return heard;
}

/** The facts of a session, from what was heard so far and what its servers say now. */
export async function liveFacts(root: string): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  // Who listens has heard it: to ask with every change would hold up what is shown.
  if (!listenedTo.has(root))
    for (const address of await findServers(root)) await lookAt(root, address).catch(() => undefined);
  const heard = heardAt.get(root);
  return heard ? (session) => factsOf(heard, session) : () => [];
}

async function lookAt(root: string, address: string): Promise<void> {
  if (!(await isSecondServer(address))) return;
  const { questions } = heardOf(root);
  const open = new Set<string>();
  for (const session of await listActive(address)) {
    const { permissions, forms } = await listQuestions(address, session);
    for (const [list, about] of [[permissions, 'permission'] as const, [forms, 'input'] as const])
      for (const one of list) noteAsked(questions, one, about, open);
  }
  for (const [id, question] of questions) if (!open.has(id)) question.isAnswered = true;
}

function noteAsked(
  questions: Heard['questions'],
  asked: JsonObject,
  about: Question['about'],
  open?: Set<string>,
  at = Date.now(),
): void {
  const [id, by] = [asText(asked['id']), asText(asked['sessionID'])];
  if (id === undefined || by === undefined) return;
  open?.add(id);
  if (!questions.has(id)) questions.set(id, { by, at, about, isAnswered: false });
}

function factsOf({ questions, made }: Heard, { id: session, sources }: LocatedSession): readonly AgentEvent[] {
  const own = new Set([nativeId(session), ...sources.flatMap(({ agents }) => (agents ?? []).map(nativeId))]);
  const facts: AgentEvent[] = [];
  for (const [id, { by, at, about, isAnswered }] of questions) {
    if (!own.has(by)) continue;
    const request = { session, origin: originAt(at), question: id, by, at };
    facts.push({ ...askedFact(request), about } as AgentEvent);
    if (isAnswered) facts.push(answeredFact(request));
  }
  for (const [agent, one] of made) if (own.has(one.by)) facts.push(linkFact(session, agent, one));
  return facts;
}

function linkFact(session: SessionId, agent: string, { by, call, at }: Made): AgentEvent {
  const link = {
    agent: agentIdOf(agent),
    evidence: 'call-record',
    call: toToolCallId(call),
    parent: agentIdOf(by),
  } as const;
  return { kind: 'agent-linked', session, origin: originAt(at), ...link };
}

const SOURCE = toSourceId('opencode-server');

function originAt(at: number) {
  return { source: SOURCE, offset: at, length: 0 };
}

const LOOK_MS = 3_000;
const listenedTo = new Set<string>();

/** Listens to each server of a data folder for as long as it runs. */
export function listenBeside(root: string, onNews: () => void): { close(): void } {
  const end = new AbortController();
  const listening = new Set<string>();
  const listen = async (address: string): Promise<void> => {
    listening.add(address);
    try {
      const events = (await isSecondServer(address)) ? await openStream(address, end.signal) : undefined;
      if (!events) return;
      await lookAt(root, address);
      onNews();
      for await (const event of events) if (hear(heardOf(root), event)) onNews();
    } catch {
      // It is gone.
    } finally {
      listening.delete(address);
    }
  };
  const look = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const found = await findServers(root).catch(() => []);
      for (const address of found) if (!listening.has(address)) void listen(address);
      await sleep(LOOK_MS, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  };
  listenedTo.add(root);
  void look();
  return {
    close() {
      listenedTo.delete(root);
      end.abort();
    },
  };
}

/** Whether it says something new. */
function hear({ questions, made }: Heard, { type, properties }: ServerEvent): boolean {
  if (type === 'permission.asked' || type === 'form.created') {
    const about = type === 'form.created' ? 'input' : 'permission';
    noteAsked(questions, asObject(properties['form']) ?? properties, about);
    return true;
  }
  if (type === 'permission.replied' || type === 'form.replied' || type === 'form.cancelled') {
    const question = questions.get(asText(properties['requestID']) ?? asText(properties['id']) ?? '');
    if (question) question.isAnswered = true;
    return question !== undefined;
  }
  const agent = asText(asObject(properties['metadata'])?.['sessionID']);
  const [by, message, call] = ['sessionID', 'assistantMessageID', 'id'].map((key) => asText(properties[key]));
  if (type !== 'session.tool.progress' || agent === undefined || !isSessionId(agent) || made.has(agent)) return false;
  if (by === undefined || message === undefined || call === undefined) return false;
  made.set(agent, { by, call: callId(message, call), at: Date.now() });
  return true;
}
