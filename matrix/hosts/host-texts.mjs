// What several hosts need to read output and to write tool input.
import { readFileSync } from 'node:fs';

/** The lines of a file that are JSON objects. */
export function jsonLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseLine(line));
}

export const findJsonLine = (file, condition) => jsonLines(file).find(condition);

/** A killed program may leave half a line. */
function parseLine(line) {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

export const quoteForShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The reason of a grey cell: a last line counts as recent for five minutes. */
export const NO_PROCESS_RECORD = 'No file names the process, so a kill shows only after five minutes of silence';
