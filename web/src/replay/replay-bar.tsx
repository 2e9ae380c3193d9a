import { useEffect } from 'preact/hooks';
import { useBackend } from '../backend.ts';
import { currentSession, replayAt } from '../store.ts';
import {
  formatMoment,
  goTo,
  isLoading,
  isPlaying,
  type Mark,
  marksOf,
  marksPath,
  type ReplayRange,
  range,
  runReplay,
  SPEEDS,
  speed,
  stepBy,
  togglePlay,
} from './replay-state.ts';
import { followTimeline, troubles } from './timeline-feed.ts';
import './replay.css';
import { computed } from '@preact/signals';
import { memo } from 'preact/compat';

/** Goes back in the session that is looked at, and plays it again: race and graph show the past meanwhile. */
export function ReplayBar() {
  const backend = useBackend();
  const id = currentSession.value?.id;
  const isPast = replayAt.value !== undefined;
  useEffect(runReplay, []);
  useEffect(() => (isPast && id !== undefined ? followTimeline(backend, id) : undefined), [backend, id, isPast]);
  const within = range.value;
  if (!within) return <div class="replay replay-empty">Nothing to replay</div>;
  return (
    <section class={isPast ? 'replay replay-past' : 'replay'} aria-label="Replay">
      <PlayButton />
      <SpeedChoice />
      <Slider within={within} />
      <Moment within={within} />
      <button
        type="button"
        class="replay-live"
        aria-pressed={!isPast}
        title={within.isGrowing ? 'Back to what happens now' : 'Back to how it stands now'}
        onClick={() => goTo('present')}
      >
        <span aria-hidden="true">{isPast ? '○' : '●'}</span> {within.isGrowing ? 'live' : 'now'}
      </button>
    </section>
  );
}

function PlayButton() {
  return (
    <button
      type="button"
      class="replay-play"
      aria-label={isPlaying.value ? 'Pause' : 'Play'}
      title={isPlaying.value ? 'Pause (space)' : 'Play the session again; long silences are passed over (space)'}
      onClick={togglePlay}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={isPlaying.value ? 'M2,1H5V11H2ZM7,1H10V11H7Z' : 'M2,1L11,6L2,11Z'} />
      </svg>
    </button>
  );
}

function SpeedChoice() {
  return (
    <select
      class="replay-speed"
      aria-label="Speed of the replay"
      title="Speed"
      value={String(speed.value)}
      onChange={({ currentTarget }) => {
        speed.value = SPEEDS.find((one) => String(one) === currentTarget.value) ?? 1;
      }}
    >
      {SPEEDS.map((one) => (
        <option key={one} value={String(one)}>
          {one}×
        </option>
      ))}
    </select>
  );
}

function Slider({ within }: { readonly within: ReplayRange }) {
  const at = replayAt.value ?? within.to;
  const whole = within.to - within.from;
  return (
    <div class="replay-track">
      <Marks within={within} />
      <input
        type="range"
        aria-label="Moment of the session"
        aria-valuetext={`${formatMoment(at - within.from, whole)} of ${formatMoment(whole, whole)}${replayAt.value === undefined ? ', now' : ''}`}
        min={0}
        max={whole}
        step="any"
        value={at - within.from}
        style={{ '--replay-share': String(Math.min(1, (at - within.from) / whole)) }}
        onInput={({ currentTarget }) => goTo(within.from + currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey) return;
          const next = stepBy(event.key, event.shiftKey, at, within);
          if (event.key === ' ') togglePlay();
          else if (next !== undefined) goTo(next);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );
}

function Moment({ within }: { readonly within: ReplayRange }) {
  const at = replayAt.value ?? within.to;
  const whole = within.to - within.from;
  const trouble = troubles.value.get(currentSession.value?.id ?? '');
  const longest = formatMoment(whole, whole).length;
  return (
    <span class="replay-moment" title={new Date(at).toLocaleString()} style={{ '--replay-digits': `${longest}ch` }}>
      {isLoading.value ? (trouble ?? 'Loading the past…') : formatMoment(at - within.from, whole)}
      {!isLoading.value && <span class="replay-whole"> of {formatMoment(whole, whole)}</span>}
    </span>
  );
}

const WIDTH = 1000;
const KINDS = [
  ['spawn', 0, 7],
  ['end', 13, 20],
  ['failure', 13, 20],
] as const;

const marks = computed<readonly Mark[]>(() => (currentSession.value ? marksOf(currentSession.value) : []));

/** Above the track when sub-agents were asked for, below it when they ended. */
function Marks({ within }: { readonly within: ReplayRange }) {
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
