// When each line of a file came to stand there.
import { asInstant, asObject } from '../../lib/json.ts';
import { parseWhole, type RawRecord } from './record.ts';

export interface TimedLine {
  /** Epoch milliseconds; never before the line above. Minus infinity where nothing in the file has a time. */
  readonly at: number;
  /** With its newline, if it has one. */
  readonly text: string;
  readonly record: RawRecord;
}

/** Lines without a time came with the one above them, and those at the top with the first that has one. */
export function timeLines(
  text: string,
  timeOf: (record: RawRecord) => number | undefined = (record) => asInstant(record['timestamp']),
): readonly TimedLine[] {
  const lines = (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const record = asObject(parseWhole(Buffer.from(line))) ?? {};
    return { text: line, record, at: timeOf(record) };
  });
  let last = lines.find(({ at }) => at !== undefined)?.at ?? Number.NEGATIVE_INFINITY;
  return lines.map(({ at, ...line }) => {
    // A line may carry an earlier time than the one above: a reply is dated when it began, and written when it is there.
    last = Math.max(last, at ?? last);
    return { ...line, at: last };
  });
}

/** Whether the agent has had its say as of this line; a line that says nothing about it leaves it as it `was`. */
export function isTurnOver({ record }: TimedLine, was: boolean): boolean {
  if (record['type'] === 'user') return false;
  if (record['type'] !== 'assistant') return was;
  const reason = asObject(record['message'])?.['stop_reason'];
  return typeof reason === 'string' && reason !== 'tool_use';
}
