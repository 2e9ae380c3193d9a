import {
  type AgentCoverage,
  type AuditDecision,
  type AuditEntry,
  type AuditPage,
  type Cell,
  type Column,
  type CoverageReport,
  type CoveredCall,
  cleanLine,
  cutTo,
  doubtedText,
  entryCallerText,
  formatCell,
  formatTable,
  gapsText,
  heldText,
  momentText,
  type Paint,
  pathText,
  plural,
  shortId,
  unnamedText,
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
  const { agent, decision, answeredBy } = entry;
  const caller = entryCallerText(entry);
  return [
    { text: momentText(entry.at, now), paint: paint.dim },
    {
      text: width === undefined || agent.who === 'unknown' ? caller : keepEnd(caller, agentWidth(width)),
      paint: agent.who === 'unknown' ? paint.yellow : paint.bold,
    },
    { text: cleanLine(entry.tool ?? '–') },
    { text: cleanLine(entry.summary ?? '') },
    // Who answered, if troupe asked a person.
    {
      text: answeredBy === undefined ? decision : `${decision} (${answeredBy})`,
      paint: decisionPaint(paint, decision),
    },
    { text: heldText(entry), paint: paint.dim },
  ];
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
  if (decision === 'ask' || decision === 'inject') return paint.yellow;
  return decision === 'allow' ? paint.green : paint.dim;
}

/** `troupe guard coverage` for people. */
export function formatCoverage(report: CoverageReport, options: TextOptions): readonly string[] {
  const { paint } = options;
  const { missed, neverRan, unresolved, unnamed, doubted, gaps } = report;
  const title = cleanLine(report.title ?? '');
  const head = `${shortId(report.sessionId)}${title === '' ? '' : `  ${title}`}`;
  return [
    paint.dim(cleanLine(head)),
    (missed.length === 0 ? paint.bold : unnamed > 0 ? paint.yellow : paint.red)(coverageText(report)),
    ...agentLines(report.agents, options),
    ...section(missedText(report), missed, options),
    ...section(`Never ran: the host refused ${plural(neverRan.length, 'call')} before any hook.`, neverRan, options),
    ...section(
      `Unresolved: ${plural(unresolved.length, 'call')} with neither a hook nor a result; nobody knows whether they ran.`,
      unresolved,
      options,
    ),
    ...(doubted > 0 ? ['', paint.yellow(`${doubtedText(doubted)} See troupe guard log.`)] : []),
    ...(gaps > 0 ? ['', paint.yellow(`${gapsText(gaps)} See troupe guard log.`)] : []),
    ...(unnamed > 0 ? ['', paint.dim(`${unnamedText(unnamed)} See troupe guard log.`)] : []),
  ];
}

/** The answer in one line. */
function coverageText({ ran, heard, unnamed }: CoverageReport): string {
  if (ran === 0) return 'No tool call has run yet';
  return `${heard} of ${plural(ran, 'tool call')} passed a hook${unnamed > 0 ? ' for certain' : ''}`;
}

function missedText({ missed, unnamed }: CoverageReport): string {
  const whom = plural(missed.length, 'call');
  return unnamed > 0 ? `Not proven: no hook named ${whom}.` : `Missed: no hook heard of ${whom}.`;
}

function agentLines(agents: readonly AgentCoverage[], { paint, width }: TextOptions): readonly string[] {
  if (agents.length === 0) return [];
  const rows = agents.map(({ path, type, ran, heard }) => [
    { text: `${heard} of ${ran}`, paint: heard < ran ? paint.red : paint.green },
    { text: pathText(path), paint: paint.bold },
    { text: cleanLine(type ?? ''), paint: paint.dim },
  ]);
  return ['', ...formatTable(AGENT_COLUMNS, rows, { header: paint.dim, ...known({ width }) })];
}

const AGENT_COLUMNS: readonly Column[] = [
  { title: 'heard', align: 'right' },
  { title: 'agent', shrinkTo: 12 },
  { title: 'type', dropOrder: 1 },
];

function section(title: string, list: readonly CoveredCall[], { paint, width, now }: TextOptions): readonly string[] {
  if (list.length === 0) return [];
  const rows = list.map(({ at, path, tool, summary, reason }) => [
    { text: momentText(at, now), paint: paint.dim },
    { text: pathText(path), paint: paint.bold },
    { text: cleanLine(tool ?? '–') },
    { text: cleanLine(summary ?? '') },
    { text: reason === null ? '' : `«${cleanLine(reason)}»`, paint: paint.yellow },
  ]);
  return ['', paint.bold(title), ...formatTable(CALL_COLUMNS, rows, { header: paint.dim, ...known({ width }) })];
}

const CALL_COLUMNS: readonly Column[] = [
  { title: 'time', dropOrder: 1 },
  { title: 'agent', shrinkTo: 12 },
  { title: 'tool', shrinkTo: 6, dropOrder: 2 },
  { title: 'what', shrinkTo: 12 },
  { title: "the host's words", shrinkTo: 12, dropOrder: 3 },
];
