import { Component } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { plural } from '../../../../src/core/index.ts';
import { nowShown } from '../../store.ts';
import { actOfKey } from './acts.ts';
import type { Lane } from './block.ts';
import { factsOf } from './facts.ts';
import { type Columns, pixels } from './geometry.ts';
import { chipWords, laneWords } from './lane-words.ts';
import { laneOfRow, type Row } from './layout.ts';
import { activeRow, columns, hasFocus, layout, perform, rows, selectedKey, showsFocus, tip } from './race-state.ts';

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

interface ItemProps {
  readonly row: Row;
  readonly columns: Columns;
  /** It takes the focus when the keyboard comes here. */
  readonly isActive: boolean;
  readonly isSelected: boolean;
}

/** One row of the mirror. A thousand of them are asked twenty times a second whether they changed. */
class MirrorItem extends Component<ItemProps> {
  override shouldComponentUpdate(next: ItemProps): boolean {
    return !isSame(this.props, next);
  }

  override render() {
    return itemOf(this.props);
  }
}

function isSame(a: ItemProps, b: ItemProps): boolean {
  return (
    isSameRow(a.row, b.row) && a.isActive === b.isActive && a.isSelected === b.isSelected && a.columns === b.columns
  );
}

function isSameRow(a: Row, b: Row): boolean {
  if (a.y !== b.y) return false;
  if (a.kind === 'earlier') return b.kind === 'earlier' && a.count === b.count && a.isOpen === b.isOpen;
  return b.kind === a.kind && a.lane === b.lane;
}

function itemOf({ row, columns, isActive, isSelected }: ItemProps) {
  const tabIndex = isActive ? 0 : -1;
  switch (row.kind) {
    case 'lane':
      return <LaneItem row={row.key} lane={row.lane} y={row.y} tabIndex={tabIndex} isSelected={isSelected} />;
    case 'chip':
      return (
        <div
          role="treeitem"
          tabIndex={tabIndex}
          data-row={row.key}
          data-chip={row.chip.kind}
          data-count={row.chip.tally.agents}
          data-of={row.lane.agent.id}
          aria-level={row.lane.depth + 2}
          aria-expanded={row.chip.isOpen}
          style={pixels({
            top: row.y,
            height: row.lane.height,
            left: columns.chip.from,
            width: columns.chip.to - columns.chip.from,
          })}
        >
          {chipWords(row.chip)}
        </div>
      );
    case 'earlier':
      return (
        <div
          role="treeitem"
          tabIndex={tabIndex}
          data-row={row.key}
          data-count={row.count}
          aria-level={1}
          aria-expanded={row.isOpen}
          style={pixels({ top: row.y, height: columns.heights.earlier })}
        >
          {plural(row.count, 'earlier session')}
        </div>
      );
  }
}

interface LaneItemProps {
  readonly row: string;
  readonly lane: Lane;
  readonly y: number;
  readonly tabIndex: number;
  readonly isSelected: boolean;
}

function LaneItem({ row, lane, y, tabIndex, isSelected }: LaneItemProps) {
  const { agent, depth, fold, height } = lane;
  const { standing, position, tool } = factsOf(agent);
  return (
    <div
      role="treeitem"
      tabIndex={tabIndex}
      data-row={row}
      data-agent={agent.id}
      data-session={agent.sessionId}
      data-status={standing}
      data-position={position.kind === 'share' ? (position.share * 100).toFixed(1) : ''}
      data-tokens={agent.contextTokens ?? ''}
      data-tool={tool}
      data-depth={depth}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={fold === 'leaf' ? undefined : fold === 'open'}
      style={pixels({ top: y, height })}
    >
      {laneWords(lane, nowShown.peek())}
    </div>
  );
}
