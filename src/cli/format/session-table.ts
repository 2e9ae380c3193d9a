import {
  cleanLine,
  formatAge,
  formatMark,
  formatTable,
  outputText,
  type Paint,
  PLAIN,
  plural,
  type SessionListGroup,
  type SessionReport,
  type SessionsReport,
  shortId,
  uniqueLength,
  WAITS,
} from '../../core/index.ts';
import { known } from '../../lib/json.ts';

export interface TextOptions {
  readonly paint: Paint;
  /** Columns of the terminal; left out where the output is piped, and nothing is cut. */
  readonly width?: number;
  readonly now: number;
}

/** `troupe ls` for people. */
export function formatSessions(
  report: SessionsReport,
  { paint, width, now }: TextOptions,
  { isEmptyShown = false, groups = [] }: { isEmptyShown?: boolean; groups?: readonly SessionListGroup[] } = {},
): readonly string[] {
  const idLength = uniqueLength(report.sessions.map(({ id }) => id));
  const rows = report.sessions.map((session) => [
    { text: markOf(session, PLAIN), paint: () => markOf(session, paint) },
    { text: cleanLine(shortId(session.id, idLength)), paint: paint.dim },
    isNeedy(session)
      ? { text: 'needs you', paint: (text: string) => paint.bold(paint.yellow(text)) }
      : { text: session.status },
    { text: cleanLine(session.project ?? '–'), paint: paint.bold },
    { text: cleanLine(session.title ?? '–') },
    { text: session.running > 0 ? `${session.running}/${session.agents}` : String(session.agents) },
    { text: outputText(session) },
    { text: formatAge(session.lastActivityAt, now) },
    { text: session.host, paint: paint.dim },
  ]);
  const lines = formatTable(
    [
      { title: '' },
      { title: 'session' },
      { title: 'status', dropOrder: 2 },
      { title: 'project', shrinkTo: 8 },
      { title: 'title', shrinkTo: 16 },
      { title: 'agents', align: 'right' },
      { title: 'output', align: 'right', dropOrder: 3 },
      { title: 'last', align: 'right' },
      { title: 'host', dropOrder: 1 },
    ],
    rows,
    { header: paint.dim, ...known({ width }) },
  );
  const table = withHeads(lines, groups, paint);
  const problems = report.sessions.reduce((sum, session) => sum + session.problems, 0);
  const needs = report.sessions.flatMap(({ id, needsYou }) =>
    needsYou.map(({ label, waitingOn }) => cleanLine(`«${label}» of ${shortId(id, idLength)} ${WAITS[waitingOn]}`)),
  );
  const notes = [
    ...(problems > 0 ? [`${plural(problems, 'problem')} in what these sessions hold: see troupe tree`] : []),
    ...(report.more > 0
      ? [`${moreText(report)}: show more with -n ${Math.min(report.total, report.sessions.length * 5)}`]
      : []),
    ...(report.emptySessions > 0 && !isEmptyShown
      ? [`${plural(report.emptySessions, 'empty session')} not listed: show with --empty`]
      : []),
    ...(report.ignoredFiles > 0 ? [`${plural(report.ignoredFiles, 'file')} there not known to troupe`] : []),
  ];
  return [...table, ...needs, ...notes.map(paint.dim)];
}

function moreText({ more, matching }: SessionsReport): string {
  return matching === undefined
    ? `${plural(more, 'other session')} not read`
    : `${plural(more, 'more session matches', 'more sessions match')}`;
}

/** The first line is the head of the table; each group begins with its name. */
function withHeads(lines: readonly string[], groups: readonly SessionListGroup[], paint: Paint): readonly string[] {
  if (groups.every(({ kind }) => kind === 'all')) return lines;
  const [head = '', ...rows] = lines;
  const table = [head];
  for (const { kind, name, count } of groups) {
    if (rows.length === 0) break;
    const title = kind === 'at-work' ? 'At work' : (name ?? (kind === 'day' ? 'No time known' : 'No project known'));
    table.push('', paint.bold(`${cleanLine(title)} (${count})`), ...rows.splice(0, count));
  }
  return table;
}

function isNeedy({ needsYou }: SessionReport): boolean {
  return needsYou.length > 0;
}

/** Whoever needs the person comes before how the main agent is doing. */
function markOf(session: SessionReport, paint: Paint): string {
  return isNeedy(session) ? paint.bold(formatMark('waiting', false, paint)) : formatMark(session.status, false, paint);
}
