import { plural } from '../../../../src/core/index.ts';
import type { Chip } from './block.ts';

/** As it stands on the chip; `isShort` where there is little room. */
export function chipText({ kind, tally, isOpen }: Chip, isShort = false): string {
  const { agents, busy, needsYou, failed, unknown } = tally;
  if (kind === 'folded') {
    const urgent = needsYou > 0 ? ` ◐ ${needsYou}` : busy > 0 ? ` ● ${busy}` : '';
    return `+${agents}${urgent}`;
  }
  const ends = [...(failed > 0 ? [`✗ ${failed}`] : []), ...(unknown > 0 ? [`? ${unknown}`] : [])];
  return [isOpen ? '▾' : '▸', isShort ? `✓ ${agents}` : `finished ${agents}`, ...ends].join(' ');
}

/** The same, said. */
export function chipWords({ kind, tally: { agents, busy, needsYou, failed, unknown }, isOpen }: Chip): string {
  const counted = [
    ...(needsYou > 0 ? [`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`] : []),
    ...(busy > 0 ? [`${busy} at work`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} with an end that is not known`] : []),
  ];
  const what = kind === 'folded' ? plural(agents, 'more sub-agent') : plural(agents, 'finished sub-agent');
  return [what, ...counted, isOpen ? 'shown' : 'folded'].join(', ');
}
