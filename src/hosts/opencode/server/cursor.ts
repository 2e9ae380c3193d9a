// One tree of sessions on a running server: its state by requests, once for each connection, and then by its events.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { createEventsState, readEvent, readSecondEvent } from '../events.ts';

import { noteOf, sessionFacts } from '../parse-messages.ts';
import { type RecordContext, selectTree, toSessionInfo } from '../record.ts';
import { toSecondInfo } from '../second/messages.ts';
import { toMessages, wholeMessageFacts } from '../whole-messages.ts';
import { getList } from './http.ts';
import { listServed, openStream, type ServerEvent } from './request.ts';
import { isSecondServer, listActive, listMessages, listQuestions, listSessions } from './second.ts';

export function openServer({ id }: LocatedSession, source: LocatedSource): TableCursor {
  // Not the session's root, which may be a folder that has the session, too.
  const { path: root } = source;
  const context: RecordContext = { session: id, source: source.id, begun: {} };
  const state = createEventsState(context);
  let former: EventLog | undefined;
  /** The number of the next event in it. */
  let read = 0;
  let modifiedAt = 0;

  /** Emits everything again: facts are idempotent. */
  const readAll = async (onFacts: (facts: readonly AgentEvent[]) => void): Promise<void> => {
    for (const info of selectTree(nativeId(id), await listServed(root))) {
      state.tree.add(info.id);
      modifiedAt = Math.max(modifiedAt, info.updatedAt ?? 0);
      onFacts(sessionFacts(info, context));
      for (const message of toMessages(await getList(root, `/session/${info.id}/message`))) {
        state.messages.set(message.id, noteOf(message.info));
        onFacts(wholeMessageFacts(message, info.id, context));
      }
    }
    state.at = Date.now();
    for (const properties of await getList(root, '/permission'))
      onFacts(readEvent('permission.asked', properties, state));
  };

  const readAllSecond = async (onFacts: (facts: readonly AgentEvent[]) => void): Promise<void> => {
    const raws = await listSessions(root);
    const infos = raws.flatMap((raw) => toSecondInfo(raw) ?? []);
    const byId = new Map(raws.map((raw) => [raw['id'], raw]));
    const active = await listActive(root);
    for (const info of selectTree(nativeId(id), infos)) {
      state.tree.add(info.id);
      state.second.sessions.set(info.id, byId.get(info.id) ?? {});
      modifiedAt = Math.max(modifiedAt, info.updatedAt ?? 0);
      onFacts(state.teller.session(info));
      for (const message of await listMessages(root, info.id)) {
        state.second.messages.set(String(message['id']), { ...message, sessionID: info.id });
        onFacts(state.teller.message(info.id, message));
      }
      onFacts(state.teller.leftover(info.id));
      if (!active.has(info.id)) continue;
      const { permissions, forms } = await listQuestions(root, info.id);
      state.at = Date.now();
      for (const data of permissions) onFacts(readSecondEvent({ type: 'permission.asked', data }, state));
      for (const form of forms) onFacts(readSecondEvent({ type: 'form.created', data: { form } }, state));
    }
  };

  return {
    get modifiedAt() {
      return modifiedAt;
    },
    async look(onFacts) {
      let hasChanges = false;
      const emit = (facts: readonly AgentEvent[]): void => {
        if (facts.length === 0) return;
        hasChanges = true;
        onFacts(facts);
      };
      const log = logs.get(root);
      const events = log && log === former ? log.since(read) : undefined;
      // Before the requests: events that arrive meanwhile may be read twice, but are not lost.
      const next = log?.end ?? 0;
      if (!events) await ((await isSecondServer(root)) ? readAllSecond(emit) : readAll(emit));
      for (const { type, properties, second, at } of events ?? []) {
        if (REMOVALS.has(type)) {
          if (!concerns(properties, state.tree)) continue;
          former = undefined;
          return 'replaced';
        }
        state.at = at;
        modifiedAt = at;
        emit(second ? readSecondEvent(second, state) : readEvent(type, properties, state));
      }
      former = log;
      read = next;
      return hasChanges ? 'news' : 'nothing';
    },
  };
}

/** Their facts cannot be separated from the others: all is asked for again. */
const REMOVALS = new Set(['session.deleted', 'message.removed', 'session.revert.committed']);

function concerns(properties: JsonObject, tree: ReadonlySet<string>): boolean {
  const info = toSessionInfo(asObject(properties['info']));
  return tree.has(info?.id ?? asText(properties['sessionID']) ?? '');
}

interface LoggedEvent extends ServerEvent {
  /** Epoch milliseconds, by our clock. */
  readonly at: number;
}

/** The events of one connection. Another connection has another log: events in between are lost. */
class EventLog {
  readonly #events: LoggedEvent[] = [];
  #first = 0;

  /** The number of the next event. */
  get end(): number {
    return this.#first + this.#events.length;
  }

  /** Undefined if these events are no longer kept. */
  since(number: number): readonly LoggedEvent[] | undefined {
    return number < this.#first ? undefined : this.#events.slice(number - this.#first);
  }

  add(event: LoggedEvent): void {
    this.#events.push(event);
    if (this.#events.length <= MAX_EVENTS) return;
    this.#events.shift();
    this.#first++;
  }
}

/** By address of the server. */
const logs = new Map<string, EventLog>();

const MAX_EVENTS = 2_000;
const RECONNECT_MS = 1_000;

/** Events with facts; there are thousands of others. */
const WITH_FACTS =
  /^(?:session\.(?:created|updated|deleted)|message\.(?:updated|removed)|message\.part\.updated|permission\.(?:asked|replied|updated))$/;
/** Of OpenCode 2: not every piece of a text. */
const SECOND_WITH_FACTS = /^(?:session\.(?!.*\.delta$)|permission\.|form\.)/;
const ADDED_OR_DELETED = /^session\.(?:created|forked|deleted)$/;

export function listen(root: string, onNews: (what: 'written' | 'entry') => void): { close(): void } {
  const end = new AbortController();
  const followOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await followOnce(root, end.signal, onNews).catch(() => undefined);
      logs.delete(root);
      await sleep(RECONNECT_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  void followOn();
  return { close: () => end.abort() };
}

async function followOnce(
  root: string,
  signal: AbortSignal,
  onNews: (what: 'written' | 'entry') => void,
): Promise<void> {
  const events = await openStream(root, signal);
  if (!events) return;
  const log = new EventLog();
  logs.set(root, log);
  onNews('entry');
  for await (const event of events) {
    const { type, second } = event;
    if (!(second ? SECOND_WITH_FACTS : WITH_FACTS).test(type)) continue;
    log.add({ ...event, at: Date.now() });
    onNews(ADDED_OR_DELETED.test(type) ? 'entry' : 'written');
  }
}
