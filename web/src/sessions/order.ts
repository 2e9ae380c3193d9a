import { computed } from '@preact/signals';
import type { SessionDetail } from '../../../src/core/index.ts';
import { clock, picture, visibleSessions } from '../store.ts';
import { arrange, groupSessions, type Placed, type SessionGroup, startOfDay } from './arrange.ts';

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
