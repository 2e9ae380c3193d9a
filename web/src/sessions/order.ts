import { computed } from '@preact/signals';
import { isSessionBusy, type SessionDetail, sessionKey } from '../../../src/core/index.ts';
import { clock, picture, visibleSessions } from '../store.ts';

let settled: readonly Placed[] = [];

/** While the first sessions are still being read, every picture is put in order anew. */
const order = computed<readonly Placed[]>(() => {
  const now = picture.value;
  if (!now) return [];
  const next = arrange(settled, now.sessions);
  if (now.isComplete) settled = next;
  return next;
});

const dayStart = computed(() => startOfDay(clock.value));

export const groups = computed<readonly SessionGroup[]>(() =>
  groupSessions(order.value, visibleSessions.value, dayStart.value),
);

/** As they stand in the list, from top to bottom. */
export const listedSessions = computed<readonly SessionDetail[]>(() =>
  groups.value.flatMap(({ sessions }) => sessions),
);

// Rows keep their place while somebody reads. Only a session that begins or ends work moves, and only that one.

export interface Placed {
  readonly key: string;
  readonly isBusy: boolean;
}

/**
 * Where each session stands now. At work: in the order of their beginning to, new ones at the end. The others: the last
 * active first, as of when they took their place. The same array where nobody moved.
 */
export function arrange(before: readonly Placed[], sessions: readonly SessionDetail[]): readonly Placed[] {
  const now = new Map(sessions.map((session) => [sessionKey(session), session]));
  const kept = before.filter(({ key, isBusy }) => {
    const session = now.get(key);
    return session !== undefined && isSessionBusy(session) === isBusy;
  });
  const isKept = new Set(kept.map(({ key }) => key));
  const moved = [...now].filter(([key]) => !isKept.has(key)).sort(([, a], [, b]) => compareActivity(a, b));
  if (moved.length === 0) return kept.length === before.length ? before : kept;
  const busy = kept.filter(({ isBusy }) => isBusy);
  const others = kept.filter(({ isBusy }) => !isBusy);
  for (const [key, session] of moved) {
    if (isSessionBusy(session)) {
      busy.push({ key, isBusy: true });
      continue;
    }
    const at = others.findIndex((other) => compareActivity(session, now.get(other.key)) < 0);
    others.splice(at === -1 ? others.length : at, 0, { key, isBusy: false });
  }
  return [...busy, ...others];
}

/** The last active first. */
function compareActivity(a: SessionDetail, b: SessionDetail | undefined): number {
  const [left, right] = [a.lastActivityAt ?? '', b?.lastActivityAt ?? ''];
  return left === right ? 0 : left > right ? -1 : 1;
}

type GroupName = 'At work' | 'Today' | 'Earlier';

interface SessionGroup {
  readonly name: GroupName;
  readonly sessions: readonly SessionDetail[];
}

/** `dayStart`: the last midnight, by the clock on the wall. Groups without a session are left out. */
export function groupSessions(
  order: readonly Placed[],
  visible: readonly SessionDetail[],
  dayStart: number,
): readonly SessionGroup[] {
  const shown = new Map(visible.map((session) => [sessionKey(session), session]));
  const groups: Record<GroupName, SessionDetail[]> = { 'At work': [], Today: [], Earlier: [] };
  for (const { key, isBusy } of order) {
    const session = shown.get(key);
    if (!session) continue;
    const isToday = session.lastActivityAt !== null && Date.parse(session.lastActivityAt) >= dayStart;
    groups[isBusy ? 'At work' : isToday ? 'Today' : 'Earlier'].push(session);
  }
  return (['At work', 'Today', 'Earlier'] as const)
    .map((name) => ({ name, sessions: groups[name] }))
    .filter(({ sessions }) => sessions.length > 0);
}

export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}
