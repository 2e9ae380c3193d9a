// The tools of Codex: which of them make, wake or stop agents, one line for what a call does, and how it went.

import type { ToolEnded } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, parseObject } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';
import { toSummary } from '../shared/index.ts';

const SPAWNING = 'spawn_agent';
/** `wait` up to about 0.10x. */
const WAITING = new Set(['wait_agent', 'wait']);
const ABOUT_AGENTS = new Set([
  SPAWNING,
  ...WAITING,
  'send_input',
  'resume_agent',
  'close_agent',
  'send_message',
  'followup_task',
  'interrupt_agent',
  'list_agents',
]);

export const isSpawning = (tool: string | undefined): boolean => tool === SPAWNING;
export const isWaiting = (tool: string): boolean => WAITING.has(tool);

export interface Call {
  readonly id: string | undefined;
  readonly tool: string;
  readonly input: unknown;
  /** It ran where the model runs: there is no result to wait for. */
  readonly isOver: boolean;
}

/** The call that an item of a reply makes, if any. */
export function callIn(item: JsonObject): Call | undefined {
  const native = asText(item['call_id']);
  const id = native ?? asText(item['id']);
  switch (item['type']) {
    case 'function_call': {
      const text = asText(item['arguments']) ?? '';
      return { id, tool: nameOf(item), input: parseObject(text) ?? text, isOver: false };
    }
    case 'custom_tool_call':
      return { id, tool: nameOf(item), input: asText(item['input']) ?? '', isOver: false };
    case 'local_shell_call':
      return { id, tool: 'local_shell', input: asObject(item['action']) ?? {}, isOver: false };
    case 'tool_search_call':
      return { id, tool: 'tool_search', input: asObject(item['arguments']) ?? {}, isOver: native === undefined };
    case 'web_search_call':
      return { id, tool: 'web_search', input: asObject(item['action']) ?? {}, isOver: true };
    case 'image_generation_call':
      return { id, tool: 'image_generation', input: {}, isOver: true };
    default:
      return undefined;
  }
}

/** Tools of other servers are told apart by the server's name; the host's own have names of their own. */
function nameOf(item: JsonObject): string {
  const name = asText(item['name']) ?? 'unknown';
  const namespace = asText(item['namespace']);
  return namespace?.startsWith('mcp') ? `${namespace.replace(/_+$/, '')}__${name}` : name;
}

/** Which input says most about a call; tools that are not here fall through to any text they have. */
const SUBJECT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    exec_command: ['cmd'],
    Bash: ['command'],
    shell: ['command'],
    shell_command: ['command'],
    local_shell: ['command'],
    write_stdin: ['chars', 'session_id'],
    view_image: ['path'],
    web_search: ['query', 'queries', 'url', 'pattern'],
    update_plan: ['explanation'],
    spawn_agent: ['task_name', 'message', 'items'],
    wait_agent: [],
    send_input: ['message', 'items'],
    send_message: ['message'],
    followup_task: ['message'],
  }),
);

export function summarise(tool: string, input: unknown): string | undefined {
  return toSummary(subjectOf(tool, input));
}

/** The input that says most, all lines of it. */
export function subjectOf(tool: string, input: unknown): string | undefined {
  const files = parsePatch(patchIn(tool, input));
  if (files.length > 0) return files.map(({ path }) => path).join(', ');
  if (typeof input === 'string') return input;
  const fields = asObject(input);
  if (!fields) return undefined;
  const keys = SUBJECT_FIELDS.get(tool) ?? Object.keys(fields);
  const told = keys.map((key) => toText(fields[key])).find((text) => text.trim() !== '');
  return told ?? (tool === 'update_plan' ? stepInProgress(fields['plan']) : undefined);
}

const SHELLS = new Set(['exec_command', 'shell', 'shell_command', 'local_shell']);

/** What a call runs in a shell. */
export function commandIn(tool: string, input: unknown): string | undefined {
  const fields = asObject(input);
  return SHELLS.has(tool) ? toText(fields?.['cmd'] ?? fields?.['command']) : undefined;
}

/** A command may come as its words: of `bash -lc` and the like, the script is what counts. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  const words = value.flatMap((word) =>
    isObject(word) ? (asText(word['text']) ?? []) : typeof word === 'string' ? word : [],
  );
  return words.length === 3 && /^-l?c$/.test(words[1] ?? '') ? (words[2] ?? '') : words.join(' ');
}

function stepInProgress(plan: unknown): string | undefined {
  const steps = Array.isArray(plan) ? plan.filter(isObject) : [];
  return asText((steps.find(({ status }) => status === 'in_progress') ?? steps[0])?.['step']);
}

/** The file that a call writes, as far as its own words say it. */
export function fileWrittenBy(tool: string, input: unknown): string | undefined {
  return parsePatch(patchIn(tool, input))[0]?.path;
}

/** A patch comes as the whole input, as a field of it, or as the text of a command that the host recognises. */
export function patchIn(tool: string, input: unknown): string {
  if (tool === 'apply_patch') {
    const fields = asObject(input);
    return typeof input === 'string' ? input : (asText(fields?.['input']) ?? asText(fields?.['command']) ?? '');
  }
  const command = toText(asObject(input)?.['cmd'] ?? asObject(input)?.['command']);
  const words = asObject(input)?.['command'];
  if (Array.isArray(words) && words[0] === 'apply_patch') return asText(words[1]) ?? '';
  return /^\s*apply_patch\s+<</m.test(command) ? command : '';
}

const REFUSED =
  /^(?:\w[\w ]* blocked by PreToolUse hook|(?:Wall time: [\d.]+ seconds\n)?aborted by user|.{0,80}\brejected by (?:the )?user)/;
const UNRUN = /^(?:unsupported (?:custom tool )?call: |failed to parse function arguments)/;
const FAILED =
  /^(?:exec_command failed|apply_patch verification failed|tool call error|execution error|collab |Error: )/;
/** In the lines before the output itself: a command may print the same words. */
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)/m;

/**
 * `text`: what the model was told. Versions up to about 0.5x put a JSON text there. `unrun`: the host refused it before anything was
 * asked.
 */
export function outcomeOf(tool: string | undefined, text: string): Pick<ToolEnded, 'outcome' | 'unrun'> {
  if (UNRUN.test(text)) return { outcome: 'error', unrun: true };
  if (REFUSED.test(text)) return { outcome: 'refused' };
  // They answer with JSON, or with nothing at all (version 2); in words where it did not go well.
  if (tool !== undefined && ABOUT_AGENTS.has(tool)) return { outcome: /^(?:\{|$)/.test(text) ? 'ok' : 'error' };
  const header = text.split(/^Output:$/m, 1)[0] ?? '';
  const [, code = '0'] =
    /^\{"output":[\s\S]*"metadata":\{"exit_code":(-?\d+)/.exec(text) ?? EXIT_CODE.exec(header) ?? [];
  return { outcome: FAILED.test(text) || Number(code) !== 0 ? 'error' : 'ok' };
}
