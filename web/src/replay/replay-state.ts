import { computed, effect, signal } from '@preact/signals';
import { replay } from '../actions.ts';
import { agentsOf, clock, currentSession, replayAt, shownSessions, timelines } from '../store.ts';
import { advance, type ReplayRange, rangeOf, type Speed, settle } from './replay-clock.ts';
import { nextMoment } from './replay-events.ts';

// What the replay bar knows. The moment itself is in the store: every view follows it.

export const isPlaying = signal(false);
export const speed = signal<Speed>(4);

export const range = computed<ReplayRange | undefined>(() => {
  const session = currentSession.value;
  return session && rangeOf(session, clock.value);
});

/** The past is wanted, and what is known of it has not come yet. */
export const isLoading = computed(
  () => replayAt.value !== undefined && !timelines.value.has(currentSession.value?.id ?? ''),
);

export function goTo(at: number | 'present'): void {
  const within = range.peek();
  const wish = at === 'present' || !within ? at : settle(at, within);
  if (wish === 'present') isPlaying.value = false;
  replay(wish === 'present' ? undefined : wish);
}

/** From the present it begins at the beginning. */
export function togglePlay(): void {
  const within = range.peek();
  if (!within) return;
  if (replayAt.peek() === undefined) replay(within.from);
  isPlaying.value = !isPlaying.peek();
}

/** A picture of many agents takes a while to compute: most of the time stays free for everything else. */
const LEAST_PAUSE_MS = 40;
const PAUSE_PER_COST = 3;

/** Moves the moment while it plays. Returns how to stop. */
export function runReplay(): () => void {
  let frame = 0;
  const stop = effect(() => {
    cancelAnimationFrame(frame);
    if (!isPlaying.value || isLoading.value) return;
    let last = performance.now();
    let due = last;
    const tick = (now: number): void => {
      frame = requestAnimationFrame(tick);
      if (now < due) return;
      const cost = play(now - last);
      last = now;
      due = now + Math.max(LEAST_PAUSE_MS, PAUSE_PER_COST * cost);
    };
    frame = requestAnimationFrame(tick);
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
    isPlaying.value = false;
  };
}

/** Returns how long it took, in milliseconds. */
function play(elapsedMs: number): number {
  const within = range.peek();
  const at = replayAt.peek();
  // Somebody went back to the present, or to another session.
  if (at === undefined || !within) {
    isPlaying.value = false;
    return 0;
  }
  const begin = performance.now();
  const session = currentSession.peek();
  const next = session && nextMoment(agentsOf(session), timelines.peek().get(session.id), at);
  goTo(advance({ at, range: within, speed: speed.peek(), elapsedMs, next }) ?? 'present');
  shownSessions.peek();
  return performance.now() - begin;
}
