import {
  type Ask,
  type AskAnswer,
  askedLines,
  askedText,
  askerText,
  cleanLine,
  cutLines,
  otherwiseText,
  paintMark,
  remainingText,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { fitTo, spread } from './fit.ts';
import type { Hint } from './footer.ts';
import type { WatchPaint } from './paint.ts';

export interface AskBarFacts {
  /** Open ones, oldest first: the first is asked now. */
  readonly asks: readonly Ask[];
  /** Said once, to be said again. */
  readonly chosen?: AskAnswer;
  /** Keys go elsewhere: how to get back. */
  readonly away?: string;
  /** Of the agent that asks. */
  readonly hue: number | null;
  readonly now: number;
}

/** Above and below what is asked about: who, and the keys. */
const AROUND = 2;
/** Rows that the tree needs to be one. */
const TREE_ROWS = 11;

/** How many rows of the screen it takes: as many as the call needs, but a small screen needs them for the tree. */
export function askBarHeight([ask]: readonly Ask[], { rows, columns }: Size): number {
  if (!ask) return 0;
  const room = rows - TREE_ROWS - AROUND;
  if (room < 1) return rows >= 4 ? 1 : 0;
  return AROUND + Math.min(room, linesOf(ask, columns).length);
}

function linesOf(ask: Ask, columns: number): readonly string[] {
  return askedLines(ask, Math.max(8, columns - 3));
}

/** At the bottom of the screen, as long as a call waits: who, what, why, how long, and the keys. */
export function formatAskBar(
  facts: AskBarFacts,
  height: number,
  columns: number,
  paint: WatchPaint,
): readonly string[] {
  const [ask] = facts.asks;
  if (!ask || height === 0) return [];
  const { asks, hue, now } = facts;
  const count = asks.length > 1 ? ` (1 of ${asks.length})` : '';
  const mark = `${paintMark('needs you', paint)} ${paint.bold(paint.yellow(`needs you${count}`))}`;
  const left = `${remainingText(ask, now)}, ${otherwiseText(ask)}`;
  if (height <= AROUND) {
    const keys = facts.chosen === undefined ? 'y allow · n deny' : confirmText(facts.chosen);
    return [spread(` ${mark}  ${askedText(ask)}`, `${facts.away ?? keys}  ${left}`, columns)].map((line) =>
      fitTo(line, columns),
    );
  }
  const lines = [
    spread(` ${mark}  ${paint.agent(hue, askerText(ask))}`, paint.yellow(left), columns),
    ...cutLines(linesOf(ask, columns), height - AROUND).map((line) => `   ${paint.bold(line)}`),
    `   ${keysOf(facts, paint)}  ${paint.dim(whyText(ask))}`,
  ];
  return lines.map((line) => fitTo(line, columns));
}

function keysOf({ chosen, away }: AskBarFacts, paint: WatchPaint): string {
  if (away !== undefined) return paint.dim(away);
  if (chosen !== undefined) return paint.bold(confirmText(chosen));
  return ASK_KEYS.map(([key, does]) => `${paint.bold(key)} ${does}`).join('  ');
}

const ASK_KEYS: readonly Hint[] = [
  ['y', 'allow once'],
  ['n', 'deny'],
];

function confirmText(chosen: AskAnswer): string {
  return chosen === 'allow'
    ? 'Allow it? y again: yes · any other key: no'
    : 'Deny it? n again: yes · any other key: no';
}

function whyText({ rule, reason }: Ask): string {
  return cleanLine(rule === null ? reason : `${reason} (${rule})`);
}
