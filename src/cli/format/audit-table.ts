import {
  type AuditDecision,
  type AuditEntry,
  type AuditPage,
  type Cell,
  type Column,
  callerText,
  cleanLine,
  cutTo,
  formatCell,
  formatTable,
  heldText,
  momentText,
  type Paint,
  plural,
  widthOf,
} from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import type { TextOptions } from './session-table.ts';

/** `troupe guard log` for people, oldest first. */
export function formatAuditPage({ entries, hasMore, badLines }: AuditPage, options: TextOptions): readonly string[] {
  const { paint, width } = options;
  const rows = entries.map((entry) => cellsOf(entry, options));
  const lines = formatTable(COLUMNS, rows, { header: paint.dim, ...known({ width }) });
  const notes = [
    ...(hasMore ? [`There are older ones: show more with -n ${entries.length * 5}`] : []),
    ...(badLines > 0 ? [`${plural(badLines, 'line')} could not be read: see troupe guard log --verify`] : []),
  ];
  return [...lines, ...notes.map(paint.dim)];
}

/** One line of `--follow`: its columns stand where those of the line before stood, whatever comes. */
export function formatAuditLine(entry: AuditEntry, options: TextOptions): string {
  const [time, agent, tool, summary, decision, ms] = cellsOf(entry, options);
  const { answeredBy } = entry;
  const { width } = options;
  const start: readonly (readonly [Cell | undefined, number])[] = [
    [time, widthOf(time?.text ?? '')],
    [decision && { ...decision, text: entry.decision }, DECISION_WIDTH],
    [ms, MS_WIDTH],
    [agent, width === undefined ? Math.max(PIPED_AGENT_WIDTH, widthOf(agent?.text ?? '')) : agentWidth(width)],
    [tool, TOOL_WIDTH],
  ];
  const text = start.map(([cell = NO_CELL, columns]) => formatCell(cell, columns, 'left')).join('  ');
  const used = start.reduce((sum, [, columns]) => sum + columns + 2, 0);
  const rest = `${answeredBy === undefined ? '' : `(${answeredBy}) `}${summary?.text ?? ''}`;
  return `${text}  ${width === undefined ? rest : cutTo(rest, Math.max(0, width - used))}`.trimEnd();
}

const NO_CELL: Cell = { text: '' };
const DECISION_WIDTH = 'observed'.length;
const MS_WIDTH = 5;
const TOOL_WIDTH = 10;
/** Where nothing is cut, most lines still stand in columns. */
const PIPED_AGENT_WIDTH = 40;

const COLUMNS: readonly Column[] = [
  { title: 'time', dropOrder: 2 },
  { title: 'agent', shrinkTo: 12 },
  { title: 'tool', shrinkTo: 6, dropOrder: 3 },
  { title: 'what', shrinkTo: 16 },
  { title: 'decision' },
  { title: 'ms', align: 'right', dropOrder: 1 },
];

function cellsOf(entry: AuditEntry, { paint, width, now }: TextOptions): readonly Cell[] {
  const { agent, decision } = entry;
  const caller = callerText(agent);
  return [
    { text: momentText(entry.at, now), paint: paint.dim },
    {
      text: width === undefined || agent.who === 'unknown' ? caller : keepEnd(caller, agentWidth(width)),
      paint: agent.who === 'unknown' ? paint.yellow : paint.bold,
    },
    { text: cleanLine(entry.tool ?? '–') },
    { text: cleanLine(entry.summary ?? '') },
    { text: decisionText(entry), paint: decisionPaint(paint, decision) },
    { text: heldText(entry), paint: paint.dim },
  ];
}

/** Who answered, where a person was asked by troupe. */
function decisionText({ decision, answeredBy }: AuditEntry): string {
  return answeredBy === undefined ? decision : `${decision} (${answeredBy})`;
}

function agentWidth(width: number): number {
  return Math.max(12, Math.floor(width / 3));
}

/** The last name tells most: where a path is too long, its beginning goes. */
function keepEnd(path: string, columns: number): string {
  let rest = path;
  while (widthOf(rest) > columns) {
    const [, next] = /^(?:… › )?.*? › (.+)$/.exec(rest) ?? [];
    if (next === undefined) return cutTo(rest, columns);
    rest = `… › ${next}`;
    if (!next.includes(' › ') && widthOf(rest) > columns) return cutTo(next, columns);
  }
  return rest;
}

function decisionPaint(paint: Paint, decision: AuditDecision): (text: string) => string {
  if (decision === 'deny') return paint.red;
  if (decision === 'ask') return paint.yellow;
  return decision === 'allow' ? paint.green : paint.dim;
}
