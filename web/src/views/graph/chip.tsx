import { memo } from 'preact/compat';
import type { FinishedItem } from './fold.ts';
import { chipText } from './graph-words.ts';

export interface ChipProps extends Pick<FinishedItem, 'count' | 'failed' | 'isFolded'> {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly isFocusable: boolean;
}

/** Stands for many that have finished, and opens. */
export const Chip = memo(function Chip(props: ChipProps) {
  const { id, x, y, level, position, siblings, isFocusable, isFolded, failed } = props;
  return (
    <div
      role="treeitem"
      class="graph-chip"
      data-key={id}
      data-fold={isFolded ? 'open' : 'fold'}
      tabIndex={isFocusable ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={!isFolded}
      aria-selected={false}
      style={{ transform: `translate(${x}px, ${y}px)` }}
    >
      <span aria-hidden="true">{failed > 0 ? '✗' : '✓'}</span>
      <span class={failed > 0 ? 'graph-chip-failed' : ''}>{chipText(props)}</span>
      <span class="graph-chip-open" aria-hidden="true">
        {isFolded ? 'show' : 'hide'}
      </span>
    </div>
  );
});
