import { computed } from '@preact/signals';
import { memo } from 'preact/compat';
import { currentSession } from '../store.ts';
import type { ReplayRange } from './replay-clock.ts';
import { type Mark, marksOf, marksPath } from './replay-events.ts';

const WIDTH = 1000;
const KINDS = [
  ['spawn', 0, 7],
  ['end', 13, 20],
  ['failure', 13, 20],
] as const;

const marks = computed<readonly Mark[]>(() => (currentSession.value ? marksOf(currentSession.value) : []));

/** Above the track when sub-agents were asked for, below it when they ended. */
export function Marks({ within }: { readonly within: ReplayRange }) {
  const paths = KINDS.map(([kind, top, bottom]) => marksPath(marks.value, kind, within, { width: WIDTH, top, bottom }));
  return <MarkLines {...{ spawn: paths[0] ?? '', end: paths[1] ?? '', failure: paths[2] ?? '' }} />;
}

const MarkLines = memo(function MarkLines(paths: Readonly<Record<Mark['kind'], string>>) {
  return (
    <svg class="replay-marks" viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
      {KINDS.map(([kind]) => (
        <path key={kind} class={`replay-mark-${kind}`} d={paths[kind]} />
      ))}
    </svg>
  );
});
