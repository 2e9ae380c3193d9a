import {
  type AgentReport,
  cleanLine,
  cutTo,
  type FeedSource,
  paintMark,
  paintWord,
  standingOf,
  typeText,
  watchedDoing,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { formatHints, formatKeys, formatTyped, HELP_FOOTER, type Hint } from './help.ts';
import { fill, fitTo, padTo, spread, type WatchPaint, withoutColours } from './paint.ts';

/** A transcript on the whole screen. */
export interface ReaderView {
  /** All of it, formatted; nothing yet while it is read for the first time. */
  readonly lines?: readonly string[];
  readonly top: number;
  /** Long things are not folded. */
  readonly isFull: boolean;
  readonly find: string;
  readonly isTyping: boolean;
  /** The line that was found. */
  readonly hit?: number;
  readonly showsHelp: boolean;
  readonly message?: string;
}

export const FIRST_READER: ReaderView = { top: 0, isFull: false, find: '', isTyping: false, showsHelp: false };

interface ReaderOptions {
  readonly size: Size;
  readonly now: number;
  readonly paint: WatchPaint;
  readonly agent: AgentReport;
  /** Of its session: what a main agent is called. */
  readonly project: string;
  readonly source: FeedSource;
}

/** Exactly as many lines as the screen has rows, none wider than it. */
export function formatReader(view: ReaderView, options: ReaderOptions): readonly string[] {
  const { size, paint } = options;
  const { columns } = size;
  const height = readerHeight(size);
  const screen = [
    ...(size.rows >= 2 ? [headOf(view, options, height)] : []),
    ...fill(view.showsHelp ? ['', ...formatKeys(KEYS, paint)] : bodyOf(view, height, columns, paint), height),
    ...(size.rows >= 3 ? [view.showsHelp ? HELP_FOOTER : footOf(view, options, height)] : []),
  ];
  return screen.map((line) => fitTo(line, columns));
}

const KEYS: readonly Hint[] = [
  ['↑ ↓ j k', 'a line up, down'],
  ['pgup pgdn', 'a screen up, down; also b and space'],
  ['g G', 'the beginning; the end, and follow what is written'],
  ['/', 'find a word; enter keeps it, esc clears it'],
  ['n N', 'the next, the previous place that has it'],
  ['f', 'unfold long things, and fold them again'],
  ['← h q esc', 'back to the tree'],
  ['ctrl-l', 'draw the screen again'],
  ['ctrl-c', 'quit'],
];

function bodyOf(view: ReaderView, height: number, columns: number, paint: WatchPaint): readonly string[] {
  const lines = view.lines?.slice(view.top, view.top + height) ?? ['', 'Reading …'];
  return lines.map((line, at) =>
    view.top + at === view.hit ? paint.bar(padTo(fitTo(`›${withoutColours(line)}`, columns), columns)) : ` ${line}`,
  );
}

export function readerHeight({ rows }: Size): number {
  return rows - (rows >= 3 ? 2 : rows >= 2 ? 1 : 0);
}

/** Columns that the text of a transcript may take. */
export function readerWidth({ columns }: Size): number {
  return Math.max(24, columns - 1);
}

function headOf(view: ReaderView, { agent, project, size, paint, now }: ReaderOptions, height: number): string {
  const standing = standingOf(agent);
  const name = agent.kind === 'main' ? cleanLine(project) : cleanLine(agent.label);
  const type = agent.kind === 'main' ? 'main agent' : cleanLine(typeText(agent));
  const label = cutTo(name, Math.max(8, Math.floor(size.columns * 0.4)));
  const left = [
    `${paint.dim('‹')} ${paint.bold(paint.agent(agent.hue, label))}`,
    paint.dim(cutTo(type, 20)),
    `${paintMark(standing, paint)} ${paintWord(standing, standing, paint)}`,
    cutTo(cleanLine(watchedDoing(agent, now)), Math.max(0, Math.floor(size.columns * 0.25))),
  ];
  const place = placeText(view, height);
  const room = Math.max(MIN_HEAD, size.columns - place.length - 2);
  return spread(fitTo(left.filter((part) => part !== '').join('  '), room), paint.dim(place), size.columns);
}

const MIN_HEAD = 30;

function placeText({ lines, top }: ReaderView, height: number): string {
  if (!lines) return '';
  const last = Math.min(lines.length, top + height);
  return `${last === lines.length ? 'end, ' : ''}line ${last} of ${lines.length}`;
}

function footOf(view: ReaderView, { size: { columns }, paint, source }: ReaderOptions, height: number): string {
  if (view.isTyping) return formatTyped('find', view.find, 'enter keeps it · esc clears it', columns, paint);
  if (view.message !== undefined) return fitTo(` ${paint.yellow(cleanLine(view.message))}`, columns);
  const isAtEnd = view.lines !== undefined && view.top + height >= view.lines.length;
  const state = [
    ...(source.isLost ? [`⚠ ${cleanLine(source.text)}`] : []),
    ...(view.find === '' ? [] : [`found «${cutTo(cleanLine(view.find), 20)}»`]),
  ];
  return formatHints(
    [
      ['↑↓', 'scroll'],
      ['/', 'find'],
      ...(view.find === '' ? [] : [['n N', 'next, previous'] as const]),
      ['f', view.isFull ? 'fold long things' : 'unfold long things'],
      isAtEnd ? ['g', 'beginning'] : ['G', 'end, and follow'],
      ['?', 'help'],
      ['←', 'back'],
    ],
    state,
    columns,
    paint,
  );
}
