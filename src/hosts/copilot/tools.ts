// The tools of Copilot: which of them make agents or ask the user, a one-line summary of a call, and its outcome.

import { asAmount, asObject, asText, type JsonObject } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';
import { type CallEnd, toSummary } from '../shared/index.ts';

const SPAWNING = 'task';
/** They wait for the user. */
const ASKING = new Set(['ask_user', 'exit_plan_mode']);

export function isSpawning(tool: string | undefined): boolean {
  return tool === SPAWNING;
}

export function isAsking(tool: string | undefined): boolean {
  return tool !== undefined && ASKING.has(tool);
}

export function isShell(tool: string): boolean {
  return tool === 'bash' || tool === 'powershell';
}

/** A call that waits for an agent's message. */
export function isWaiting(tool: string, input: unknown): boolean {
  return tool === 'read_agent' && asObject(input)?.['wait'] === true;
}

/** The agent that a call writes to, by its id (about 1.0.9x and later; before, by its name). */
export function readerOf(tool: string, input: unknown): string | undefined {
  return tool === 'write_agent' ? asText(asObject(input)?.['agent_id']) : undefined;
}

/** The most telling inputs of a tool; of other tools, any text. */
const TELLING: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bash: ['command'],
    powershell: ['command'],
    write_bash: ['input', 'shellId'],
    read_bash: ['shellId'],
    stop_bash: ['shellId'],
    view: ['path'],
    create: ['path'],
    edit: ['path'],
    str_replace_editor: ['path', 'command'],
    grep: ['pattern'],
    glob: ['pattern'],
    web_fetch: ['url'],
    web_search: ['query'],
    sql: ['description', 'query'],
    task: ['description', 'name', 'prompt'],
    read_agent: ['agent_id'],
    write_agent: ['message'],
    skill: ['skill', 'name'],
    report_intent: ['intent'],
    ask_user: ['question', 'message'],
    update_todo: ['todos'],
  }),
);

export function summarise(tool: string, input: unknown): string | undefined {
  return toSummary(subjectOf(tool, input));
}

/** The most telling input, all lines of it. */
export function subjectOf(tool: string, input: unknown): string | undefined {
  const files = patchedFiles(tool, input);
  if (files.length > 0) return files.map(({ path }) => path).join(', ');
  if (typeof input === 'string') return input;
  const fields = asObject(input);
  if (!fields) return undefined;
  const keys = TELLING.get(tool) ?? Object.keys(fields);
  return keys.map((key) => asText(fields[key])).find((text) => text !== undefined && text.trim() !== '');
}

const WRITING = new Set(['create', 'edit', 'str_replace', 'insert']);

export function fileWrittenBy(tool: string, input: unknown): string | undefined {
  const fields = asObject(input);
  // One tool for everything, as Claude's models know it: `command` selects.
  const deed = tool === 'str_replace_editor' ? asText(fields?.['command']) : tool;
  if (deed !== undefined && WRITING.has(deed)) return asText(fields?.['path']);
  return patchedFiles(tool, input)[0]?.path;
}

/** `apply_patch` takes a text, as the whole input or as a field of it. */
export function patchedFiles(tool: string, input: unknown): ReturnType<typeof parsePatch> {
  if (tool !== 'apply_patch') return [];
  const fields = asObject(input);
  return parsePatch(typeof input === 'string' ? input : (asText(fields?.['input']) ?? asText(fields?.['patch']) ?? ''));
}

const REFUSED = new Set(['denied', 'rejected']);
const UNRUN =
  /^(?:Tool '[^']*' does not exist|Unknown tool|Invalid (?:input|arguments)|Failed to parse (?:tool )?arguments)/;

/** `data`: of a `tool.execution_complete`. To the host a command that failed is a success. */
export function outcomeOf(data: JsonObject): CallEnd {
  if (data['success'] !== true) {
    const error = asObject(data['error']);
    if (REFUSED.has(asText(error?.['code']) ?? '')) return { outcome: 'refused' };
    return UNRUN.test(asText(error?.['message']) ?? '') ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  }
  return { outcome: (exitCodeOf(data) ?? 0) === 0 ? 'ok' : 'error' };
}

/** Written by a later process if the first one was killed before the result. */
export function isLost(data: JsonObject): boolean {
  return asText(asObject(data['error'])?.['code']) === 'interrupted';
}

/** A field since about 1.0.8x; before, a line of the host after the command's output. */
function exitCodeOf(data: JsonObject): number | undefined {
  const code = asAmount(asObject(data['shellExecution'])?.['exitCode']);
  if (code !== undefined) return code;
  const [, told] = HOST_TAIL.exec(textOfResult(data)) ?? [];
  return told === undefined ? undefined : Number(told);
}

/** `<shellId: 1 completed with exit code 3>`, up to about 1.0.5x `<exited with exit code 3>`. */
const HOST_TAIL = /\n?<(?:shellId: \w+ completed|exited) with exit code (-?\d+)>\s*$/;

/** The text that the model gets. */
export function textOfResult(data: JsonObject): string {
  return asText(asObject(data['result'])?.['content']) ?? asText(asObject(data['error'])?.['message']) ?? '';
}

/** The same for people: a non-zero exit code comes first, zero is left out. */
export function shownResult(data: JsonObject): string {
  const text = textOfResult(data);
  const tail = HOST_TAIL.exec(text);
  if (!tail) return text;
  const output = text.slice(0, tail.index);
  return Number(tail[1]) === 0 ? output : `Exit code ${tail[1]}\n${output}`;
}
