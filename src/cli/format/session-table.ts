import {
  cleanLine,
  formatAge,
  formatBytes,
  formatMark,
  formatTable,
  outputText,
  type Paint,
  PLAIN,
  type PruneReport,
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
      ? [
          `${moreText(report)}: show more with -n ${Math.min(report.total, report.sessions.length * 5)}, or all with --all`,
        ]
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
    ? `${plural(more, 'other session')} not listed`
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

/** `troupe prune` for people: what there is, or what would be deleted. `isAsking`: the question follows. */
export function formatPrune(report: PruneReport, options: TextOptions, isAsking = false): readonly string[] {
  return report.olderThan === null ? formatSpace(report, options) : formatPlan(report, options, isAsking);
}

function formatSpace(
  { sessions, files, bytes, groups }: PruneReport,
  { paint, width }: TextOptions,
): readonly string[] {
  const rows = groups.map((group) => [
    { text: formatBytes(group.bytes) },
    { text: String(group.sessions) },
    { text: AGES[group.age] },
    { text: cleanLine(group.project ?? '–'), paint: paint.bold },
    { text: group.hostTitle, paint: paint.dim },
  ]);
  const table = formatTable(
    [
      { title: 'size', align: 'right' },
      { title: 'sessions', align: 'right' },
      { title: 'last active' },
      { title: 'project', shrinkTo: 8 },
      { title: 'host', dropOrder: 1 },
    ],
    rows,
    { header: paint.dim, ...known({ width }) },
  );
  const total = `${formatBytes(bytes)} in ${plural(sessions, 'session')}, ${plural(files, 'file')}`;
  const hint = sessions === 0 ? [] : [paint.dim('To see what could be deleted: troupe prune --older-than 90d')];
  return [...(sessions === 0 ? [] : table), total, ...hint];
}

const AGES: Readonly<Record<PruneReport['groups'][number]['age'], string>> = {
  '7 days': 'in the last 7 days',
  '30 days': '7 to 30 days ago',
  '90 days': '30 to 90 days ago',
  '1 year': '90 days to a year ago',
  older: 'over a year ago',
};

function formatPlan(
  { chosen, kept, isDeleted }: PruneReport,
  { paint, now }: TextOptions,
  isAsking: boolean,
): readonly string[] {
  const idLength = uniqueLength([...chosen, ...kept].map(({ id }) => id));
  const head = ({ id, project, title, hostTitle, lastActivityAt, bytes }: PruneReport['kept' | 'chosen'][number]) => {
    const about = [project, hostTitle, formatAge(lastActivityAt, now), formatBytes(bytes)];
    const rest = about.flatMap((one) => (one === null ? [] : cleanLine(one))).join(' · ');
    return `${paint.dim(shortId(id, idLength))}  ${paint.bold(cleanLine(title ?? '–'))}  ${paint.dim(rest)}`;
  };
  const bytes = chosen.reduce((sum, one) => sum + one.bytes, 0);
  const files = chosen.reduce((sum, one) => sum + one.files, 0);
  const total = `${plural(chosen.length, 'session')}, ${plural(files, 'file')}, ${formatBytes(bytes)}`;
  return [
    ...chosen.flatMap((one) => [head(one), ...one.paths.map((place) => `    ${cleanLine(place)}`)]),
    ...(kept.length > 0 ? ['', paint.bold(`Kept (${kept.length})`)] : []),
    ...kept.flatMap((one) => [head(one), `    ${cleanLine(one.reason)}`]),
    ...(chosen.length > 0 || kept.length > 0 ? [''] : []),
    chosen.length === 0 ? 'There is nothing to delete.' : `${isDeleted ? 'Deleted' : 'To delete'}: ${total}`,
    ...(chosen.length > 0 && !isDeleted && !isAsking
      ? [paint.dim('To delete them, add --delete: it asks first.')]
      : []),
  ];
}
