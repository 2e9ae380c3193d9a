// Tools that these hosts share: one line for what a call does, and the file it writes.
import { asText, isObject, type JsonObject } from '../../../lib/json.ts';

/** Its results are what a command wrote. */
export function isShell(tool: string): boolean {
  return tool === 'run_shell_command';
}

/** Which input says most about a call; tools that are not here fall through to any text they have. */
const TELLING: ReadonlyMap<string, readonly string[]> = new Map(
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

const MAX_SUMMARY = 400;

export function summarise(tool: string, input: JsonObject): string | undefined {
  return firstLine(subjectOf(tool, input))?.slice(0, MAX_SUMMARY);
}

/** The input that says most, all lines of it. */
export function subjectOf(tool: string, input: JsonObject): string | undefined {
  const keys = TELLING.get(tool) ?? Object.keys(input);
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

export function firstLine(text: string | undefined): string | undefined {
  return text
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
