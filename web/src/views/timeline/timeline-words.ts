import { cleanLine, formatCount, formatDuration, formatStatus, plural } from '../../../../src/core/index.ts';
import { formatMoment } from '../../replay/replay-state.ts';
import type { Row } from './rows.ts';
import type { CallMark, CompactionMark, Span } from './track.ts';

export function nameText({ agent }: Row): string {
  return cleanLine(agent.label);
}

/** What the bars of a row show, in words. */
export function rowText({ agent, track, bars }: Row, { from, to }: Span): string {
  const whole = to - from;
  const first = bars.runs[0]?.from;
  const last = bars.runs.at(-1);
  const span =
    first === undefined || !last
      ? 'times not known'
      : `from ${formatMoment(first - from, whole)} to ${last.isOpen ? 'now' : formatMoment(last.to - from, whole)}`;
  const count = track.calls.length > 0 ? track.calls.length : agent.toolCallCount;
  const calls = count === null ? 'calls not known' : plural(count, 'call');
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
