import type { AgentReport, SessionDetail, TimelineReport } from '../../../../src/core/index.ts';
import { type Bars, barsOf, EMPTY_TRACK, type Span, type Track, trackOf } from './track.ts';

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

/** How much was done in each of `bins` equal parts of a stretch of time: calls that began in it, from 0 to 1. */
export function histogramOf(rows: readonly Row[], { from, to }: Span, bins: number): readonly number[] {
  const counts = new Array<number>(bins).fill(0);
  const scale = bins / Math.max(1, to - from);
  for (const { track } of rows) {
    for (const mark of track.calls) {
      const bin = Math.floor((mark.from - from) * scale);
      if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  const most = Math.max(1, ...counts);
  // The root keeps a single call visible beside a flood.
  return counts.map((count) => Math.sqrt(count / most));
}
