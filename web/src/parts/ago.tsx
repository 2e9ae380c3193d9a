import { computed, type ReadonlySignal } from '@preact/signals';
import { formatAge, formatDuration } from '../../../src/core/index.ts';
import { clock, nowShown } from '../store.ts';
import { exactTime } from './time-text.ts';

/** Minutes do not change every second: hundreds of rows need not be drawn anew for it. */
const slowClock = computed(() => clock.value - (clock.value % 10_000));
const slowNow = computed(() => (nowShown.value === clock.value ? slowClock.value : nowShown.value));
const SECONDS_MS = 100_000;

/** 4 min ago, with the exact time for those who point at it. `isLive`: by the clock, also while the past is replayed. */
export function Ago({ at, isLive = false }: { readonly at: string | null; readonly isLive?: boolean }) {
  if (at === null) return <span title="No time was written down">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {formatAge(at, nowAbout(Date.parse(at), isLive))}
    </time>
  );
}

/** For how long: 4 min. */
export function Since({ at, isLive = false }: { readonly at: number; readonly isLive?: boolean }) {
  return (
    <span title={`since ${exactTime(new Date(at).toISOString())}`}>
      {formatDuration(Math.max(0, nowAbout(at, isLive) - at)).replace(/\.\d s$/, ' s')}
    </span>
  );
}

function nowAbout(at: number, isLive: boolean): number {
  const [quick, slow]: readonly ReadonlySignal<number>[] = isLive ? [clock, slowClock] : [nowShown, slowNow];
  if (!quick || !slow) return at;
  return slow.value - at < SECONDS_MS ? quick.value : slow.value;
}
