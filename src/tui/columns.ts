import { type Cell, formatCell } from '../core/index.ts';

export type ColumnName =
  | 'status'
  | 'agent'
  | 'type'
  | 'doing'
  | 'model'
  | 'calls'
  | 'context'
  | 'output'
  | 'time'
  | 'last'
  | 'id'
  | 'link';

export interface PlacedColumn {
  readonly name: ColumnName;
  readonly width: number;
}

interface Column {
  readonly name: ColumnName;
  readonly width?: number;
  /** On a screen that is not wide: times without spaces («12m»), types cut off. */
  readonly narrow?: number;
  readonly isRight?: boolean;
}

/**
 * From left to right. Whoever has no width shares what the others leave. The type stands behind what is being done: who is
 * done does nothing, and so has room for a long label.
 */
const COLUMNS: readonly Column[] = [
  { name: 'status', width: 11 },
  { name: 'agent' },
  { name: 'doing' },
  { name: 'type', width: 17, narrow: 8 },
  { name: 'model', width: 20 },
  { name: 'calls', width: 5, isRight: true },
  { name: 'context', width: 9, isRight: true },
  { name: 'output', width: 6, isRight: true },
  { name: 'time', width: 6, narrow: 4, isRight: true },
  { name: 'last', width: 6, narrow: 4, isRight: true },
  { name: 'id', width: 8 },
  { name: 'link', width: 20 },
];

/** Most wanted first; each with the room that «agent» and «doing» must keep between them for it to be shown. */
const WANTED: readonly (readonly [ColumnName, number])[] = [
  ['output', 20],
  ['time', 24],
  ['last', 28],
  ['type', 32],
  ['context', 48],
  ['calls', 60],
  ['model', 62],
  ['id', 64],
  ['link', 64],
];

const WIDE = 120;

export function isNarrow(screen: number): boolean {
  return screen < WIDE;
}

const AGENT_SHARE = 0.57;
const GAP = 2;
/** For the mark of the selected row. */
export const MARGIN = 1;

/** By the width of the screen alone: text that arrives never moves a column. */
export function placeColumns(screen: number): readonly PlacedColumn[] {
  const width = screen - MARGIN;
  // On a sliver of a screen the mark alone tells the status.
  const widths = new Map<ColumnName, number>([['status', width < 36 ? 1 : 11]]);
  let room = width - (widths.get('status') ?? 0) - GAP;
  for (const [name, needed] of WANTED) {
    const column = COLUMNS.find((one) => one.name === name);
    const own = (isNarrow(screen) ? column?.narrow : undefined) ?? column?.width ?? 0;
    if (room - own - GAP < needed) break;
    widths.set(name, own);
    room -= own + GAP;
  }
  if (room >= 24) {
    const agent = Math.ceil((room - GAP) * AGENT_SHARE);
    widths.set('agent', agent);
    widths.set('doing', room - GAP - agent);
  } else widths.set('agent', Math.max(0, room));
  return COLUMNS.flatMap(({ name }) => {
    const own = widths.get(name);
    return own === undefined ? [] : { name, width: own };
  });
}

/** How wide a cell is that goes over all of these, as far as they are shown. They stand side by side. */
export function spanOf(columns: readonly PlacedColumn[], names: readonly ColumnName[]): number {
  const spanned = columns.filter(({ name }) => names.includes(name));
  return spanned.reduce((sum, { width }) => sum + width + GAP, -GAP);
}

/** One line: every cell in its column. A cell may span the columns behind its own, up to the next that has a cell. */
export function formatColumns(
  columns: readonly PlacedColumn[],
  cells: Partial<Readonly<Record<ColumnName, Cell>>>,
): string {
  const parts: string[] = [];
  for (let at = 0; at < columns.length; ) {
    const { name, width } = columns[at] as PlacedColumn;
    let end = at + 1;
    let own = width;
    for (let next = columns[end]; next && cells[next.name] === undefined; next = columns[++end])
      own += GAP + next.width;
    parts.push(formatCell(cells[name] ?? { text: '' }, own, isRight(name) ? 'right' : 'left'));
    at = end;
  }
  return parts.join(' '.repeat(GAP));
}

function isRight(name: ColumnName): boolean {
  return COLUMNS.find((column) => column.name === name)?.isRight === true;
}
