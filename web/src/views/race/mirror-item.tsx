import { Component } from 'preact';
import {
  type AgentReport,
  contextPercent,
  formatCount,
  linkText,
  plural,
  runsText,
} from '../../../../src/core/index.ts';
import { nowShown } from '../../store.ts';
import { chipWords, type Lane } from './block.ts';
import { factsOf, sayingOf } from './facts.ts';
import type { Columns } from './geometry.ts';
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

/** Lengths for a style: Preact adds no unit by itself. */
export function pixels<Name extends string>(lengths: Readonly<Record<Name, number>>): Record<Name, string> {
  const named = Object.entries<number>(lengths).map(([name, length]) => [name, `${length}px`]);
  return Object.fromEntries(named);
}

/** A lane in words, whole: for those who do not see it, and for tests. */
export function laneWords(lane: Lane, now: number): string {
  const { agent, name, project, depth } = lane;
  const { type, model } = factsOf(agent);
  return [
    `${name}${runsText(agent)}`,
    depth === 0 ? 'session' : `sub-agent, level ${depth}`,
    project,
    type,
    model,
    statusWords(agent, now),
    contextWords(agent),
    belowWords(lane),
    linkText(agent),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** How it stands and what it does; the status is not said twice. */
export function statusWords(agent: AgentReport, now: number): string {
  const { standing, status } = factsOf(agent);
  const saying = sayingOf(agent, now);
  if (saying === '') return status;
  if (standing === 'running') return `running: ${saying}`;
  return standing === 'silent' && agent.lastActivityAt === null ? `silent: ${saying}` : saying;
}

export function contextWords(agent: AgentReport): string {
  const { contextTokens, contextWindow, compactions } = agent;
  const again = compactions > 0 ? `, ${plural(compactions, 'compaction')}` : '';
  if (contextTokens === null) return `context not known${again}`;
  const tokens = `${formatCount(contextTokens)} tokens`;
  if (contextWindow === null) return `${tokens}, window not known${again}`;
  return `${contextPercent(agent)} % of the context, ${tokens} of ${formatCount(contextWindow)}${again}`;
}

export function belowWords({ below: { agents, busy } }: Lane): string {
  if (agents === 0) return '';
  return `${busy} of ${plural(agents, 'sub-agent')} at work`;
}
