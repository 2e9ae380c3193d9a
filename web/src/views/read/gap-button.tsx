import { formatCount } from '../../../../src/core/index.ts';
import { STEP_ROWS } from '../../../../src/core/transcript/index.ts';

interface GapProps {
  readonly hidden: number;
  readonly unit: 'line' | 'character';
  readonly open: () => void;
}

/** Stands where something is folded away, and opens it. */
export function GapButton({ hidden, unit, open }: GapProps) {
  const what = `${formatCount(hidden)} more ${hidden === 1 ? unit : `${unit}s`}`;
  return (
    <button type="button" class="read-gap" onClick={open}>
      {unit === 'line' && hidden > STEP_ROWS ? `Show some of ${what}` : `Show ${what}`}
    </button>
  );
}
