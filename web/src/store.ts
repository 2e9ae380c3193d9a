import { computed, signal } from '@preact/signals';
import {
  type AgentReport,
  type ApprovalRequest,
  type AuditEvent,
  applyEvent,
  cleanLine,
  computeAt,
  type LiveEvent,
  type LiveSnapshot,
  markPendingApprovals,
  type SessionDetail,
  type SessionGrouping,
  type SessionSort,
  type TimelineReport,
} from '../../src/core/index.ts';
import type { Backend, ConnectionState } from './backend.ts';
import { type Filter, matches, NO_FILTER } from './filter.ts';
import { tellHeard, tellMissed } from './guard/call-feed.ts';

// Everything the page knows and every choice of the person's, in one place. Views read it; `actions.ts` changes it.

export type ViewName = 'race' | 'graph' | 'timeline' | 'read' | 'guard' | 'cost';

export type Pane = 'sessions' | 'view' | 'detail';

export type SearchIn = 'sessions' | 'messages';

/** One agent, or a session by its main agent. */
export interface AgentRef {
  readonly session: string;
  readonly agent: string;
}

export const picture = signal<LiveSnapshot | undefined>(undefined);
export const connection = signal<ConnectionState>('connecting');
export const view = signal<ViewName>('race');
export const selected = signal<AgentRef | undefined>(undefined);
export const filter = signal<Filter>(NO_FILTER);
/** How the list of sessions is ordered, and what it shows of a search: sessions, or messages in them. */
export const sort = signal<SessionSort>('time');
export const grouping = signal<SessionGrouping>('day');
export const searchIn = signal<SearchIn>('sessions');
/** Timelines that were asked for, by session. */
export const timelines = signal<ReadonlyMap<string, TimelineReport>>(new Map());
/** The moment that is replayed, in epoch milliseconds; undefined: the present. */
export const replayAt = signal<number | undefined>(undefined);
/** What the person zoomed into on the timeline, in epoch milliseconds. */
export const timelineZoom = signal<
  { readonly session: string | undefined; readonly from: number; readonly to: number } | undefined
>(undefined);
/** Where the person moved the graph to. */
export const graphZoom = signal<
  { readonly session: string | undefined; readonly x: number; readonly y: number; readonly k: number } | undefined
>(undefined);
/** Ticks once a second: times and silences are drawn by it. */
export const clock = signal(Date.now());
/** A message in the reader to go to. */
export const message = signal<number | undefined>(undefined);
/** Since when there is no connection, in epoch milliseconds. */
export const lostSince = signal<number | undefined>(undefined);
/** Where the person is on a page too narrow for all three columns: on a phone one of them, on a laptop the sheet. */
export const pane = signal<Pane>('view');

export const sessions = computed<readonly SessionDetail[]>(() => picture.value?.sessions ?? []);

/** Who was current last: where nothing is selected, a session that begins elsewhere must not take its place. */
let lastCurrent: string | undefined;

/** The session whose agents are looked at: of the selected agent, else the one that was active last. */
export const currentSession = computed<SessionDetail | undefined>(() => {
  const wanted = selected.value?.session;
  const among = visibleSessions.value.length > 0 ? visibleSessions.value : sessions.value;
  const kept = picture.value?.isComplete ? among.find(({ id }) => id === lastCurrent) : undefined;
  const current = sessions.value.find(({ id }) => id === wanted) ?? kept ?? lastActive(among);
  lastCurrent = current?.id;
  return current;
});

/** What passes the filter. */
export const visibleSessions = computed<readonly SessionDetail[]>(() => {
  // Words that are looked for in messages say nothing about which sessions to show.
  const kept = searchIn.value === 'messages' ? { ...filter.value, text: '' } : filter.value;
  return sessions.value.filter((session) => matches(session, kept));
});

/** What the views draw: the present, or the current session as it stood at the replayed moment. */
export const shownSessions = computed<readonly SessionDetail[]>(() => {
  const at = replayAt.value;
  const session = currentSession.value;
  const timeline = session && timelines.value.get(session.id);
  if (at === undefined || !session || !timeline) return visibleSessions.value;
  return [computeAt(session, timeline, at)];
});

/** The views draw a moment of the past, not the present. */
export const isReplayed = computed(
  () => replayAt.value !== undefined && timelines.value.has(currentSession.value?.id ?? ''),
);

export const shownSession = computed<SessionDetail | undefined>(() => {
  const id = currentSession.value?.id;
  return shownSessions.value.find((session) => session.id === id) ?? currentSession.value;
});

export const selectedAgent = computed<AgentReport | undefined>(() => {
  const wanted = selected.value;
  const session = shownSessions.value.find(({ id }) => id === wanted?.session) ?? currentSession.value;
  return wanted && session ? agentsOf(session).find(({ id }) => id === wanted.agent) : undefined;
});

function lastActive(among: readonly SessionDetail[]): SessionDetail | undefined {
  const at = ({ lastActivityAt }: SessionDetail): string => lastActivityAt ?? '';
  return among.reduce<SessionDetail | undefined>((best, one) => (best && at(best) >= at(one) ? best : one), undefined);
}

export function agentsOf(session: SessionDetail): readonly AgentReport[] {
  return [session.main, ...session.subagents];
}

/** In pictures of a session, its main agent has the title of the session, as in the list. */
export function nameOf({ kind, label, sessionId }: AgentReport): string {
  const session = kind === 'main' ? sessions.value.find(({ id }) => id === sessionId) : undefined;
  return cleanLine(session?.title ?? label);
}

/** The time that durations are counted to. */
export const nowShown = computed(() => replayAt.value ?? clock.value);

/** The picture as it was told; `picture` also says who waits for an answer. */
let told: LiveSnapshot | undefined;

/** What became of a call is known by the answer before the stream tells it. */
export function hearAsk(ask: ApprovalRequest): void {
  if (!told) return;
  told = applyEvent(told, { type: 'ask', data: ask });
  picture.value = markPendingApprovals(told);
}

/** Takes in what the backend tells, at most once a frame: a flood of changes is one redrawing. */
export function connect(backend: Backend): () => void {
  let waiting: (LiveEvent | AuditEvent)[] = [];
  let isDue = false;
  const take = (): void => {
    isDue = false;
    const events = waiting;
    waiting = [];
    told = events.reduce<LiveSnapshot | undefined>(
      (before, event) => (event.type === 'audit' ? before : applyEvent(before, event)),
      told,
    );
    picture.value = told && markPendingApprovals(told);
    // What came before a snapshot may not be all.
    if (events.some(({ type }) => type === 'snapshot')) tellMissed();
    tellHeard(events.flatMap((event) => (event.type === 'audit' ? [event.data] : [])));
  };
  const stop = backend.subscribe(
    (event) => {
      waiting.push(event);
      if (isDue) return;
      isDue = true;
      // A page in the background gets no frames, and must not gather events for hours.
      if (document.visibilityState === 'visible') requestAnimationFrame(take);
      else setTimeout(take, 500);
    },
    (state) => {
      connection.value = state;
      lostSince.value = state === 'lost' ? (lostSince.peek() ?? Date.now()) : undefined;
    },
  );
  const ticking = setInterval(() => {
    clock.value = Date.now();
  }, 1000);
  return () => {
    stop();
    clearInterval(ticking);
  };
}

let provided: Backend | undefined;

/** Once, before anything is drawn. */
export function provideBackend(backend: Backend): void {
  provided = backend;
}

/** Whoever reads a page that was handed on did not ask for anything. */
export function askerName(): string {
  return useBackend().kind === 'live' ? 'you' : 'the person';
}

export function useBackend(): Backend {
  if (!provided) throw new Error('troupe: the page was drawn before it had data');
  return provided;
}
