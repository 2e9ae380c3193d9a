import {
  cleanLine,
  formatAge,
  formatMark,
  formatTable,
  outputText,
  type Paint,
  PLAIN,
  plural,
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
  { isEmptyShown = false } = {},
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
  const problems = report.sessions.reduce((sum, session) => sum + session.problems, 0);
  const needs = report.sessions.flatMap(({ id, needsYou }) =>
    needsYou.map(({ label, waitingOn }) => cleanLine(`«${label}» of ${shortId(id, idLength)} ${WAITS[waitingOn]}`)),
  );
  const notes = [
    ...(problems > 0 ? [`${plural(problems, 'problem')} in what these sessions hold: see troupe tree`] : []),
    ...(report.more > 0
      ? [
          `${plural(report.more, 'other session')} not read: show more with -n ${Math.min(report.total, report.sessions.length * 5)}`,
        ]
      : []),
    ...(report.emptySessions > 0 && !isEmptyShown
      ? [`${plural(report.emptySessions, 'empty session')} not listed: show with --empty`]
      : []),
    ...(report.ignoredFiles > 0 ? [`${plural(report.ignoredFiles, 'file')} there not known to troupe`] : []),
  ];
  return [...lines, ...needs, ...notes.map(paint.dim)];
}

function isNeedy({ needsYou }: SessionReport): boolean {
  return needsYou.length > 0;
}

/** Whoever needs the person comes before how the main agent is doing. */
function markOf(session: SessionReport, paint: Paint): string {
  return isNeedy(session) ? paint.bold(formatMark('waiting', false, paint)) : formatMark(session.status, false, paint);
}
