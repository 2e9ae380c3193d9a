import { cutTo, widthOf } from '../core/index.ts';

const COLOURS = /\u001b\[[0-9;]*m/g;

export function withoutColours(line: string): string {
  return line.replace(COLOURS, '');
}

/** Cut to `columns`, colours not counted; what was switched on stays to be switched off. */
export function fitTo(line: string, columns: number): string {
  const text = withoutColours(line);
  if (widthOf(text) <= columns) return line;
  const kept = cutTo(text, columns).replace(/…$/, '');
  let result = '';
  let left = kept.length;
  let isCut = false;
  for (const [index, part] of line.split(/(\u001b\[[0-9;]*m)/).entries()) {
    // Every other part is what the text was split at.
    if (index % 2 === 1) result += part;
    else if (!isCut) {
      result += part.slice(0, left);
      if (part.length > left) {
        isCut = true;
        if (columns > 0) result += '…';
      }
      left -= Math.min(left, part.length);
    }
  }
  return result;
}

/** The left part, and at the right edge the other one, as far as there is room for both. */
export function spread(left: string, right: string, columns: number): string {
  const space = columns - widthOf(withoutColours(left)) - widthOf(withoutColours(right));
  return space < 2 ? fitTo(left, columns) : `${left}${' '.repeat(space)}${right}`;
}

export function padTo(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(withoutColours(line))));
}

/** Exactly so many lines. */
export function fill(lines: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => lines[at] ?? '');
}
