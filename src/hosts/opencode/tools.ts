// The tools of OpenCode, by the names and inputs that it gives them.
import { asText, type JsonObject } from '../../lib/json.ts';
import { toSummary } from '../shared/index.ts';

export const TASK = 'task';
export const SHELL = 'bash';
/** The same tools since 2.0. */
const [SUBAGENT, SHELL_TWO] = ['subagent', 'shell'];

export function isTask(tool: unknown): boolean {
  return tool === TASK || tool === SUBAGENT;
}

export function isShell(tool: unknown): boolean {
  return tool === SHELL || tool === SHELL_TWO;
}

/** The program's name for a call of an unknown tool or with an invalid input. */
export const INVALID = 'invalid';

/** The most telling inputs of a tool. */
const TELLING: ReadonlyMap<string, readonly string[]> = new Map([
  ['bash', ['command']],
  [SHELL_TWO, ['command']],
  ['read', ['filePath', 'path']],
  ['write', ['filePath', 'path']],
  ['edit', ['filePath', 'path']],
  ['multiedit', ['filePath']],
  ['grep', ['pattern']],
  ['glob', ['pattern']],
  ['list', ['path']],
  ['webfetch', ['url']],
  ['websearch', ['query']],
  ['codesearch', ['query']],
  ['skill', ['name']],
  ['question', ['question']],
  ['execute', ['code']],
  [TASK, ['description', 'prompt']],
  [SUBAGENT, ['description', 'prompt']],
  [INVALID, ['error']],
]);

const WRITING = new Set(['write', 'edit', 'multiedit']);

export function fileWrittenBy(tool: string, input: JsonObject | undefined): string | undefined {
  return WRITING.has(tool) ? (asText(input?.['filePath']) ?? asText(input?.['path'])) : undefined;
}

export function summarise(tool: string, input: JsonObject | undefined): string | undefined {
  return toSummary(subjectOf(tool, input));
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
