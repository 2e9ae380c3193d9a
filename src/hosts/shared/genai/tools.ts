// Tools that these hosts share: one line for what a call does, and the file it writes.

import type { FileChange, ToolUseBlock } from '../../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject } from '../../../lib/json.ts';
import { diffLines } from '../../../lib/patch-text.ts';
import { countLines, toSummary } from '../line-facts.ts';

/** Its results are what a command wrote. */
export function isShell(tool: string): boolean {
  return tool === 'run_shell_command';
}

/** Which input says most about a call; tools that are not here fall through to any text they have. */
const SUBJECT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    run_shell_command: ['command'],
    read_file: ['file_path', 'absolute_path', 'path'],
    write_file: ['file_path'],
    replace: ['file_path'],
    edit: ['file_path'],
    list_directory: ['dir_path', 'path'],
    glob: ['pattern'],
    grep_search: ['pattern'],
    search_file_content: ['pattern'],
    read_many_files: ['paths', 'include'],
    web_fetch: ['url', 'prompt'],
    google_web_search: ['query'],
    web_search: ['query'],
    save_memory: ['fact'],
    write_todos: ['todos'],
    todo_write: ['todos'],
    invoke_agent: ['prompt', 'agent_name'],
    agent: ['description', 'prompt'],
    task: ['description', 'prompt'],
    send_message: ['message'],
    task_stop: ['task_id'],
  }),
);

export function summarise(tool: string, input: JsonObject): string | undefined {
  return toSummary(subjectOf(tool, input));
}

export function toUseBlock(id: string, tool: string, input: JsonObject): ToolUseBlock {
  return { type: 'tool_use', tool_use_id: id, name: tool, input, summary: summarise(tool, input) ?? null };
}

/** The input that says most, all lines of it. */
export function subjectOf(tool: string, input: JsonObject): string | undefined {
  const keys = SUBJECT_FIELDS.get(tool) ?? Object.keys(input);
  return keys.map((key) => toText(input[key])).find((text) => text.trim() !== '');
}

/** Of a list of steps, the one in progress; of an answer in fields, what it says. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isObject(value)) return asText(value['response']) ?? '';
  if (!Array.isArray(value)) return '';
  const steps = value.filter(isObject);
  const step = steps.find(({ status }) => status === 'in_progress') ?? steps[0];
  if (step) return asText(step['description']) ?? asText(step['content']) ?? '';
  return value.filter((one) => typeof one === 'string').join(', ');
}

const WRITING = new Set(['write_file', 'replace', 'edit']);

/** The file that a call writes, as far as its own words say it. */
export function fileWrittenBy(tool: string, input: JsonObject): string | undefined {
  return WRITING.has(tool) ? asText(input['file_path']) : undefined;
}

// Lines that a call added to a file and removed from it: by what the host shows of it, else by what it was given.

/** `display`: what the host keeps of the result for the screen. It is not kept for every agent. */
export function changesOf(tool: string, input: JsonObject, display: unknown, result: string): readonly FileChange[] {
  const written = fileWrittenBy(tool, input);
  if (written === undefined) return [];
  const shown = asObject(display);
  const stat = asObject(shown?.['diffStat']);
  const path = asText(shown?.['filePath']) ?? written;
  const [added, removed] = [asAmount(stat?.['model_added_lines']), asAmount(stat?.['model_removed_lines'])];
  if (added !== undefined && removed !== undefined) return [{ path, added, removed }];
  return [{ path, ...byInput(input, result) }];
}

function byInput(input: JsonObject, result: string): Pick<FileChange, 'added' | 'removed'> {
  const [before, after] = [input['old_string'], input['new_string']];
  // More than one place, only the host knows how many.
  const isOnce = (asAmount(input['expected_replacements']) ?? 1) === 1 && input['replace_all'] !== true;
  if (typeof before === 'string' && typeof after === 'string' && isOnce) {
    if (before === '') return { added: countLines(after), removed: 0 };
    const lines = diffLines(before, after);
    const count = (kind: 'added' | 'removed'): number => lines.filter((line) => line.kind === kind).length;
    return { added: count('added'), removed: count('removed') };
  }
  const content = input['content'];
  const isNew = /^Successfully created and wrote to new file/.test(result);
  return typeof content === 'string' && isNew
    ? { added: countLines(content), removed: 0 }
    : { added: null, removed: null };
}

// What a call gave back, without the host's words around it.

/** Around everything that came from outside (0.5x of Gemini CLI and later). */
const FRAME = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>\s*$/;
/** Behind a command's output, one after the other; which of them are there, versions differ in. */
const TRAILER =
  /\n(?:Error: \(none\)|Exit Code: (\S+)|Signal: .*|Background PIDs: .*|Process Group PGID: .*|Stderr: \(empty\))$/;
const NONE = new Set(['(none)', '(empty)']);

/** The output of a command is between lines about it. The exit code is left out if it was a success. */
export function readResult(raw: string): { readonly text: string; readonly exitCode?: number } {
  const framed = FRAME.exec(raw)?.[1] ?? raw;
  const from = startOfOutput(framed);
  if (from === undefined) return { text: framed };
  let body = `\n${framed.slice(from)}`;
  let exitCode: number | undefined;
  for (let line = TRAILER.exec(body); line; line = TRAILER.exec(body)) {
    if (line[1] !== undefined) exitCode = Number(line[1]) || undefined;
    body = body.slice(0, line.index);
  }
  const text = body.slice(1);
  return { text: NONE.has(text) ? '' : text, ...(exitCode !== undefined && { exitCode }) };
}

/** The command itself may have many lines, so the first line that says where it ran ends it. */
function startOfOutput(text: string): number | undefined {
  if (text.startsWith('Output: ')) return 'Output: '.length;
  const head = /^Command: [\s\S]*?\nDirectory: .*\n(?:Output|Stdout): /.exec(text);
  return head?.[0].length;
}

/** As a person reads it: an exit that was no success stays, as a line of its own in front. */
export function shownResult(raw: string): string {
  const { text, exitCode } = readResult(raw);
  return exitCode === undefined ? text : `Exit code ${exitCode}\n${text}`;
}
