import { Component } from 'preact';
import { plural } from '../../../../src/core/index.ts';
import { nowShown } from '../../store.ts';
import type { Lane } from './block.ts';
import { chipWords } from './chip-text.ts';
import { factsOf } from './facts.ts';
import type { Columns } from './geometry.ts';
import { laneWords } from './lane-words.ts';
import { pixels } from './pixels.ts';
import type { Row } from './rows.ts';

interface ItemProps {
  readonly row: Row;
  readonly columns: Columns;
  /** It takes the focus when the keyboard comes here. */
  readonly isActive: boolean;
  readonly isSelected: boolean;
}

/** One row of the mirror. A thousand of them are asked twenty times a second whether they changed. */
export class MirrorItem extends Component<ItemProps> {
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
