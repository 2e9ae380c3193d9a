import { MARKS } from './draw-track.ts';
import { bandOf, carSize, noseAt } from './geometry.ts';
import { pixels } from './pixels.ts';
import { columns, needing, reveal } from './race-state.ts';

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
