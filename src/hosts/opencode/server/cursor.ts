// One tree of sessions on a running server: its state by requests, once for each connection, and from there by its events.

import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { asObject, asText } from '../../../lib/json.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { sessionFacts } from '../facts/session-facts.ts';
import { createEventsState, readEvent } from '../files/read-events.ts';
import { messageWithParts } from '../files/read-export.ts';
import { type Door, toSessionInfo } from '../record.ts';
import { type EventLog, logOf } from './event-log.ts';
import { getList } from './request.ts';
import { listServed } from './served-sessions.ts';

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
