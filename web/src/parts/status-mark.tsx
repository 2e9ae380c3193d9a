import { type AgentReport, formatStatus, PLAIN, paintMark, standingOf } from '../../../src/core/index.ts';

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

/** The colour of an agent, the same on every face; the main agent is neutral. */
export function hueOf(hue: number | null): string {
  return hue === null ? 'var(--text-dim)' : `var(--hue-${hue % 12})`;
}
