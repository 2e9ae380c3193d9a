import { computed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { memo } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import { PLAIN, paintMark, standingOf } from '../../../../src/core/index.ts';
import { hueOf } from '../../parts/marks.tsx';
import { goTo } from '../../replay/replay-state.ts';
import { agentsOf, currentSession, replayAt, selected, shownSession, useBackend } from '../../store.ts';
import { callText, callTitle, nameText, type Row, rowText } from './rows.ts';
import { listenToRows } from './rows-input.ts';
import { brushWindow, ticksIn } from './time-window.ts';
import {
  area,
  brush,
  focused,
  ROW_HEIGHT,
  range,
  rows,
  seenRows,
  setWindow,
  shownWindow,
  spot,
  timeAt,
  xOf,
} from './timeline-state.ts';

/** Rows above and below those in sight that are there already when one scrolls. */
const AHEAD = 8;
const DEEPEST = 6;

/** Everything that the canvas shows, in words: one item for each agent. */
export function RowLabels() {
  const backend = useBackend();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => (list.current ? listenToRows(list.current, backend) : undefined), [backend]);
  const all = rows.value;
  const { first, last } = seenRows.value;
  const at = Math.max(
    0,
    all.findIndex(({ agent }) => agent.id === focused.value),
  );
  const shown = all.slice(Math.max(0, first - AHEAD), last + 1 + AHEAD).map((row, index) => ({
    row,
    index: Math.max(0, first - AHEAD) + index,
  }));
  // In a replay the marks say how each stood at that moment.
  const isReplayed = shownSession.value !== currentSession.value;
  const standing = new Map(
    shownSession.value && isReplayed ? agentsOf(shownSession.value).map((one) => [one.id, one]) : [],
  );
  const focusRow = all[at];
  if (focusRow && !shown.some(({ index }) => index === at)) shown.push({ row: focusRow, index: at });
  return (
    <>
      <ul
        class="timeline-rows"
        aria-label="Agents over time. Left and right walk the calls of a row."
        ref={list}
        style={{ height: `${all.length * ROW_HEIGHT}px` }}
      >
        {shown.map(({ row, index }) => (
          <RowLabel
            key={row.agent.id}
            agent={standing.get(row.agent.id) ?? row.agent}
            isAhead={isReplayed && !standing.has(row.agent.id)}
            name={nameText(row)}
            words={
              isReplayed && !standing.has(row.agent.id)
                ? 'not begun at the replayed moment'
                : rowText(row, standing.get(row.agent.id) ?? row.agent, range.value)
            }
            index={index}
            count={all.length}
            depth={Math.min(DEEPEST, row.depth)}
            isFocusable={index === at}
            isSelected={selected.value?.agent === row.agent.id}
          />
        ))}
      </ul>
      <SpokenCall />
    </>
  );
}

interface LabelProps extends Pick<Row, 'agent' | 'depth'> {
  /** It has not begun at the replayed moment. */
  readonly isAhead: boolean;
  readonly name: string;
  readonly words: string;
  readonly index: number;
  readonly count: number;
  readonly isFocusable: boolean;
  readonly isSelected: boolean;
}

const RowLabel = memo(function RowLabel(props: LabelProps) {
  const { agent, isAhead, name, words, index, count, depth, isFocusable, isSelected } = props;
  const standing = isAhead ? 'spawning' : standingOf(agent);
  return (
    <li
      class="timeline-row"
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
    >
      <button
        type="button"
        class={`timeline-label timeline-is-${isAhead ? 'ahead' : standing.replace(' ', '-')}`}
        data-agent={agent.id}
        tabIndex={isFocusable ? 0 : -1}
        aria-pressed={isSelected}
        title={name}
        style={{ paddingLeft: `${8 + depth * 10}px`, '--timeline-hue': hueOf(agent.hue) }}
      >
        <span class="timeline-hue" aria-hidden="true" />
        <span class="timeline-mark" aria-hidden="true">
          {paintMark(standing, PLAIN)}
        </span>
        <span class="timeline-name">{name}</span>
        <span class="visually-hidden">, {words}</span>
      </button>
    </li>
  );
});

/** The call that the keyboard is at, said aloud; the mouse's is only shown. */
function SpokenCall() {
  const at = spot.value;
  const isByKeyboard = at !== undefined && at.x === undefined && at.mark !== undefined;
  return (
    <p class="visually-hidden" role="status">
      {isByKeyboard && at.mark ? `${callTitle(at.mark)}, ${callText(at.mark, range.value)}` : ''}
    </p>
  );
}

const LABEL_PX = 90;
/** So near to the edge a label would be cut off. */
const CUT_PX = 44;

export const axisTicks = computed(() =>
  ticksIn(shownWindow.value, range.value.from, Math.max(2, area.value.width / LABEL_PX)),
);

/** Time since the beginning. A click goes to that moment, a drag zooms into it; the slider below does the same for keys. */
export function Ruler() {
  const begin = useRef<{ x: number; at: number } | undefined>(undefined);
  const { width } = area.value;
  const window = shownWindow.value;
  const placeOf = (event: TargetedPointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return { x, at: timeAt(x, window, width) };
  };
  return (
    <div
      class="timeline-ruler"
      aria-hidden="true"
      title="Click: replay from here. Drag: zoom in."
      onPointerDown={(event) => {
        begin.current = placeOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const now = placeOf(event);
        if (begin.current && Math.abs(now.x - begin.current.x) > 4)
          brush.value = brushWindow(begin.current.at, now.at, range.value);
      }}
      onPointerUp={(event) => {
        if (brush.value) setWindow(brush.value);
        else if (begin.current) goTo(placeOf(event).at);
        begin.current = brush.value = undefined;
      }}
    >
      {axisTicks.value.map(({ at, text }) => (
        <span key={at} class="timeline-tick" style={{ transform: `translateX(${xOf(at, window, width)}px)` }}>
          {xOf(at, window, width) < width - CUT_PX ? text : ''}
        </span>
      ))}
      {replayAt.value !== undefined && (
        <span class="timeline-moment" style={{ transform: `translateX(${xOf(replayAt.value, window, width)}px)` }} />
      )}
    </div>
  );
}
