import { computed, effect, signal } from '@preact/signals';
import {
  isSessionBusy,
  type SessionDetail,
  type TimelineAgent,
  type TimelineCall,
  type TimelineReply,
  type TimelineReport,
} from '../../../src/core/index.ts';
import { isEqual } from '../../../src/lib/json.ts';
import { loadTimeline } from '../actions.ts';
import type { Backend } from '../backend.ts';
import { agentsOf, sessions, timelines } from '../store.ts';

/** Why the timeline of a session could not be had, by session. */
export const troubles = signal<ReadonlyMap<string, string>>(new Map());

const PAUSE_MS = 1500;
/** What is written down late may carry a time from before. */
const OVERLAP_MS = 60_000;

const followed = new Map<string, { users: number; readonly stop: () => void }>();

/** Loads the timeline of a session and keeps it up to date, until everybody who asked has let go. */
export function followTimeline(backend: Backend, session: string): () => void {
  const feed = followed.get(session) ?? { users: 0, stop: start(backend, session) };
  feed.users++;
  followed.set(session, feed);
  return () => {
    feed.users--;
    if (feed.users > 0) return;
    feed.stop();
    followed.delete(session);
  };
}

function start(backend: Backend, id: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastLoad = Number.NEGATIVE_INFINITY;
  let isLoading = false;
  let isStale = false;
  let isStopped = false;
  const load = async (): Promise<void> => {
    timer = undefined;
    [isLoading, isStale, lastLoad] = [true, false, performance.now()];
    try {
      await refresh(backend, id);
      setTrouble(id, undefined);
    } catch (error) {
      setTrouble(id, error instanceof Error ? error.message : String(error));
      isStale = true;
    }
    isLoading = false;
    if (isStale && !isStopped) plan();
  };
  const plan = (): void => {
    isStale = true;
    if (isLoading || timer !== undefined) return;
    timer = setTimeout(() => void load(), Math.max(0, lastLoad + PAUSE_MS - performance.now()));
  };
  // Whenever the session changes, and once at the beginning.
  const watched = computed(() => sessions.value.find((one) => one.id === id));
  const stopWatching = effect(() => {
    watched.value;
    plan();
  });
  return () => {
    isStopped = true;
    stopWatching();
    clearTimeout(timer);
  };
}

async function refresh(backend: Backend, id: string): Promise<void> {
  const known = timelines.peek().get(id);
  const session = sessions.peek().find((one) => one.id === id);
  const since = known && session && sinceOf(known, session);
  if (since === undefined) {
    await loadTimeline(backend, id);
    return;
  }
  const part = await backend.timeline(id, since);
  const now = timelines.peek().get(id) ?? known;
  if (part && now) timelines.value = new Map(timelines.peek()).set(id, mergeTimeline(now, part, since));
}

/** From when on it is asked for; undefined: for all of it, because something from before may be new, too. */
export function sinceOf(known: TimelineReport, session: SessionDetail): string | undefined {
  if (known.endedAt === null || !isSessionBusy(session)) return undefined;
  const since = new Date(Date.parse(known.endedAt) - OVERLAP_MS).toISOString();
  const have = new Set(known.agents.map((agent) => agent.id));
  const isLateFind = agentsOf(session).some(({ id, startedAt }) => !have.has(id) && (startedAt ?? '') < since);
  return isLateFind ? undefined : since;
}

function setTrouble(session: string, text: string | undefined): void {
  if (troubles.peek().get(session) === text) return;
  const next = new Map(troubles.peek());
  if (text === undefined) next.delete(session);
  else next.set(session, text);
  troubles.value = next;
}

/**
 * What was known, and a part that leaves out what was over before `since`. Whatever did not change stays the same
 * object: what was computed from it still holds. Times are compared as texts: they are all of one form.
 */
export function mergeTimeline(known: TimelineReport, part: TimelineReport, since: string): TimelineReport {
  const before = new Map(known.agents.map((agent) => [agent.id, agent]));
  const agents = part.agents.map((agent) => {
    const old = before.get(agent.id);
    return old ? mergeAgent(old, agent, since) : agent;
  });
  return { ...part, agents };
}

function mergeAgent(old: TimelineAgent, part: TimelineAgent, since: string): TimelineAgent {
  const calls = mergeCalls(old.calls, part.calls, since);
  const replies = mergeReplies(old.replies, part.replies, since);
  // These are always told in full.
  const compactions = isEqual(old.compactions, part.compactions) ? old.compactions : part.compactions;
  const isSame = calls === old.calls && replies === old.replies && compactions === old.compactions;
  return isSame ? old : { id: part.id, calls, replies, compactions };
}

/** Of the old ones those that the part leaves out: over before, so that nothing about them can have changed. */
function mergeCalls(
  old: readonly TimelineCall[],
  part: readonly TimelineCall[],
  since: string,
): readonly TimelineCall[] {
  const isOver = ({ endedAt }: TimelineCall): boolean => endedAt !== null && endedAt < since;
  if (part.length === 0 && old.every(isOver)) return old;
  const before = new Map(part.map(({ id }): [string, TimelineCall | undefined] => [id, undefined]));
  const kept: TimelineCall[] = [];
  for (const call of old) {
    if (before.has(call.id)) before.set(call.id, call);
    else if (isOver(call)) kept.push(call);
  }
  const news = part.map((call) => {
    const known = before.get(call.id);
    return known && isEqual(known, call) ? known : call;
  });
  return unlessSame(old, [...kept, ...news].sort(byStart));
}

/** They have no names: whoever is in the part's time is taken from the part. */
function mergeReplies(
  old: readonly TimelineReply[],
  part: readonly TimelineReply[],
  since: string,
): readonly TimelineReply[] {
  if (part.length === 0 && (old.at(-1)?.at ?? '') < since) return old;
  const kept = old.filter(({ at }) => (at ?? '') < since);
  const rest = old.slice(kept.length);
  const news = part
    .filter(({ at }) => (at ?? '') >= since)
    .map((reply, index) => (isEqual(reply, rest[index]) ? (rest[index] ?? reply) : reply));
  return unlessSame(old, [...kept, ...news]);
}

function byStart(a: TimelineCall, b: TimelineCall): number {
  const one = a.startedAt ?? a.endedAt ?? '';
  const other = b.startedAt ?? b.endedAt ?? '';
  if (one !== other) return one < other ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function unlessSame<T>(old: readonly T[], now: readonly T[]): readonly T[] {
  return old.length === now.length && now.every((one, index) => one === old[index]) ? old : now;
}
