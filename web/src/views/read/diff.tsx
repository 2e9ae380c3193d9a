import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../../../src/core/index.ts';
import {
  type DiffRow,
  foldAround,
  foldUnits,
  gapSizes,
  isNearChange,
  type Span,
  type Units,
} from '../../../../src/core/transcript/index.ts';
import { GapButton } from './gap-button.tsx';
import { type PartPlace, slotName, useHitIn } from './part-place.ts';
import { useSpans } from './use-spans.ts';

const CONTEXT = 3;
const HEAD_ROWS = 28;
const ROW = 80;
/** Of one line; what is behind it is only counted. */
const LONGEST = 4000;

const MARKS = { same: ' ', removed: '−', added: '+' };
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' };

/** Lines that went and lines that came. */
export function Diff({
  rows,
  place,
  slot,
}: {
  readonly rows: readonly DiffRow[];
  readonly place: PartPlace;
  readonly slot: string;
}) {
  const units = useMemo(
    (): Units => ({
      count: rows.length,
      rows: (index) => Math.max(1, Math.ceil(Math.min(LONGEST, rows[index]?.text.length ?? 0) / ROW)),
    }),
    [rows],
  );
  const starts = useMemo(() => startsOf(rows), [rows]);
  const hit = useHitIn(place, slot);
  const fold = (isAllOpen: boolean): readonly Span[] =>
    isAllOpen ? foldUnits(units, { head: 800, tail: 0 }) : foldAround(units, isNearChange(rows, CONTEXT), HEAD_ROWS);
  const reveal = hit === undefined ? undefined : starts.findLastIndex((start) => start <= hit);
  const [spans, open] = useSpans(`${place.key}/${slot}`, units, fold, reveal);
  const children: ComponentChild[] = [];
  for (const [index, size] of gapSizes(spans, rows.length).entries()) {
    const span = spans[index];
    const from = spans[index - 1]?.[1] ?? 0;
    if (size > 0) children.push(<GapButton key={`gap ${from}`} hidden={size} unit="line" open={() => open(index)} />);
    if (!span) continue;
    for (let at = span[0]; at < span[1]; at++) {
      const row = rows[at];
      if (row) children.push(<Row key={at} row={row} start={starts[at] ?? 0} />);
    }
  }
  return (
    <div class="read-diff" data-slot={slotName(place, slot)}>
      {children}
    </div>
  );
}

function Row({ row, start }: { readonly row: DiffRow; readonly start: number }) {
  const { kind, text, changed } = row;
  const shown = text.slice(0, LONGEST);
  return (
    <div class={`read-row read-row-${kind}`}>
      <span class="read-sign" data-sign={MARKS[kind]} />
      {kind !== 'same' && <span class="visually-hidden">{WORDS[kind]}</span>}
      <span class="read-line-text" data-from={start}>
        {changed && changed[1] > changed[0] && changed[1] <= LONGEST ? (
          <>
            {shown.slice(0, changed[0])}
            <mark>{shown.slice(...changed)}</mark>
            {shown.slice(changed[1])}
          </>
        ) : (
          shown
        )}
        {text.length > LONGEST && <em> … {formatCount(text.length - LONGEST)} more characters</em>}
      </span>
    </div>
  );
}

/** Where each row begins in the text of all of them. */
function startsOf(rows: readonly DiffRow[]): readonly number[] {
  let at = 0;
  return rows.map(({ text }) => {
    const start = at;
    at += text.length + 1;
    return start;
  });
}
