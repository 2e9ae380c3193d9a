import { effect, signal } from '@preact/signals';
import { nowShown, sessions, shownSessions, timelines } from '../../store.ts';
import type { Lane } from './block.ts';
import type { Traces } from './frame.ts';
import { setBackTokens, spawnTokens } from './history.ts';
import { speedOf, trailOf } from './memory.ts';
import { onThemeChange, readPalette } from './palette.ts';
import { activeRow, columns, hoveredRow, layout, memories, selectedKey, showsFocus, size } from './race-state.ts';
import { createStage } from './stage.ts';

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
