// Pictures of real recordings, and a feed that changes at the word of a test.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AgentReport,
  applyEvent,
  computeChange,
  computeDetail,
  type FeedSource,
  type LiveEvent,
  type LiveSnapshot,
  type OpenedTranscript,
  type SessionDetail,
} from '../../core/index.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { createSessions, createTranscripts, type SourcedFeed } from '../../sessions/index.ts';

/** Five minutes after the last line of the newest recording. */
export const NOW = Date.parse('2026-11-15T12:00:00Z');

const fixtures = fileURLToPath(new URL('../../hosts/claude-code/fixtures/', import.meta.url));

function placesOf(names: readonly string[]) {
  return names.map((name) => ({ adapter: claudeCode, root: path.join(fixtures, name), forced: false }));
}

export async function recordedSessions(...names: readonly string[]): Promise<readonly SessionDetail[]> {
  const { trees } = await createSessions(placesOf(names), { clock: () => NOW }).list({ limit: 100 });
  return trees.map((tree) => computeDetail(tree, { internal: false }));
}

export function recordedTranscripts(
  ...names: readonly string[]
): (agent: string, session: string) => Promise<OpenedTranscript> {
  const transcripts = createTranscripts(placesOf(names), () => NOW);
  return (agent, session) => transcripts.read(agent, session);
}

export function pictureOf(sessions: readonly SessionDetail[], fields: Partial<LiveSnapshot> = {}): LiveSnapshot {
  return {
    sessions,
    older: [],
    olderTotal: 0,
    emptySessions: 0,
    ignoredFiles: 0,
    places: ['/home/dev/.claude'],
    isComplete: true,
    notices: [],
    asks: [],
    ...fields,
  };
}

/** A session as if it had been going on until just now: its last line was written `quietMs` ago. */
export function broughtUpTo(now: number, session: SessionDetail, quietMs = 0): SessionDetail {
  const shift = now - quietMs - Date.parse(session.lastActivityAt ?? '');
  const text = JSON.stringify(session).replace(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, iso) =>
    JSON.stringify(new Date(Date.parse(iso) + shift).toISOString()),
  );
  return JSON.parse(text);
}

/** The same session with some of its agents changed. */
export function withAgents(
  session: SessionDetail,
  change: (agent: AgentReport, index: number) => Partial<AgentReport>,
): SessionDetail {
  const [main, ...subagents] = [session.main, ...session.subagents].map((agent, index) => ({
    ...agent,
    ...change(agent, index),
  }));
  const all = [main as AgentReport, ...subagents];
  const running = all.filter(({ status }) => ['running', 'waiting', 'spawning'].includes(status)).length;
  const { status, waitingOn } = all[0] as AgentReport;
  return { ...session, main: main as AgentReport, subagents, agents: all.length, running, status, waitingOn };
}

export const AT_WORK: Partial<AgentReport> = { status: 'running', activity: 'thinking', completedAt: null };

export interface TestFeed extends SourcedFeed {
  moveTo(source: FeedSource): void;
  emit(event: LiveEvent): void;
  change(make: (session: SessionDetail) => SessionDetail, id?: string): void;
  picture(): LiveSnapshot | undefined;
  listeners(): number;
}

export function createFeed(first?: LiveSnapshot): TestFeed {
  const listeners = new Set<(event: LiveEvent) => void>();
  let picture = first;
  let source: FeedSource = { text: 'test', isLost: false };
  let onSource = (_source: FeedSource): void => {};
  const emit = (event: LiveEvent): void => {
    picture = applyEvent(picture, event);
    for (const listener of listeners) listener(event);
  };
  return {
    emit,
    change(make, id = picture?.sessions[0]?.id) {
      const before = picture?.sessions.find((session) => session.id === id);
      const data = before && computeChange(before, make(before));
      if (data) emit({ type: 'change', data });
    },
    moveTo(next) {
      source = next;
      onSource(source);
    },
    source: () => source,
    onSource(listener) {
      onSource = listener;
    },
    picture: () => picture,
    listeners: () => listeners.size,
    subscribe(listener) {
      listeners.add(listener);
      if (picture) listener({ type: 'snapshot', data: picture });
      return { close: () => void listeners.delete(listener) };
    },
  };
}
