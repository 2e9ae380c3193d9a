import { cleanLine } from './clean-text.ts';
import { widthOf } from './width.ts';

/** Lines of at most `columns`, broken at blanks where there is one; control sequences taken out, indentation kept. */
export function wrapText(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, columns));
}

function wrapLine(raw: string, columns: number): readonly string[] {
  const indent = (/^[ \t]*/.exec(raw)?.[0] ?? '').replaceAll('\t', '  ').slice(0, Math.floor(columns / 2));
  const line = cleanLine(raw);
  if (widthOf(line) + indent.length <= columns) return [`${indent}${line}`];
  const lines: string[] = [];
  let current = indent;
  for (const word of line.split(' ').flatMap((one) => breakWord(one, columns - indent.length))) {
    const joined = current === indent ? `${indent}${word}` : `${current} ${word}`;
    if (widthOf(joined) <= columns) current = joined;
    else {
      lines.push(current);
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
}

function breakWord(word: string, columns: number): readonly string[] {
  if (widthOf(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (widthOf(piece + character) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
