import { useLayoutEffect, useRef } from 'preact/hooks';
import { actOfKey } from './acts.ts';
import { MirrorItem } from './mirror-item.tsx';
import { pixels } from './pixels.ts';
import { activeRow, columns, hasFocus, layout, perform, rows, selectedKey, showsFocus, tip } from './race-state.ts';
import { laneOfRow } from './rows.ts';

/**
 * The race as a real tree, one item over each lane: nobody sees it, everybody can use it. Screen readers, the keyboard
 * and tests have it at once, not when the cars have arrived.
 */
export function Mirror() {
  const list = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  const active = useActive();
  // An item that goes takes the focus with it: hand it to the one that stands for it now.
  useLayoutEffect(() => {
    if (!hasFocus.peek() && !wantsFocus.current) return;
    wantsFocus.current = false;
    const item = list.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (item && item !== document.activeElement) item.focus();
  }, [active]);
  // Who comes back to the race later does not want to be pulled into it.
  useLayoutEffect(() => leaveFocus, []);
  return (
    <div
      ref={list}
      class="race-mirror"
      role="tree"
      aria-label="Agents, by how much of their context is used"
      style={pixels({ height: layout.value.height })}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === 'Escape' && tip.peek()) {
          tip.value = undefined;
          event.preventDefault();
        }
        const act = actOfKey(event.key, rows.peek(), active);
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        wantsFocus.current = act.kind !== 'read';
        perform(act);
      }}
      onFocusIn={({ target }) => {
        if (!(target instanceof HTMLElement)) return;
        activeRow.value = target.dataset['row'];
        hasFocus.value = true;
        showsFocus.value = target.matches(':focus-visible');
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && list.current?.contains(relatedTarget)) return;
        leaveFocus();
      }}
    >
      {rows.value.map((row) => (
        <MirrorItem
          key={row.key}
          row={row}
          columns={columns.value}
          isActive={row.key === active}
          isSelected={row.kind === 'lane' && row.key === selectedKey.value}
        />
      ))}
    </div>
  );
}

function leaveFocus(): void {
  hasFocus.value = false;
  showsFocus.value = false;
}

/** The row that the keyboard is on. Where it has gone: its lane, else the one that has come to its place. */
function useActive(): string | undefined {
  const lastAt = useRef(0);
  const all = rows.value;
  const wanted = activeRow.value ?? '';
  const at = all.findIndex(({ key }) => key === wanted);
  if (at >= 0) lastAt.current = at;
  else if (layout.value.places.has(laneOfRow(wanted))) return laneOfRow(wanted);
  return all[Math.min(lastAt.current, all.length - 1)]?.key;
}
