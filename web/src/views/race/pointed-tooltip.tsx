import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { activeRow, columns, rows, showsFocus, size, tip } from './race-state.ts';
import { Tooltip } from './tooltip.tsx';

const REST_MS = 400;

/** The explanation of what the pointer or the keyboard is on. */
export function PointedTooltip({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) {
  const active = showsFocus.value ? activeRow.value : undefined;
  useEffect(() => {
    if (active === undefined) return undefined;
    tip.value = undefined;
    const timer = setTimeout(() => {
      tip.value = { row: active, x: columns.peek().track.from };
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      tip.value = undefined;
    };
  }, [active]);
  const at = tip.value;
  const row = at && rows.value.find(({ key }) => key === at.row);
  if (!at || !row || row.kind === 'earlier') return null;
  const top = row.y - (scroller.current?.scrollTop ?? 0);
  const { width, height } = size.value;
  return (
    <Tooltip row={row} spot={{ x: at.x, top, bottom: top + row.lane.height, viewWidth: width, viewHeight: height }} />
  );
}
