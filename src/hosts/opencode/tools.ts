// The tools of OpenCode, by the names and inputs that it gives them.
import { asText, type JsonObject } from '../../lib/json.ts';

export const TASK = 'task';
export const SHELL = 'bash';
/** A call that the program could not make sense of: a tool that this agent does not have, or a wrong input. */
export const INVALID = 'invalid';

/** Which input says most about a call. */
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

/** One line of what a call is about. */
export function summarise(tool: string, input: JsonObject | undefined): string | undefined {
  return firstLine(subjectOf(tool, input))?.slice(0, MAX_SUMMARY);
}

/** All lines of it. */
export function subjectOf(tool: string, input: JsonObject | undefined): string | undefined {
  if (!input) return undefined;
  for (const key of TELLING.get(tool) ?? Object.keys(input)) {
    const text = asText(input[key]);
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

/** The first with something in it. */
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
