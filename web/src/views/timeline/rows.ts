import { signal } from '@preact/signals';
import {
  type AgentReport,
  cleanLine,
  formatCount,
  formatDuration,
  formatStatus,
  plural,
  type SessionDetail,
  type TimelineReport,
} from '../../../../src/core/index.ts';
import { formatMoment } from '../../replay/replay-clock.ts';
import { nameOf } from '../../store.ts';
import {
  type Bars,
  barsOf,
  type CallMark,
  type CompactionMark,
  EMPTY_TRACK,
  type Span,
  type Track,
  trackOf,
} from './track.ts';

export interface Row {
  readonly agent: AgentReport;
  readonly track: Track;
  readonly bars: Bars;
  /** How far it is indented. */
  readonly depth: number;
  /** Row of who asked for it. */
  readonly parent: number | undefined;
}

/** One for each agent, in the order of the tree. */
export function computeRows(
  { main, subagents }: SessionDetail,
  timeline: TimelineReport | undefined,
  now: number,
): readonly Row[] {
  const over = new Map(timeline?.agents.map((agent) => [agent.id, agent]));
  const agents = [main, ...subagents];
  const places = new Map(agents.map(({ id }, index) => [id, index]));
  return agents.map((agent) => {
    const told = over.get(agent.id);
    const track = told ? trackOf(told) : { id: agent.id, ...EMPTY_TRACK };
    const parent = agent.parentId === null ? undefined : places.get(agent.parentId);
    return { agent, track, bars: barsOf(agent, track, now), depth: agent.depth ?? 0, parent };
  });
}

/** A line between two rows at a moment. */
export interface Link {
  readonly at: number;
  readonly parent: number;
  readonly child: number;
  readonly kind: 'spawn' | 'result';
}

/** Lines that touch the rows `first` to `last`: of a child in sight, when it was asked for and when it answered. */
export function linksIn(rows: readonly Row[], first: number, last: number): readonly Link[] {
  const links: Link[] = [];
  for (let child = Math.max(0, first); child <= Math.min(last, rows.length - 1); child++) {
    const row = rows[child];
    if (row?.parent === undefined) continue;
    const { parent } = row;
    for (const { from, to, isOpen } of row.bars.runs) {
      links.push({ at: from, parent, child, kind: 'spawn' });
      if (!isOpen && row.agent.status !== 'unknown') links.push({ at: to, parent, child, kind: 'result' });
    }
  }
  return links;
}

/** The tokens of the page as values: a canvas knows no variables. */
export interface Colours {
  readonly hues: readonly string[];
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly ground: string;
  readonly sunken: string;
  readonly accent: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
}

export const colours = signal<Colours | undefined>(undefined);

/** Reads them, and again whenever the theme changes. Returns how to stop. */
export function watchColours(): () => void {
  const read = (): void => {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    colours.value = {
      hues: Array.from({ length: 12 }, (_, hue) => value(`--hue-${hue}`)),
      text: value('--text'),
      dim: value('--text-dim'),
      line: value('--line'),
      ground: value('--ground'),
      sunken: value('--sunken'),
      accent: value('--accent'),
      good: value('--good'),
      warn: value('--warn'),
      bad: value('--bad'),
    };
  };
  read();
  const changes = new MutationObserver(read);
  changes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', read);
  return () => {
    changes.disconnect();
    dark.removeEventListener('change', read);
  };
}

/** The main agent is neutral. */
export function colourOf({ hues, dim }: Colours, hue: number | null): string {
  return hue === null ? dim : (hues[hue % 12] ?? dim);
}

export function nameText({ agent }: Row): string {
  return nameOf(agent);
}

/** What the bars of a row show, in words. */
export function rowText({ track, bars }: Row, agent: AgentReport, { from, to }: Span): string {
  const whole = to - from;
  const first = bars.runs[0]?.from;
  const last = bars.runs.at(-1);
  const span =
    first === undefined || !last
      ? 'times not known'
      : `from ${formatMoment(first - from, whole)} to ${last.isOpen ? 'now' : formatMoment(last.to - from, whole)}`;
  const calls = agent.toolCallCount === null ? 'calls not known' : plural(agent.toolCallCount, 'call');
  const compacted = track.compactions.length > 0 ? `, compacted ${plural(track.compactions.length, 'time')}` : '';
  return `${formatStatus(agent)}, ${plural(agent.runs.length, 'run')}, ${calls}, ${span}${compacted}`;
}

/** Its tool, and what it was told. */
export function callTitle({ call: { tool, summary } }: CallMark): string {
  return cleanLine(summary === null ? tool : `${tool} ${summary}`);
}

export function compactionText({ compaction: { tokensBefore, tokensAfter } }: CompactionMark): string {
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => (tokens === null ? '?' : formatCount(tokens)));
  return `Context compacted: from ${before} to ${after} tokens`;
}

const OUTCOMES = { ok: 'ended well', error: 'ended with an error', refused: 'was refused' } as const;

/** How it ended, how long it took, and when it was. */
export function callText({ call, from, to }: CallMark, { from: begin, to: end }: Span): string {
  const when = `at ${formatMoment(from - begin, end - begin)}`;
  if (to === undefined) return `no result so far, ${when}`;
  const outcome = call.outcome === null ? 'ended' : OUTCOMES[call.outcome];
  return `${outcome} after ${formatDuration(to - from)}, ${when}`;
}

/** As many dots as the screen has. */
export function preparePen(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const dots = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * dots), Math.round(height * dots)];
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  }
  const pen = canvas.getContext('2d') ?? undefined;
  pen?.setTransform(dots, 0, 0, dots, 0, 0);
  return pen;
}
