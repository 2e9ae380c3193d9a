import { cleanLine, type Paint, type WatchView, widthOf } from '../core/index.ts';
import { fitTo, withoutColours } from './fit.ts';

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
