import type { AgentReport } from '../../../src/core/reports/shapes.ts';
import { paintMark, standingOf } from '../../../src/core/text/live-status.ts';
import { PLAIN } from '../../../src/core/text/paint.ts';
import { formatStatus } from '../../../src/core/text/status.ts';

/** Shape and word first, colour last: the mark has its word for those who do not see it. */
export function StatusMark({ agent, word = false }: { readonly agent: AgentReport; readonly word?: boolean }) {
  const standing = standingOf(agent);
  return (
    <span class={`standing standing-${standing.replace(' ', '-')}`}>
      <span aria-hidden="true">{paintMark(standing, PLAIN)}</span>
      <span class={word ? 'standing-word' : 'visually-hidden'}>{formatStatus(agent)}</span>
    </span>
  );
}
