// The tools of OpenCode, by the names and inputs that it gives them.
import { asText, type JsonObject } from '../../lib/json.ts';

export const TASK = 'task';
export const SHELL = 'bash';
/** The program's name for a call of an unknown tool or with an invalid input. */
export const INVALID = 'invalid';

/** The most telling inputs of a tool. */
const TELLING: ReadonlyMap<string, readonly string[]> = new Map([
  ['bash', ['command']],
  ['read', ['filePath']],
  ['write', ['filePath']],
  ['edit', ['filePath']],
  ['multiedit', ['filePath']],
  ['grep', ['pattern']],
  ['glob', ['pattern']],
  ['list', ['path']],
  ['webfetch', ['url']],
  ['websearch', ['query']],
  ['codesearch', ['query']],
  ['skill', ['name']],
  ['question', ['question']],
  [TASK, ['description', 'prompt']],
  [INVALID, ['error']],
]);

const WRITING = new Set(['write', 'edit', 'multiedit']);
const MAX_SUMMARY = 400;

export function fileWrittenBy(tool: string, input: JsonObject | undefined): string | undefined {
  return WRITING.has(tool) ? asText(input?.['filePath']) : undefined;
}

export function summarise(tool: string, input: JsonObject | undefined): string | undefined {
  return firstLine(subjectOf(tool, input))?.slice(0, MAX_SUMMARY);
}

/** The most telling input, all lines of it. */
export function subjectOf(tool: string, input: JsonObject | undefined): string | undefined {
  if (!input) return undefined;
  for (const key of TELLING.get(tool) ?? Object.keys(input)) {
    const text = asText(input[key]);
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

export function firstLine(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? undefined : end).trim();
    if (line !== '') return line;
    if (end === -1) return undefined;
    from = end + 1;
  }
  return undefined;
}
