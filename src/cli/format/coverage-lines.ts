import {
  type AgentCoverage,
  type Column,
  type CoverageReport,
  type CoveredCall,
  cleanLine,
  formatTable,
  momentText,
  pathText,
  plural,
  shortId,
  unnamedText,
} from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import type { TextOptions } from './session-table.ts';

/** `troupe guard coverage` for people. */
export function formatCoverage(report: CoverageReport, options: TextOptions): readonly string[] {
  const { paint } = options;
  const { missed, neverRan, unresolved, unnamed } = report;
  const title = cleanLine(report.title ?? '');
  const head = `${shortId(report.sessionId)}${title === '' ? '' : `  ${title}`}`;
  return [
    paint.dim(cleanLine(head)),
    (missed.length === 0 ? paint.bold : unnamed > 0 ? paint.yellow : paint.red)(coverageText(report)),
    ...agentLines(report.agents, options),
    ...section(missedText(report), missed, options),
    ...section(`Never ran: the host refused ${calls(neverRan.length)} before any hook.`, neverRan, options),
    ...section(
      `Unresolved: ${calls(unresolved.length)} with neither a hook nor a result; nobody knows whether they ran.`,
      unresolved,
      options,
    ),
    ...(unnamed > 0 ? ['', paint.dim(`${unnamedText(unnamed)} See troupe guard log.`)] : []),
  ];
}

/** The answer in one line. */
function coverageText({ ran, heard, unnamed }: CoverageReport): string {
  if (ran === 0) return 'No tool call has run yet';
  return `${heard} of ${plural(ran, 'tool call')} passed a hook${unnamed > 0 ? ' for certain' : ''}`;
}

function missedText({ missed, unnamed }: Pick<CoverageReport, 'missed' | 'unnamed'>): string {
  const whom = calls(missed.length);
  return unnamed > 0 ? `Not proven: no hook named ${whom}.` : `Missed: no hook heard of ${whom}.`;
}

function calls(count: number): string {
  return plural(count, 'call');
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
