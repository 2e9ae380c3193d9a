// One tree of sessions on a running server: its state by requests, once for each connection, and from there by its events.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { createEventsState, readEvent } from '../events.ts';
import { messageWithParts } from '../files.ts';
import { sessionFacts } from '../parse-messages.ts';
import { type Door, toSessionInfo } from '../record.ts';
import { getList, listServed, openStream } from './request.ts';

export function openServer({ id }: LocatedSession, source: LocatedSource): TableCursor {
  // Of a session that lies in a folder, too, the root may be that folder.
  const { path: root } = source;
  const door: Door = { session: id, source: source.id };
  const state = createEventsState(door);
  let epoch: object | undefined;
  let read = 0;
  let modifiedAt = 0;

  /** Idempotent, as everything that is told: what was told before is told again. */
  const readAll = async (onFacts: (facts: readonly AgentEvent[]) => void): Promise<void> => {
    const served = await listServed(root);
    const tree = new Set([nativeId(id)]);
    for (let size = 0; size < tree.size; ) {
      size = tree.size;
      for (const { info } of served) if (info.parent !== undefined && tree.has(info.parent)) tree.add(info.id);
    }
    for (const { info } of served.filter((one) => tree.has(one.info.id))) {
      state.tree.add(info.id);
      modifiedAt = Math.max(modifiedAt, info.updatedAt ?? 0);
      onFacts(sessionFacts(info, door));
      for (const message of await getList(root, `/session/${info.id}/message`)) {
        const own = asObject(message['info']);
        if (own) readEvent({ type: 'message.updated', properties: { info: own } }, state);
        onFacts(messageWithParts(message, info.id, door));
      }
    }
    state.at = Date.now();
    for (const properties of await getList(root, '/permission'))
      onFacts(readEvent({ type: 'permission.asked', properties }, state));
  };

  return {
    get modifiedAt() {
      return modifiedAt;
    },
    async look(onFacts) {
      let hasNews = false;
      const tell = (facts: readonly AgentEvent[]): void => {
        if (facts.length === 0) return;
        hasNews = true;
        onFacts(facts);
      };
      const log = logOf(root);
      const events = log && log.epoch === epoch ? log.since(read) : undefined;
      // Before the requests: what comes meanwhile may be told twice, and is not lost.
      const next = log?.end ?? 0;
      if (!events) await readAll(tell);
      for (const { type, properties, at } of events ?? []) {
        if (type === 'session.deleted' || type === 'message.removed') {
          if (!concerns(properties, state.tree)) continue;
          forget();
          return 'replaced';
        }
        state.at = at;
        modifiedAt = at;
        tell(readEvent({ type, properties }, state));
      }
      remember(log, next);
      return hasNews ? 'news' : 'nothing';
    },
  };

  function remember(log: EventLog | undefined, next: number): void {
    epoch = log?.epoch;
    read = next;
  }

  function forget(): void {
    epoch = undefined;
  }
}

function concerns(properties: Readonly<Record<string, unknown>>, tree: ReadonlySet<string>): boolean {
  const info = toSessionInfo(asObject(properties['info']));
  return tree.has(info?.id ?? asText(properties['sessionID']) ?? '');
}

interface HeardEvent {
  readonly type: string;
  readonly properties: JsonObject;
  /** Epoch milliseconds, by our clock. */
  readonly at: number;
}

/** What came in since the connection was made. */
interface EventLog {
  /** Another one for each connection: what was said in between is lost. */
  readonly epoch: object;
  /** The number of the next event. */
  readonly end: number;
  /** From a number on; undefined where it is too long ago. */
  since(number: number): readonly HeardEvent[] | undefined;
}

/** Logs of the servers that somebody listens to, by their address. */
const logs = new Map<string, EventLog>();

function logOf(root: string): EventLog | undefined {
  return logs.get(root);
}

const KEPT = 2_000;
const AGAIN_MS = 1_000;

/** Which events tell about the tree; of the others there are thousands. */
const TELLING =
  /^(?:session\.(?:created|updated|deleted)|message\.(?:updated|removed)|message\.part\.updated|permission\.(?:asked|replied|updated))$/;
const COMES_OR_GOES = /^session\.(?:created|deleted)$/;

export function listen(root: string, onNews: (what: 'written' | 'entry') => void): { close(): void } {
  const end = new AbortController();
  const goOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await followOnce(root, end.signal, onNews).catch(() => undefined);
      logs.delete(root);
      await sleep(AGAIN_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  void goOn();
  return { close: () => end.abort() };
}

async function followOnce(
  root: string,
  signal: AbortSignal,
  onNews: (what: 'written' | 'entry') => void,
): Promise<void> {
  const events = await openStream(root, signal);
  if (!events) return;
  const { log, add } = createLog();
  logs.set(root, log);
  onNews('entry');
  for await (const { type, properties } of events) {
    if (!TELLING.test(type)) continue;
    add({ type, properties, at: Date.now() });
    onNews(COMES_OR_GOES.test(type) ? 'entry' : 'written');
  }
}

function createLog(): { readonly log: EventLog; add(event: HeardEvent): void } {
  const events: HeardEvent[] = [];
  let first = 0;
  return {
    log: {
      epoch: {},
      get end() {
        return first + events.length;
      },
      since: (number) => (number < first ? undefined : events.slice(number - first)),
    },
    add(event) {
      events.push(event);
      if (events.length <= KEPT) return;
      events.shift();
      first++;
    },
  };
}
