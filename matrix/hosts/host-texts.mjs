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
const NO_PROCESS_RECORD = 'No file names the process, so its death shows only after five minutes of silence.';

/** Grey cells of hosts that leave nothing by which a dead process could be told from a silent one. */
export const cannotTellDeath = (evidence) => ({ reason: NO_PROCESS_RECORD, evidence });

/** Evidence for tools and options that a version does not have: the file in which the matrix lists those that it has. */
export const OFFERS = 'offers';

/** The first ability that a play needs and the host lacks. @param lacks by ability, { reason, evidence } */
export const findLack = ({ needs = [] }, lacks) => lacks[needs.find((need) => lacks[need])];
