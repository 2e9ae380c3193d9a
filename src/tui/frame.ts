import {
  agentsOf,
  cleanLine,
  clockText,
  countStandings,
  cutTo,
  glanceAt,
  isBusy,
  type LiveSnapshot,
  type Paint,
  PLAIN,
  paintMark,
  paintWord,
  plural,
  type Standing,
  type WatchView,
  widthOf,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { cellsOf, formatColumns, isNarrow, MARGIN, type PlacedColumn, placeColumns, spanOf } from './columns.ts';
import { type FrameOptions, formatFooter, formatHelp, HELP_FOOTER, notesOf } from './help.ts';
import { fill, fitTo, padTo, spread, type WatchPaint, withoutColours } from './paint.ts';
import type { WatchRow } from './rows.ts';

/** The whole screen: exactly as many lines as it has rows, none wider than it. */
export function formatFrame(
  picture: LiveSnapshot | undefined,
  rows: readonly WatchRow[],
  view: WatchView,
  options: FrameOptions,
): readonly string[] {
  const { size, paint } = options;
  const { header, titles, body, footer } = planOf(size);
  const content = view.showsHelp
    ? formatHelp(picture, options)
    : rows.length === 0
      ? formatEmpty(picture, view, options)
      : formatBody(picture, rows, view, body, options);
  const isTable = !view.showsHelp && rows.length > 0;
  const lines = [
    ...(header ? [formatHeader(picture, options)] : []),
    ...(titles ? [isTable ? formatTitles(outOfSight(rows, view, body), size.columns, paint) : ''] : []),
    ...fill(content, body),
    ...(footer ? [view.showsHelp ? HELP_FOOTER : formatFooter(view, size.columns, paint)] : []),
  ];
  return lines.map((line) => fitTo(line, size.columns));
}

/** How the rows of the screen are shared out. The rows of the tree come first. */
export function planOf({ rows }: Size) {
  const header = rows >= 2;
  const footer = rows >= 3;
  const titles = rows >= 8;
  return { header, titles, footer, body: rows - Number(header) - Number(footer) - Number(titles) };
}

function formatTitles(more: string, columns: number, paint: WatchPaint): string {
  const titles = Object.fromEntries(
    placeColumns(columns).map(({ name }) => [name, { text: name === 'output' ? 'out' : name, paint: paint.dim }]),
  );
  const agent = { text: `agent${more}`, paint: (text: string) => paint.dim(text.slice(0, 5)) + text.slice(5) };
  return ' '.repeat(MARGIN) + formatColumns(placeColumns(columns), { ...titles, agent });
}

/** How many rows there are above and below the window. */
function outOfSight(rows: readonly WatchRow[], { top }: WatchView, height: number): string {
  const below = rows.length - top - height;
  return `${top > 0 ? `  ↑ ${top}` : ''}${below > 0 ? `  ↓ ${below}` : ''}`;
}

function formatBody(
  picture: LiveSnapshot | undefined,
  rows: readonly WatchRow[],
  view: WatchView,
  height: number,
  options: FrameOptions,
): readonly string[] {
  const columns = placeColumns(options.size.columns);
  const lines = rows.slice(view.top, view.top + height).map((row) => formatRow(row, columns, view, options));
  // Below the last row, where nothing else wants the room.
  const notes = picture ? ['', ...notesOf(picture)] : [];
  return [...lines, ...notes.map((note) => options.paint.dim(` ${note}`))];
}

function formatRow(
  row: WatchRow,
  columns: readonly PlacedColumn[],
  view: WatchView,
  { size, now, paint }: FrameOptions,
): string {
  const isSelected = row.key === view.selected;
  const cells = cellsOf(row, {
    // One bar, not a patchwork of the colours of its cells.
    paint: isSelected ? PLAIN : paint,
    now,
    headWidth: spanOf(columns, ['agent', 'doing', 'type']),
    isNarrow: isNarrow(size.columns),
    isMarkOnly: columns[0]?.width === 1,
    hasLast: columns.some(({ name }) => name === 'last'),
  });
  const line = formatColumns(columns, cells);
  return isSelected ? paint.bar(fitTo(padTo(`›${line}`, size.columns), size.columns)) : ` ${line}`;
}

/** The answer at a glance: how many work, does one need the person, is one stuck. */
function formatHeader(picture: LiveSnapshot | undefined, { source, now, size, paint }: FrameOptions): string {
  const { urgent, others } = picture ? formatCounts(picture, paint) : { urgent: [], others: [] };
  // What is lost comes before everything else: all the rest may be old.
  const lost = source.isLost ? [paint.bold(paint.yellow(`⚠ ${cleanLine(source.text)}`))] : [];
  const isReading = picture?.isComplete === false;
  const clock = clockText(now);
  const from = source.isLost ? [] : [cleanLine(source.text)];
  const where = [...(isReading ? ['still reading'] : []), ...from, clock].join(' · ');
  return longest({ urgent: [...lost, ...urgent], others }, paint.bold('troupe'), [where, clock], size.columns, paint);
}

interface Counts {
  readonly urgent: readonly string[];
  readonly others: readonly string[];
}

/** Where it is narrow: first the source goes, then what is not urgent, then the clock, then our name. */
function longest({ urgent, others }: Counts, name: string, rights: readonly string[], columns: number, paint: Paint) {
  const clock = rights.at(-1) ?? '';
  const choices: readonly (readonly [left: readonly string[], right: string])[] = [
    ...rights.map((right) => [[name, ...urgent, ...others], right] as const),
    ...others.map((_, at) => [[name, ...urgent, ...others.slice(0, others.length - at - 1)], clock] as const),
    [[name, ...urgent], ''],
    [urgent, ''],
  ];
  const fits = ([left, right]: (typeof choices)[number]): boolean =>
    widthOf(withoutColours(left.join('  '))) + (right === '' ? 0 : right.length + 2) <= columns;
  const [left, right] = choices.find(fits) ?? [urgent, ''];
  return spread(left.join('  '), paint.dim(right), columns);
}

function formatCounts(picture: LiveSnapshot, paint: Paint): Counts {
  const say = (standing: Standing, text: string): string =>
    `${paintMark(standing, paint)} ${paintWord(standing, text, paint)}`;
  const urgent = glanceAt(picture).map(({ standing, count, word }) => say(standing, `${count} ${word}`));
  const counts = countStandings(picture.sessions.flatMap(agentsOf));
  const others = ENDED.flatMap(([standing, word]) => {
    const count = counts.get(standing);
    return count === undefined ? [] : say(standing, `${count} ${word}`);
  });
  const isCalm = urgent.length === 0 && picture.isComplete;
  return { urgent: isCalm ? [paint.dim('nobody at work')] : urgent, others };
}

/** Those not at work, from left to right. */
const ENDED: readonly (readonly [Standing, string])[] = [
  ['failed', 'failed'],
  ['completed', 'done'],
  ['stopped', 'stopped'],
  ['unknown', 'unknown'],
  ['idle', 'idle'],
];

/** Instead of rows, where there is none: what is the matter, and what to do. */
function formatEmpty(picture: LiveSnapshot | undefined, view: WatchView, options: FrameOptions): readonly string[] {
  const [head = '', ...rest] = textOf(picture, view, options);
  return ['', `  ${options.paint.bold(head)}`, '', ...rest.map((line) => `  ${line}`)];
}

function textOf(
  picture: LiveSnapshot | undefined,
  view: WatchView,
  { source, session }: FrameOptions,
): readonly string[] {
  if (!picture) return ['Waiting for the first picture.', `It comes from: ${cleanLine(source.text)}`];
  const older = picture.olderTotal > 0 ? [`${plural(picture.olderTotal, 'older session')}: troupe ls`] : [];
  if (picture.sessions.length === 0) {
    const places = picture.places.map((place) => `  ${cleanLine(place)}`);
    if (!picture.isComplete) return ['Still reading.', 'Looking in:', ...places];
    if (session !== undefined) return unknownSession(picture, session);
    return [
      'No session here yet.',
      'Looked in:',
      ...(places.length > 0 ? places : ['  nowhere: no data folder of a host was found']),
      '',
      'Start a coding agent in any project, and it appears here by itself.',
      'To see what it looks like: troupe watch --demo',
      ...older,
    ];
  }
  if (view.filter !== '')
    return [`Nothing matches «${cutTo(cleanLine(view.filter), 40)}».`, 'Press esc to clear the filter.'];
  const hidden = picture.sessions.flatMap(agentsOf).filter((agent) => !isBusy(agent)).length;
  return ['Nobody is at work.', `${plural(hidden, 'finished agent')} hidden: press a to see them.`];
}

function unknownSession({ older, places }: LiveSnapshot, session: string): readonly string[] {
  const wanted = cutTo(cleanLine(session), 40);
  if (older.some(({ id }) => id.startsWith(session)))
    return [
      `Session «${wanted}» is one of the older ones, and not followed.`,
      `Look at it with: troupe tree ${wanted}`,
    ];
  return [
    `No session begins with «${wanted}».`,
    'Looked in:',
    ...places.map((place) => `  ${cleanLine(place)}`),
    '',
    'It appears here as soon as it is there. See all of them: troupe ls',
  ];
}
