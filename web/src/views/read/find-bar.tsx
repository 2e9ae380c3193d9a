import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../../src/core/index.ts';
import type { Finder } from './find.ts';

interface BarProps {
  readonly finder: Finder;
  readonly total: number;
  /** The message that the person looks at. */
  readonly near: () => number;
  readonly close: () => void;
}

/** Finds a text in all of the transcript, also where it has not been read yet. */
export function FindBar({ finder, total, near, close }: BarProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter') finder.step(event.shiftKey ? -1 : 1, near());
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const hasHits = finder.progress.value.hits > 0;
  return (
    <search class="read-find" aria-label="Find in this transcript">
      <input
        ref={field}
        type="search"
        aria-label="Find in this transcript"
        placeholder="Find in this transcript"
        value={finder.query.value}
        onInput={({ currentTarget }) => finder.search(currentTarget.value, near())}
        onKeyDown={onKey}
      />
      <span class="read-find-count" role="status">
        {countText(finder, total)}
      </span>
      <button type="button" aria-label="Previous hit" disabled={!hasHits} onClick={() => finder.step(-1, near())}>
        ↑
      </button>
      <button type="button" aria-label="Next hit" disabled={!hasHits} onClick={() => finder.step(1, near())}>
        ↓
      </button>
      <button type="button" aria-label="Close find" onClick={close}>
        ✕
      </button>
    </search>
  );
}

function countText({ pattern, progress, current }: Finder, total: number): string {
  if (!pattern.value) return '';
  const { hits, searched } = progress.value;
  const rest = searched < total ? `, searched ${Math.floor((100 * searched) / Math.max(1, total))} %` : '';
  if (hits === 0) return searched < total ? `searching${rest}` : 'not found';
  const found = formatCount(hits);
  return current.value ? `${formatCount(current.value.ordinal)} of ${found}${rest}` : `${found} so far${rest}`;
}
