// The tools of Copilot: which of them make agents or ask the person, one line for what a call does, and how it went.

import type { CallOutcome } from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';

const SPAWNING = 'task';
/** They wait until the person has spoken. */
const ASKING = new Set(['ask_user', 'exit_plan_mode']);

export function isSpawning(tool: string | undefined): boolean {
  return tool === SPAWNING;
}

export function isAsking(tool: string | undefined): boolean {
  return tool !== undefined && ASKING.has(tool);
}

/** Its results are what a command wrote. */
export function isShell(tool: string): boolean {
  return tool === 'bash' || tool === 'powershell';
}

/** A call that reads from an agent, and may wait until it has something to say. */
export function isWaiting(tool: string, input: unknown): boolean {
  return tool === 'read_agent' && asObject(input)?.['wait'] === true;
}

/** The agent that a call writes to, by its id (about 1.0.9x and later; before, by its name). */
export function readerOf(tool: string, input: unknown): string | undefined {
  return tool === 'write_agent' ? asText(asObject(input)?.['agent_id']) : undefined;
}

/** Which input says most about a call; tools that are not here fall through to any text they have. */
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

const MAX_SUMMARY = 400;

export function summarise(tool: string, input: unknown): string | undefined {
  return firstLine(subjectOf(tool, input))?.slice(0, MAX_SUMMARY);
}

/** The input that says most, all lines of it. */
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

/** The file that a call writes, as far as its own words say it. */
export function fileWrittenBy(tool: string, input: unknown): string | undefined {
  const fields = asObject(input);
  // One tool for all of it, as Claude's models know it: its `command` says what it does.
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

export interface Outcome {
  readonly outcome: CallOutcome;
  /** The host refused it before anything was asked. */
  readonly unrun?: true;
}

const REFUSED = new Set(['denied', 'rejected']);
const UNRUN =
  /^(?:Tool '[^']*' does not exist|Unknown tool|Invalid (?:input|arguments)|Failed to parse (?:tool )?arguments)/;

/** `data`: of a `tool.execution_complete`. A command that ran and failed is a success to the host. */
export function outcomeOf(data: JsonObject): Outcome {
  if (data['success'] !== true) {
    const error = asObject(data['error']);
    if (REFUSED.has(asText(error?.['code']) ?? '')) return { outcome: 'refused' };
    return UNRUN.test(asText(error?.['message']) ?? '') ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  }
  return { outcome: (exitCodeOf(data) ?? 0) === 0 ? 'ok' : 'error' };
}

/** Written by a later process in the place of a result that the killed one never had. */
export function isLost(data: JsonObject): boolean {
  return asText(asObject(data['error'])?.['code']) === 'interrupted';
}

/** From about 1.0.8x on a field of its own; before, the host's last line behind what the command printed. */
function exitCodeOf(data: JsonObject): number | undefined {
  const code = asAmount(asObject(data['shellExecution'])?.['exitCode']);
  if (code !== undefined) return code;
  const text = textOfResult(data);
  const [, told] = HOST_TAIL.exec(text) ?? [];
  return told === undefined ? undefined : Number(told);
}

/** `<shellId: 1 completed with exit code 3>`, up to about 1.0.5x `<exited with exit code 3>`. */
const HOST_TAIL = /\n?<(?:shellId: \w+ completed|exited) with exit code (-?\d+)>\s*$/;

/** What the model was told: what the call gave, or why it gave nothing. */
export function textOfResult(data: JsonObject): string {
  return asText(asObject(data['result'])?.['content']) ?? asText(asObject(data['error'])?.['message']) ?? '';
}

/** The same for people: an exit that was no success stands in front, any other goes. */
export function shownResult(data: JsonObject): string {
  const text = textOfResult(data);
  const tail = HOST_TAIL.exec(text);
  if (!tail) return text;
  const output = text.slice(0, tail.index);
  return Number(tail[1]) === 0 ? output : `Exit code ${tail[1]}\n${output}`;
}

export function firstLine(text: string | undefined): string | undefined {
  return text
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
