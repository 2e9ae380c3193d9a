import { formatCount } from '../index.ts';

const ROW = 80;

/** How long a folded thing is: «214 lines», or in characters where it has hardly any lines. */
export function sizeText(text: string, lines = countLines(text)): string {
  if (lines > 1) return `${formatCount(lines)} lines`;
  return text.length <= ROW ? '1 line' : `${formatCount(text.length)} characters`;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
