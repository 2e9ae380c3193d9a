import {
  cleanLine,
  type FeedSource,
  type LiveSnapshot,
  type Paint,
  paintMark,
  plural,
  type Standing,
  type WatchView,
  widthOf,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { messageOf, UserError } from '../lib/user-error.ts';
import { fitTo, padTo, type WatchPaint, withoutColours } from './paint.ts';

export interface FrameOptions {
  readonly size: Size;
  readonly now: number;
  readonly paint: WatchPaint;
  readonly source: FeedSource;
  readonly version: string;
  /** Only this session was asked for. */
  readonly session?: string;
}

/** The help sheet: what the keys do, what the marks mean, what is followed. */
export function formatHelp(
  picture: LiveSnapshot | undefined,
  { version, source, size, paint }: FrameOptions,
): readonly string[] {
  const marks = MARKS.map(([standing, means]) => ` ${paintMark(standing, paint)} ${standing.padEnd(9)}  ${means}`);
  const lines = LINES.map(([line, means]) => ` ${line.padEnd(11)}  ${means}`);
  const from = ` troupe ${cleanLine(version)}, from: ${cleanLine(source.text)}`;
  return [
    ...sideBySide(formatKeys(KEYS, paint), [...marks, ...lines], size.columns),
    '',
    paint.dim(from),
    ...followed(picture).map((line) => paint.dim(` ${line}`)),
  ];
}

export function formatKeys(keys: readonly Hint[], paint: Paint): readonly string[] {
  return keys.map(([key, does]) => ` ${paint.bold(key.padEnd(KEY_WIDTH))} ${does}`);
}

const KEY_WIDTH = 10;

const KEYS: readonly Hint[] = [
  ['↑ ↓ j k', 'move'],
  ['pgup pgdn', 'a screen up, down'],
  ['g G', 'first row, last row'],
  ['← → h l', 'fold, unfold'],
  ['←', 'from a leaf: to its parent'],
  ['space z', 'fold, unfold: this, all'],
  ['enter', 'read the transcript'],
  ['/', 'filter; esc clears'],
  ['s S', 'sort: next way, again'],
  ['a', 'hide, show the finished'],
  ['y n', 'a call waits: allow, deny'],
  ['q', 'quit'],
];

const MARKS: readonly (readonly [Standing, string])[] = [
  ['running', 'at work'],
  ['needs you', 'wants a yes or an answer'],
  ['silent', 'at work, silent for long'],
  ['waiting', 'for a sub-agent or a limit'],
  ['idle', 'waits for your next order'],
  ['completed', 'has come to its end'],
  ['failed', 'ended badly, see why'],
  ['stopped', 'was stopped'],
  ['unknown', 'its end is not known'],
];

const LINES: readonly (readonly [string, string])[] = [
  ['├╌  ~', 'strong evidence who asked'],
  ['├┈  ?', 'a guess who asked'],
  ['out', 'tokens it has written'],
  ['time', 'from start to end, or now'],
  ['last', 'for so long without a word'],
];

/** Two columns where both fit, else one below the other. */
function sideBySide(left: readonly string[], right: readonly string[], columns: number): readonly string[] {
  if (columns < 78) return [...left, '', ...right];
  const width = 40;
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    `${padTo(left[row] ?? '', width)}${right[row] ?? ''}`.trimEnd(),
  );
}

function followed(picture: LiveSnapshot | undefined): readonly string[] {
  if (!picture) return [];
  return [...notesOf(picture), ...picture.places.map((place) => `looks in ${cleanLine(place)}`)];
}

/** What is there and not shown, or not understood: never kept quiet. */
export function notesOf({
  sessions,
  olderTotal,
  emptySessions,
  ignoredFiles,
  notices,
}: LiveSnapshot): readonly string[] {
  const problems = sessions.reduce((sum, session) => sum + session.problems, 0);
  return [
    ...notices.map(cleanLine),
    ...(olderTotal > 0 ? [`${plural(olderTotal, 'older session')} not followed: troupe ls`] : []),
    ...(emptySessions > 0 ? [`${plural(emptySessions, 'empty session')} not listed: troupe ls --empty`] : []),
    ...(problems > 0 ? [`${plural(problems, 'problem')} in what was read: troupe tree`] : []),
    ...(ignoredFiles > 0 ? [`${plural(ignoredFiles, 'file')} not known to troupe`] : []),
  ];
}

/** The last line: what is being typed, else what there is to say, else the keys. */
export function formatFooter(view: WatchView, columns: number, paint: Paint): string {
  if (view.isTyping) return formatTyped('filter', view.filter, 'enter keeps it · esc clears it', columns, paint);
  if (view.message !== undefined) return fitTo(` ${paint.yellow(cleanLine(view.message))}`, columns);
  const state = [
    ...(view.filter === '' ? [] : [`filter «${cleanLine(view.filter)}» · esc clears it`]),
    ...(view.hidesFinished ? ['finished hidden'] : []),
  ];
  const keys: readonly Hint[] = [
    ['↑↓', 'move'],
    ['←→', 'fold'],
    ['enter', 'read'],
    ['/', 'filter'],
    ['s', `sort: ${view.sort}`],
    ['a', view.hidesFinished ? 'show finished' : 'hide finished'],
    ['?', 'help'],
    ['q', 'quit'],
  ];
  return formatHints(keys, state, columns, paint);
}

export const HELP_FOOTER = ' any key goes back';

export type Hint = readonly [key: string, does: string];

/** As many as there is room for; how to get help and how to get out stand last, and go last. */
export function formatHints(hints: readonly Hint[], state: readonly string[], columns: number, paint: Paint): string {
  const said = state.map((text) => paint.yellow(text));
  const shown = [...hints];
  const line = (): string =>
    ` ${[...said, ...shown.map(([key, does]) => `${paint.bold(key)} ${paint.dim(does)}`)].join('  ')}`;
  while (shown.length > 2 && widthOf(withoutColours(line())) > columns) shown.splice(shown.length - 3, 1);
  return fitTo(line(), columns);
}

/** What is being typed, its end always in sight. */
export function formatTyped(what: string, text: string, hint: string, columns: number, paint: Paint): string {
  const head = ` ${what}: `;
  const room = columns - head.length - 1;
  const clean = cleanLine(text) + (/\s$/.test(text) ? ' ' : '');
  let shown = [...clean];
  while (shown.length > 0 && widthOf(shown.join('')) > room) shown = shown.slice(1);
  const typed = `${paint.bold(head)}${shown.join('')}▏`;
  const rest = columns - widthOf(withoutColours(typed));
  return fitTo(rest > hint.length + 2 ? `${typed}  ${paint.dim(hint)}` : typed, columns);
}

/** What went wrong, in one line for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof UserError) return `${error.message} ${error.remedy}`;
  return messageOf(error);
}
