// A `Live` in memory, with changes at the word of a test.

import {
  applyEvent,
  computeChange,
  computeSessionList,
  type LiveEvent,
  type LiveSnapshot,
  listEntryOfDetail,
  localDay,
  type SessionDetail,
} from '../../../core/index.ts';
import type { Live } from '../../../sessions/index.ts';

export interface MemoryLive extends Live {
  emit(event: LiveEvent): void;
  /** One session becomes another picture of itself. */
  change(id: string, make: (before: SessionDetail) => SessionDetail): void;
  /** The main agent of the first session is busy with this now: a small, real change. */
  work(summary: string): void;
  listeners(): number;
}

/** Of these sessions; of none at all. */
export function memoryLive(sessions: readonly SessionDetail[] = [], ignoredFiles = 0): MemoryLive {
  const listeners = new Set<(event: LiveEvent) => void>();
  let picture: LiveSnapshot = {
    sessions,
    older: [
      {
        id: 'an-older-one',
        host: 'claude-code',
        modifiedAt: '2026-01-02T03:04:05.678Z',
        files: 3,
        project: null,
        title: null,
        status: null,
        agents: null,
      },
    ],
    olderTotal: 1,
    emptySessions: 0,
    ignoredFiles,
    places: ['/home/dev/.claude'],
    isComplete: true,
    notices: [],
    asks: [],
  };
  const detailOf = (id: string) => picture.sessions.find((session) => session.id === id);
  const emit = (event: LiveEvent): void => {
    picture = applyEvent(picture, event);
    for (const listener of listeners) listener(event);
  };
  const change: MemoryLive['change'] = (id, make) => {
    const before = detailOf(id);
    const data = before && computeChange(before, make(before));
    if (data) emit({ type: 'change', data });
  };
  return {
    snapshot: () => picture,
    list: (request) =>
      computeSessionList(picture.sessions.map(listEntryOfDetail), request, { now: Date.now(), dayOf: localDay }),
    session: async (id) => detailOf(id),
    async agent(id, session) {
      const agents = picture.sessions.flatMap(({ main, subagents }) => [main, ...subagents]);
      return agents.find((agent) => agent.id === id && (session === undefined || agent.sessionId === session));
    },
    timeline: async () => undefined,
    transcript: async () => undefined,
    subscribe(listener) {
      listeners.add(listener);
      listener({ type: 'snapshot', data: picture });
      return { close: () => listeners.delete(listener) };
    },
    close: () => listeners.clear(),
    emit,
    change,
    work(summary) {
      const first = picture.sessions[0]?.id ?? '';
      change(first, (before) => ({ ...before, main: { ...before.main, currentToolSummary: summary } }));
    },
    listeners: () => listeners.size,
  };
}
