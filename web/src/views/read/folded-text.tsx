import type { ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../../../src/core/index.ts';
import {
  cutText,
  type FoldLimits,
  foldUnits,
  gapSizes,
  openGap,
  revealUnit,
  type Span,
  STEP_ROWS,
  splitLinks,
  type TextUnits,
  type Units,
} from '../../../../src/core/transcript/index.ts';
import { openness, type PartPlace, rememberSpans, slotName, spansOf, useHitIn, useStaying } from './part-place.ts';
import { WebLink } from './rich-text.tsx';

interface FoldedProps {
  readonly text: string;
  readonly place: PartPlace;
  readonly slot: string;
  readonly limits: FoldLimits;
  readonly class?: string;
  /** Of the first line, where lines have numbers. */
  readonly first?: number | undefined;
  /** Addresses of the web become links. */
  readonly hasLinks?: boolean;
}

const ALL_OPEN: FoldLimits = { head: 800, tail: 0 };

/** Text as it is: every line a line, long ones wrapped, the middle of long texts folded away. */
export function FoldedText({ text, place, slot, limits, class: name = '', first, hasLinks = false }: FoldedProps) {
  const units = useMemo(() => cutText(text), [text]);
  const hit = useHitIn(place, slot);
  const [spans, open] = useSpans(
    `${place.key}/${slot}`,
    units,
    (isAllOpen) => foldUnits(units, isAllOpen ? ALL_OPEN : limits),
    hit === undefined ? undefined : units.at(hit),
  );
  const gaps = gapSizes(spans, units.count);
  const children: ComponentChild[] = [];
  for (const [index, size] of gaps.entries()) {
    const span = spans[index];
    const from = spans[index - 1]?.[1] ?? 0;
    if (size > 0)
      children.push(
        <TextGap key={`gap ${from}`} units={units} from={from} to={from + size} open={() => open(index)} />,
      );
    if (!span) continue;
    if (first === undefined)
      children.push(<Run key={span[0]} units={units} from={span[0]} to={span[1]} hasLinks={hasLinks} />);
    else children.push(<NumberedRun key={span[0]} units={units} from={span[0]} to={span[1]} first={first} />);
  }
  return (
    <div class={`read-folded ${name}`} data-slot={slotName(place, slot)}>
      {children}
    </div>
  );
}

interface RunProps {
  readonly units: TextUnits;
  readonly from: number;
  readonly to: number;
}

function Run({ units, from, to, hasLinks }: RunProps & { readonly hasLinks: boolean }) {
  const text = units.text.slice(units.start(from), units.start(to)).replace(/\n$/, '');
  return (
    <div class="read-run" data-from={units.start(from)} dir="auto">
      {hasLinks ? splitLinks(text).map(({ text: one, href }) => (href ? <WebLink target={href} /> : one)) : text}
    </div>
  );
}

function NumberedRun({ units, from, to, first }: RunProps & { readonly first: number }) {
  const before = useMemo(() => countLinesBefore(units, from), [units, from]);
  const lines: ComponentChild[] = [];
  let number = first + before - 1;
  for (let index = from; index < to; ) {
    let end = index + 1;
    while (end < to && units.isContinued(end)) end++;
    if (!units.isContinued(index)) number++;
    const text = units.text.slice(units.start(index), units.start(end)).replace(/\n$/, '');
    lines.push(
      <div class="read-line" key={index}>
        <span class="read-number" data-number={units.isContinued(index) ? '' : number} />
        <span class="read-line-text" data-from={units.start(index)}>
          {text}
        </span>
      </div>,
    );
    index = end;
  }
  return <div class="read-run">{lines}</div>;
}

function countLinesBefore(units: TextUnits, unit: number): number {
  let lines = 0;
  for (let index = 0; index < unit; index++) if (!units.isContinued(index)) lines++;
  // A piece in the middle of a line belongs to a line that has begun.
  return units.isContinued(unit) ? lines - 1 : lines;
}

function TextGap({ units, from, to, open }: RunProps & { readonly open: () => void }) {
  const lines = useMemo(() => {
    let count = 0;
    for (let index = from; index < to; index++) if (!units.isContinued(index)) count++;
    return count;
  }, [units, from, to]);
  if (lines > 1) return <GapButton hidden={lines} unit="line" open={open} />;
  return <GapButton hidden={units.start(to) - units.start(from)} unit="character" open={open} />;
}

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

/** What of a folded thing is shown; remembered while the page lives. `reveal`: a unit that must be seen. */
export function useSpans(
  key: string,
  units: Units,
  fold: (isAllOpen: boolean) => readonly Span[],
  reveal: number | undefined,
): readonly [spans: readonly Span[], open: (gap: number) => void] {
  const isAllOpen = openness.value.all === true;
  const [, draw] = useState(0);
  const before = spansOf(key) ?? fold(isAllOpen);
  const spans = reveal === undefined ? before : revealUnit(before, units, reveal);
  useStaying(spans === before ? undefined : reveal, () => rememberSpans(key, spans));
  const open = (gap: number): void => {
    rememberSpans(key, openGap(spans, units, gap));
    draw((count) => count + 1);
  };
  return [spans, open];
}
