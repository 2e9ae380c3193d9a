import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { runStage } from './run-stage.ts';
import './race.css';
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { cleanLine, outputText, plural } from '../../../../src/core/index.ts';
import { nowShown, selectedAgent } from '../../store.ts';
import { actOfClick, actOfKey } from './acts.ts';
import { chipWords, type Lane } from './block.ts';
import { MARKS } from './draw-track.ts';
import { factsOf } from './facts.ts';
import { bandOf, carSize, noseAt } from './geometry.ts';
import { isInRace } from './layout.ts';
import { belowWords, contextWords, MirrorItem, pixels, statusWords } from './mirror-item.tsx';
import {
  activeRow,
  columns,
  hasFocus,
  hoveredRow,
  layout,
  needing,
  perform,
  reveal,
  rows,
  selectedKey,
  sessionOf,
  showsFocus,
  size,
  tip,
} from './race-state.ts';
import { type Hit, hitAt, laneOfRow, type Row } from './rows.ts';

/** Every agent on its way through its context window. */
export function RaceView() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!canvas.current || !scroller.current) return undefined;
    const stops = [
      runStage(canvas.current, scroller.current),
      connectPointer(scroller.current),
      followSelection(scroller.current),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <section class="race" aria-label="Race">
      <Axis onReveal={(row) => focusRow(scroller.current, row)} />
      <div class="race-body">
        <div class="race-picture" aria-hidden="true">
          <canvas ref={canvas} />
        </div>
        <div ref={scroller} class="race-scroller">
          <Mirror />
        </div>
        <PointedTooltip scroller={scroller} />
      </div>
    </section>
  );
}

/** Brings into sight what was selected elsewhere. Once: after that the person may fold it and scroll away. */
export function followSelection(scroller: HTMLElement): () => void {
  return effect(() => {
    const key = selectedKey.value;
    if (key === undefined) return;
    const agent = selectedAgent.peek();
    const session = agent && sessionOf(agent);
    if (agent && session && !layout.peek().places.has(key)) {
      if (!isInRace(session, nowShown.peek())) perform({ kind: 'earlier', isOpen: true });
      reveal(agent);
    }
    const place = layout.peek().places.get(key);
    const { scrollTop, clientHeight } = scroller;
    if (!place || (place.y >= scrollTop && place.y + place.lane.height <= scrollTop + clientHeight)) return;
    // The mirror has its new height only when it was drawn.
    requestAnimationFrame(() => scroller.scrollTo({ top: place.y - clientHeight / 3 }));
  });
}

export function focusRow(scroller: HTMLElement | null, row: string): void {
  requestAnimationFrame(() => {
    const items = scroller?.querySelectorAll<HTMLElement>('[data-row]') ?? [];
    for (const item of items) if (item.dataset['row'] === row) item.focus();
  });
}

const TOOLTIP_REST_MS = 400;

/** The explanation of what the pointer or the keyboard is on. */
export function PointedTooltip({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) {
  const active = showsFocus.value ? activeRow.value : undefined;
  useEffect(() => {
    if (active === undefined) return undefined;
    tip.value = undefined;
    const timer = setTimeout(() => {
      tip.value = { row: active, x: columns.peek().track.from };
    }, TOOLTIP_REST_MS);
    return () => {
      clearTimeout(timer);
      tip.value = undefined;
    };
  }, [active]);
  const at = tip.value;
  const row = at && rows.value.find(({ key }) => key === at.row);
  if (!at || !row || row.kind === 'earlier') return null;
  const top = row.y - (scroller.current?.scrollTop ?? 0);
  const { width, height } = size.value;
  return (
    <Tooltip row={row} spot={{ x: at.x, top, bottom: top + row.lane.height, viewWidth: width, viewHeight: height }} />
  );
}

/** A track so long has room for two words beside the last mark. */
const ROOMY = 440;

/** Above the lanes: who needs the person, and what the marks mean. */
export function Axis({ onReveal }: { readonly onReveal: (row: string) => void }) {
  const band = bandOf(columns.value, { depth: 0, height: columns.value.heights.session }, 0);
  const end = band.x + band.w;
  // The button has the first place; where it would cover a mark, it is worth more.
  const marks = columns.value.isStacked && needing.value.length > 0 ? MARKS.slice(1) : MARKS;
  return (
    <div class="race-axis">
      <NeedsYou onReveal={onReveal} />
      <div class="race-scale" aria-hidden="true">
        {marks.map((mark) => (
          <span key={mark} class="race-mark" style={pixels({ left: noseAt(band, mark, carSize(0)) })}>
            {mark * 100} %
          </span>
        ))}
        <span class="race-mark race-mark-end" style={pixels({ left: end })}>
          {band.w < ROOMY ? 'full' : 'context full'}
        </span>
      </div>
    </div>
  );
}

function NeedsYou({ onReveal }: { readonly onReveal: (row: string) => void }) {
  const agents = needing.value;
  const [first] = agents;
  if (!first) return null;
  return (
    <button type="button" class="race-needs-you" onClick={() => onReveal(reveal(first))}>
      <span aria-hidden="true">◐</span> {agents.length} {agents.length === 1 ? 'needs' : 'need'} you
    </button>
  );
}

/** An explanation comes when the pointer rests; from then on it follows at once. */
const REST_MS = 350;

/** Mouse and fingers on the lanes. */
export function connectPointer(scroller: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hit = ({ clientX, clientY }: MouseEvent): Hit | undefined => {
    const { left, top } = scroller.getBoundingClientRect();
    return hitAt(layout.peek(), columns.peek(), clientX - left, clientY - top + scroller.scrollTop);
  };
  const leave = (): void => {
    clearTimeout(timer);
    hoveredRow.value = undefined;
    tip.value = undefined;
  };
  const move = (event: PointerEvent): void => {
    if (event.pointerType === 'touch') return;
    const found = hit(event);
    scroller.style.cursor = found ? 'pointer' : '';
    if (found?.row === hoveredRow.peek()) return;
    hoveredRow.value = found?.row;
    clearTimeout(timer);
    if (!found) {
      tip.value = undefined;
      return;
    }
    const next = { row: found.row, x: event.clientX - scroller.getBoundingClientRect().left + 12 };
    if (tip.peek()) tip.value = next;
    else
      timer = setTimeout(() => {
        tip.value = next;
      }, REST_MS);
  };
  const click = (event: MouseEvent): void => {
    // Tools that press an item of the mirror have no place, but an item.
    const row = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined;
    const isPlaceless = event.detail === 0 && row !== undefined;
    const found: Hit | undefined = isPlaceless ? { row, part: 'lane' } : hit(event);
    const act = found && actOfClick(found, rows.peek(), event.type === 'dblclick');
    if (act) perform(act);
  };
  const listeners = [
    ['pointermove', move],
    ['pointerleave', leave],
    ['scroll', leave],
    ['click', click],
    ['dblclick', click],
  ] as const;
  for (const [type, listener] of listeners) scroller.addEventListener(type, listener as EventListener);
  return () => {
    leave();
    for (const [type, listener] of listeners) scroller.removeEventListener(type, listener as EventListener);
  };
}

/** Where it points: in the part of the view that is in sight. */
export interface Spot {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly viewWidth: number;
  readonly viewHeight: number;
}

const WIDTH = 360;

/** Everything about a lane that was cut or left out. The mirror says the same to those who do not see it. */
export function Tooltip({ row, spot }: { readonly row: Row; readonly spot: Spot }) {
  if (row.kind === 'earlier') return null;
  const width = Math.min(WIDTH, spot.viewWidth - 16);
  const left = Math.max(8, Math.min(spot.x, spot.viewWidth - width - 8));
  // On the side with more room, so that it never covers its own lane.
  const isBelow = spot.viewHeight - spot.bottom >= spot.top;
  const side = isBelow ? pixels({ top: spot.bottom + 4 }) : pixels({ bottom: spot.viewHeight - spot.top + 4 });
  return (
    <div class="race-tooltip" role="tooltip" style={{ ...pixels({ left, width }), ...side }}>
      {row.kind === 'chip' ? <p>{chipWords(row.chip)}</p> : <LaneFacts lane={row.lane} />}
    </div>
  );
}

function LaneFacts({ lane }: { readonly lane: Lane }) {
  const { agent } = lane;
  const { type, model, mark } = factsOf(agent);
  const kind = [lane.project, type, model, cleanLine(agent.effort ?? '')].filter((part) => part !== '').join(' · ');
  const evidence = agent.evidence && agent.evidence.rank !== 'exact' ? agent.evidence : undefined;
  return (
    <>
      <p class="race-tooltip-name">{lane.name}</p>
      {kind !== '' && <p class="race-tooltip-dim">{kind}</p>}
      <p class="race-tooltip-now">
        <span aria-hidden="true">{mark}</span> {statusWords(agent, nowShown.value)}
      </p>
      <p class="race-tooltip-dim">{contextWords(agent)}</p>
      <p class="race-tooltip-dim">
        {[
          agent.usage === null ? 'output not known' : `${outputText(agent)} tokens written`,
          ...(agent.toolCallCount === null ? [] : [plural(agent.toolCallCount, 'tool call')]),
          ...(belowWords(lane) === '' ? [] : [belowWords(lane)]),
        ].join(' · ')}
      </p>
      {evidence && (
        <p class="race-tooltip-dim">
          {evidence.rank === 'guess' ? '? a guess: ' : '? '}
          {evidence.text}
        </p>
      )}
    </>
  );
}

/**
 * The race as a real tree, one item over each lane: nobody sees it, everybody can use it. Screen readers, the keyboard
 * and tests have it at once, not when the cars have arrived.
 */
export function Mirror() {
  const list = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  const active = useActive();
  // An item that goes takes the focus with it: hand it to the one that stands for it now.
  useLayoutEffect(() => {
    if (!hasFocus.peek() && !wantsFocus.current) return;
    wantsFocus.current = false;
    const item = list.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (item && item !== document.activeElement) item.focus();
  }, [active]);
  // Who comes back to the race later does not want to be pulled into it.
  useLayoutEffect(() => leaveFocus, []);
  return (
    <div
      ref={list}
      class="race-mirror"
      role="tree"
      aria-label="Agents, by how much of their context is used"
      style={pixels({ height: layout.value.height })}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === 'Escape' && tip.peek()) {
          tip.value = undefined;
          event.preventDefault();
        }
        const act = actOfKey(event.key, rows.peek(), active);
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        wantsFocus.current = act.kind !== 'read';
        perform(act);
      }}
      onFocusIn={({ target }) => {
        if (!(target instanceof HTMLElement)) return;
        activeRow.value = target.dataset['row'];
        hasFocus.value = true;
        showsFocus.value = target.matches(':focus-visible');
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && list.current?.contains(relatedTarget)) return;
        leaveFocus();
      }}
    >
      {rows.value.map((row) => (
        <MirrorItem
          key={row.key}
          row={row}
          columns={columns.value}
          isActive={row.key === active}
          isSelected={row.kind === 'lane' && row.key === selectedKey.value}
        />
      ))}
    </div>
  );
}

function leaveFocus(): void {
  hasFocus.value = false;
  showsFocus.value = false;
}

/** The row that the keyboard is on. Where it has gone: its lane, else the one that has come to its place. */
function useActive(): string | undefined {
  const lastAt = useRef(0);
  const all = rows.value;
  const wanted = activeRow.value ?? '';
  const at = all.findIndex(({ key }) => key === wanted);
  if (at >= 0) lastAt.current = at;
  else if (layout.value.places.has(laneOfRow(wanted))) return laneOfRow(wanted);
  return all[Math.min(lastAt.current, all.length - 1)]?.key;
}
