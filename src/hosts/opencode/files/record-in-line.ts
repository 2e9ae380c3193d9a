import type { AgentEvent, DiagnosticCode } from '../../../core/index.ts';
import { isObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { Door } from '../record.ts';

export interface RecordInLine {
  readonly record?: JsonObject;
  /** What is wrong with a line without one; nothing where it is blank. */
  readonly problem: readonly AgentEvent[];
}

export function recordIn(line: Line, { session, source }: Door): RecordInLine {
  const text = Buffer.from(line.bytes).toString('utf8');
  if (text.trim() === '' && !line.tooLong) return { problem: [] };
  const value = line.tooLong ? undefined : parseJson(text);
  if (isObject(value)) return { record: value, problem: [] };
  const origin = { source, offset: line.offset, length: line.length };
  const code = codeOf(line, value);
  return {
    problem: [{ kind: 'problem-found', session, origin, diagnostic: { code, detail: text.slice(0, 80), origin } }],
  };
}

function codeOf({ tooLong, torn }: Line, value: unknown): DiagnosticCode {
  if (tooLong) return 'line-too-long';
  if (value !== undefined) return 'not-a-record';
  return torn ? 'torn-line' : 'invalid-json';
}
