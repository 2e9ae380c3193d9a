import { type Ask, askedLines, askerText, cleanLine, cutTo, otherwiseText, remainingText } from '../../core/index.ts';
import type { TextOptions } from './session-table.ts';

/** So much of an id is enough to answer by. */
export const SHORT_ID = 8;

/** `troupe guard asks` for people: a few lines each, oldest first. */
export function formatAsks(asks: readonly Ask[], { paint, width, now }: TextOptions): readonly string[] {
  const within = (text: string): string => (width === undefined ? text : cutTo(text, width));
  return asks.flatMap((ask, index) => [
    ...(index === 0 ? [] : ['']),
    `${paint.bold(ask.id.slice(0, SHORT_ID))}  ${paint.yellow(`${remainingText(ask, now)} left`)}, ${otherwiseText(ask)}`,
    within(`  ${askerText(ask)}`),
    ...askedLines(ask, (width ?? 200) - 2).map((line) => `  ${line}`),
    paint.dim(within(`  ${cleanLine(ask.reason)}`)),
  ]);
}
