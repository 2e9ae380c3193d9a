import type { Ask } from '../approval.ts';
import { wrapText } from './wrap.ts';

/**
 * All that a call was given, in lines of at most `columns`: who says yes must have been able to see the second line of a
 * command, and the end of a long one.
 */
export function askedLines({ tool, summary, input }: Pick<Ask, 'tool' | 'summary' | 'input'>, columns: number) {
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const main = fields.find(([name, value]) => name === 'command' && typeof value === 'string');
  const first = `${tool ?? '–'} ${main ? main[1] : (summary ?? '')}`;
  const others = fields.filter((field) => field !== main && field[1] !== summary);
  return [first, ...others.map(([name, value]) => `  ${name}: ${textOf(value)}`)].flatMap((text) =>
    wrapText(text, columns),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** At most so many; how many are left out is said in the last one. */
export function cutLines(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const left = lines.length - most + 1;
  return [...lines.slice(0, most - 1), `… ${left} more ${left === 1 ? 'line' : 'lines'}: see troupe guard asks`];
}
