import { computed, effect, signal, untracked } from '@preact/signals';
import {
  type AgentReport,
  agentKey,
  agentsOf,
  computeSessionList,
  listEntryOfDetail,
  localDay,
  type SessionDetail,
  type Standing,
  standingOf,
  watchedDoing,
} from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { type AgentRef, clock, grouping, picture, selected, sort, visibleSessions } from '../store.ts';

/** Those that are followed and match, in the order of the list. */
export const listedSessions = computed<readonly SessionDetail[]>(() => {
  const visible = visibleSessions.value;
  const all = { query: '', sort: sort.value, group: grouping.value, from: 0, limit: visible.length };
  const { sessions } = computeSessionList(visible.map(listEntryOfDetail), all, { now: clock.value, dayOf: localDay });
  const byId = new Map(visible.map((session) => [session.id, session]));
  return sessions.flatMap(({ id }) => byId.get(id) ?? []);
});

/** Ids that an address named and nobody knows. */
export const unknownSessions = signal<ReadonlySet<string>>(new Set());

/** An address may name a session from long ago: it is read, and appears when the feed tells of it. */
export function startReadingSelected(backend: Backend): () => void {
  const asked = new Set<string>();
  return effect(() => {
    const id = selected.value?.session;
    const now = picture.value;
    if (id === undefined || !now?.isComplete) return;
    // One that nobody looked at for long is let go, and has to be read again.
    if (now.sessions.some((session) => session.id === id)) return void asked.delete(id);
    // A session that an agent's command started is in the tree of that agent.
    const holder = now.sessions.find((session) =>
      agentsOf(session).some((one) =>
        isOf(
          one,
          untracked(() => selected.value),
        ),
      ),
    );
    if (holder) {
      untracked(() => moveTo(holder.id));
      return;
    }
    if (asked.has(id)) return;
    asked.add(id);
    const forget = (): void => {
      unknownSessions.value = new Set([...untracked(() => unknownSessions.value), id]);
    };
    backend.session(id).then((session) => session ?? forget(), forget);
  });
}

function isOf({ id, ownSessionId }: AgentReport, wanted: AgentRef | undefined): boolean {
  return wanted !== undefined && ownSessionId === wanted.session && id === wanted.agent;
}

function moveTo(session: string): void {
  const { agent } = selected.value ?? {};
  if (agent !== undefined) selected.value = { session, agent };
}

/** Somebody who needs the person, or of whom nothing has been heard for long. */
export interface Alarm {
  readonly key: string;
  readonly agent: AgentReport;
  readonly session: SessionDetail;
  /** Its last sign of life, in epoch milliseconds. */
  readonly since: number | undefined;
  /** What it waits for. */
  readonly on: string;
}

/** The longest first: their order does not change while they stay silent. */
export function findAlarms(sessions: readonly SessionDetail[], standing: Standing): readonly Alarm[] {
  return sessions
    .flatMap((session) =>
      agentsOf(session)
        .filter((agent) => agent.kind !== 'internal' && standingOf(agent) === standing)
        .map((agent) => toAlarm(agent, session)),
    )
    .sort((a, b) => (a.since ?? Number.MAX_VALUE) - (b.since ?? Number.MAX_VALUE) || (a.key < b.key ? -1 : 1));
}

export function toAlarm(agent: AgentReport, session: SessionDetail): Alarm {
  const since = agent.lastActivityAt === null ? undefined : Date.parse(agent.lastActivityAt);
  return { key: agentKey(agent), agent, session, since, on: waitsFor(agent) };
}

export function waitsFor(agent: AgentReport): string {
  if (standingOf(agent) === 'needs you') return watchedDoing(agent);
  if (agent.currentTool !== null) return [agent.currentTool, agent.currentToolSummary].filter(Boolean).join(' ');
  return agent.status === 'spawning' ? 'its first word' : 'the model’s reply';
}
