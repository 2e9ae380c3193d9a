import { effect, signal } from '@preact/signals';
import { type AgentReport, plural, type TimelineAgent, type TimelineReport } from '../../../../src/core/index.ts';
import { nowShown, sessions, shownSessions, timelines } from '../../store.ts';
import type { Lane } from './block.ts';
import { drawGhost, drawGround, drawLane } from './draw-lane.ts';
import { drawLinks } from './draw-track.ts';
import { createFitter, type Frame, putText, type Traces } from './frame.ts';
import { boxesOf, type Span } from './geometry.ts';
import { EARLIER, isChipRow, laneOfRow } from './layout.ts';
import { onThemeChange, readPalette } from './palette.ts';
import {
  activeRow,
  columns,
  hoveredRow,
  layout,
  memories,
  selectedKey,
  showsFocus,
  size,
  speedOf,
  trailOf,
} from './race-state.ts';
import {
  createTraffic,
  type Drawn,
  dirtyLooks,
  type Ghost,
  isDifferent,
  isSilent,
  type Look,
  type Scene,
} from './traffic.ts';

/** An agent this young comes from the start of its lane. */
const YOUNG_MS = 5000;

/** Keeps the canvas in step with the store, the size of the view, the theme and the scrolling. */
export function runStage(canvas: HTMLCanvasElement, scroller: HTMLElement): () => void {
  const root = document.documentElement;
  const stage = createStage(canvas);
  const palette = signal(readPalette(root));
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');
  const isStill = signal(stillness.matches);
  const setStill = (): void => {
    isStill.value = stillness.matches;
  };
  stillness.addEventListener('change', setStill);
  const measure = (): void => {
    const { clientWidth: width, clientHeight: height } = scroller;
    if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(scroller);
  const scroll = (): void => stage.scrollTo(scroller.scrollTop);
  scroller.addEventListener('scroll', scroll, { passive: true });
  const stopTheme = onThemeChange(root, () => {
    palette.value = readPalette(root);
  });
  const stopShowing = effect(() => {
    const now = nowShown.value;
    memories.take(shownSessions.value, now, sessions.value);
    stage.show({
      layout: layout.value,
      columns: columns.value,
      viewHeight: size.value.height,
      pointers: {
        hovered: hoveredRow.value,
        focused: showsFocus.value ? activeRow.value : undefined,
        selected: selectedKey.value,
      },
      now,
      isStill: isStill.value,
      palette: palette.value,
      trailOf: ({ key }) => {
        const memory = memories.of(key);
        return memory ? trailOf(speedOf(memory, now)) : 0;
      },
      isNew: ({ key, agent: { startedAt } }) =>
        memories.of(key)?.spawnedAt !== undefined && (startedAt === null || now - Date.parse(startedAt) < YOUNG_MS),
      tracesOf,
      traces: timelines.value,
    });
  });
  scroll();
  return () => {
    stopShowing();
    stopTheme();
    observer.disconnect();
    scroller.removeEventListener('scroll', scroll);
    stillness.removeEventListener('change', setStill);
    stage.close();
  };
}

const NO_TRACES: Traces = { spawnedAt: undefined, setBacks: [] };

/** By the timeline where there is one, else by what the page itself has seen. */
function tracesOf({ key, agent }: Lane): Traces {
  const seen: Traces = memories.of(key) ?? NO_TRACES;
  const timeline = timelines.peek().get(agent.sessionId);
  if (!timeline) return seen;
  return {
    spawnedAt: spawnTokens(timeline, agent) ?? seen.spawnedAt,
    setBacks: agent.compactions > 0 ? setBackTokens(timeline, agent.id, nowShown.peek()) : [],
  };
}

// Where a timeline was fetched it knows better than our memory where things happened.

const indexed = new WeakMap<TimelineReport, ReadonlyMap<string, TimelineAgent>>();

function agentIn(timeline: TimelineReport, id: string): TimelineAgent | undefined {
  let byId = indexed.get(timeline);
  if (!byId) {
    byId = new Map(timeline.agents.map((agent) => [agent.id, agent]));
    indexed.set(timeline, byId);
  }
  return byId.get(id);
}

/** What filled the parent's context when it asked for this agent. */
export function spawnTokens(timeline: TimelineReport, { id, parentId, startedAt }: AgentReport): number | undefined {
  const parent = parentId === null ? undefined : agentIn(timeline, parentId);
  const at = parent?.calls.find(({ spawned }) => spawned === id)?.startedAt ?? startedAt;
  if (!parent || at === null) return undefined;
  return parent.replies.findLast((reply) => reply.at !== null && reply.at <= at)?.contextTokens;
}

/** Tokens from which compactions set it back, up to a moment. */
export function setBackTokens(timeline: TimelineReport, id: string, now: number): readonly number[] {
  const compactions = agentIn(timeline, id)?.compactions ?? [];
  return compactions.flatMap(({ at, tokensBefore }) =>
    tokensBefore !== null && (at === null || Date.parse(at) <= now) ? tokensBefore : [],
  );
}

/** Draws scenes, and moves the cars between them. No frame is asked for while nothing moves. */
interface Stage {
  show(scene: Scene): void;
  scrollTo(top: number): void;
  close(): void;
}

/** On for a second, off for a second. */
const BLINK_MS = 1000;

function createStage(canvas: HTMLCanvasElement): Stage {
  const ctx = canvas.getContext('2d');
  if (!ctx) return { show() {}, scrollTo() {}, close() {} };
  const cut = createFitter((text, font) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  });
  const traffic = createTraffic();
  let scene: Scene | undefined;
  let drawn: Drawn | undefined;
  let scrollTop = 0;
  let frame: number | undefined;
  let blink: ReturnType<typeof setTimeout> | undefined;

  const ask = (): void => {
    frame ??= requestAnimationFrame(draw);
  };

  const draw = (time: number): void => {
    frame = undefined;
    if (!scene) return;
    const isBlinkOn = scene.isStill || Math.floor(time / BLINK_MS) % 2 === 0;
    const looks = traffic.move(scene, scrollTop, time, isBlinkOn);
    const now = { base: baseOf(scene, scrollTop), looks };
    const { ghosts } = traffic;
    const isWiped = fitCanvas(canvas, ctx, scene);
    const dirty = isWiped || ghosts.length > 0 ? 'all' : dirtyLooks(drawn, now);
    const picture: Frame = { ...scene, ctx, cut, scrollTop, isBlinkOn, carOf: traffic.carOf, sideOf: traffic.sideOf };
    if (dirty === 'all') drawFrame(picture, looks, ghosts);
    else redrawLanes(picture, dirty);
    // What ghosts leave behind is wiped by drawing all of it once more.
    drawn = ghosts.length > 0 ? undefined : now;
    if (traffic.isMoving() || ghosts.length > 0) ask();
    const isBlinking = !scene.isStill && looks.some(({ lane }) => isSilent(lane));
    if (isBlinking) blink ??= setTimeout(wake, BLINK_MS - (time % BLINK_MS) + 1);
  };

  const wake = (): void => {
    blink = undefined;
    ask();
  };

  return {
    show(next) {
      const before = scene;
      scene = next;
      traffic.turnTo(next, scrollTop);
      if (!before || isDifferent(before, next) || traffic.isSlower(next)) ask();
    },
    scrollTo(top) {
      scrollTop = Math.round(top);
      ask();
    },
    close() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(blink);
      scene = undefined;
    },
  };
}

/** What all lanes depend on. */
function baseOf({ layout, columns, viewHeight, palette, pointers, traces }: Scene, scrollTop: number) {
  const { height, earlier } = layout;
  const other = [pointers.hovered === EARLIER, pointers.focused === EARLIER];
  return [scrollTop, viewHeight, columns, palette, traces, height, earlier?.isOpen, earlier?.count, ...other];
}

/** As many dots as the screen has. Says whether that wiped it. */
function fitCanvas(
  canvas: HTMLCanvasElement,
  ctx: CanvasRenderingContext2D,
  { columns: { width }, viewHeight: height }: Scene,
): boolean {
  const ratio = globalThis.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const isWiped = canvas.width !== w || canvas.height !== h;
  if (isWiped) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return isWiped;
}

/** A picture of what is in sight. */
function drawFrame(frame: Frame, looks: readonly Look[], ghosts: readonly Ghost[]): void {
  const { ctx, columns, scrollTop, viewHeight } = frame;
  ctx.clearRect(0, 0, columns.width, viewHeight);
  ctx.save();
  ctx.translate(0, -scrollTop);
  drawLanes(frame, looks, ghosts, { from: scrollTop, to: scrollTop + viewHeight });
  drawEarlier(frame);
  drawFocus(frame);
  ctx.restore();
}

/** Some lanes of it anew; the others stay as they are. */
function redrawLanes(frame: Frame, looks: readonly Look[]): void {
  const { ctx, columns, scrollTop } = frame;
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last) return;
  ctx.save();
  ctx.translate(0, -scrollTop);
  ctx.beginPath();
  for (const { lane, car } of looks) ctx.rect(0, car.y, columns.width, lane.height);
  ctx.clip();
  for (const { lane, car } of looks) ctx.clearRect(0, car.y, columns.width, lane.height);
  drawLanes(frame, looks, [], { from: first.car.y, to: last.car.y + last.lane.height });
  drawFocus(frame);
  ctx.restore();
}

function drawLanes(frame: Frame, looks: readonly Look[], ghosts: readonly Ghost[], span: Span): void {
  for (const { lane, car } of looks) drawGround(frame, lane, car);
  for (const placed of frame.layout.blocks)
    if (placed.top <= span.to && placed.top + placed.block.height >= span.from) drawLinks(frame, placed, span);
  for (const { lane, car } of ghosts) drawGhost(frame, lane, car);
  for (const { lane, car } of looks) drawLane(frame, lane, car);
}

function drawEarlier(frame: Frame): void {
  const { ctx, palette, columns, layout, pointers } = frame;
  const { earlier } = layout;
  if (!earlier) return;
  ctx.fillStyle = palette.line;
  ctx.fillRect(12, earlier.y, columns.width - 24, 1);
  const text = `${earlier.isOpen ? '▾' : '▸'} ${plural(earlier.count, 'earlier session')}`;
  const box = { x: 12, y: earlier.y, w: columns.width - 24, h: earlier.height };
  const colour = pointers.hovered === EARLIER ? palette.text : palette.textDim;
  putText(frame, text, box, { font: palette.small, colour });
}

function drawFocus(frame: Frame): void {
  const { ctx, palette, columns, layout, pointers } = frame;
  if (pointers.focused === undefined) return;
  const box = focusBox();
  if (!box) return;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 6);
  ctx.strokeStyle = palette.focus;
  ctx.lineWidth = 2;
  ctx.stroke();

  function focusBox() {
    const row = pointers.focused ?? '';
    const { earlier } = layout;
    if (row === EARLIER) return earlier && { x: 3, y: earlier.y + 2, w: columns.width - 6, h: earlier.height - 4 };
    const place = layout.places.get(laneOfRow(row));
    if (!place) return undefined;
    const y = frame.carOf(place.lane.key)?.y ?? place.y;
    if (isChipRow(row)) return boxesOf(columns, place.lane, y).chip;
    return { x: 3, y: y + 1, w: columns.width - 6, h: place.lane.height - 2 };
  }
}
