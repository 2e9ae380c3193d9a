// Words of the host in the user's place, and messages between agents.

import { asAmount, asObject, asText, isObject, type JsonObject, parseObject } from '../../lib/json.ts';
import { textOf } from './record.ts';

/** How they begin; what a person types begins otherwise. */
const MARKS = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions',
  '<subagent_notification>',
  '<turn_aborted>',
  '<user_action>',
  '<user_shell_command>',
  '<skill>',
  '<permissions instructions>',
  '<collaboration_mode>',
  '<context_window_guidance>',
  '<model_switch>',
];

export function isHostText(text: string): boolean {
  const begin = text.trimStart();
  return MARKS.some((mark) => begin.startsWith(mark));
}

/** The service hands over tasks in a form that only it can read. */
export function isSealed(text: string): boolean {
  return /^gAAAA[\w-]+={0,2}$/.test(text.trim());
}

const ENVELOPE = /^Message Type: (\w+)\n(?:[^\n]*\n)*?Payload:\n?([\s\S]*)$/;

interface AgentMessage {
  /** `NEW_TASK`, `FINAL_ANSWER`, … */
  readonly kind: string;
  /** Who wrote it, as a path of names. */
  readonly author: string | undefined;
  /** Undefined where it is sealed. */
  readonly text: string | undefined;
}

export function messageIn(item: JsonObject): AgentMessage {
  const parts = Array.isArray(item['content']) ? item['content'].filter(isObject) : [];
  const [, kind = 'MESSAGE', spoken = ''] = ENVELOPE.exec(textOf(parts)) ?? [undefined, undefined, textOf(parts)];
  const handed = parts.map((part) => asText(part['encrypted_content'])).find((text) => text !== undefined);
  const text = spoken.trim() !== '' ? spoken : handed;
  return { kind, author: asText(item['author']), text: text === undefined || isSealed(text) ? undefined : text };
}

/** What an agent was set to work with, at first or later; empty where it is sealed, undefined where the message is another. */
export function taskIn(item: JsonObject): string | undefined {
  const { kind, text } = messageIn(item);
  return kind === 'NEW_TASK' ? (text ?? '') : undefined;
}

/** In the provider's own words, without what is around them. */
export function messageOfError(error: unknown): string | undefined {
  const text = asText(asObject(error)?.['message']);
  const inner = text?.startsWith('{') ? parseObject(text) : undefined;
  return asText(asObject(inner?.['error'])?.['message']) ?? text;
}

// What a call gave back, without the host's lines around it.

/**
 * The output of a command stands behind a few lines about it; up to about 0.5x both were fields of a JSON text. An exit
 * that was no success stays, as a line of its own in front.
 */
export function outputIn(text: string): string {
  const old = text.startsWith('{"output":') ? parseObject(text) : undefined;
  if (old && typeof old['output'] === 'string')
    return withExit(old['output'], asAmount(asObject(old['metadata'])?.['exit_code']));
  const [header, ...rest] = text.split(/^Output:\n?/m);
  const isAboutCommand = /^(?:Command: |Chunk ID: |Wall time: |Exit code: )/.test(text);
  if (!isAboutCommand || rest.length === 0) return text;
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(header ?? '')?.[1];
  const output = rest.join('Output:\n');
  // A patch inside of a command has lines about both.
  return /^Exit code: /.test(output) ? outputIn(output) : withExit(output, code === undefined ? 0 : Number(code));
}

function withExit(output: string, code: number | undefined): string {
  return code === undefined || code === 0 ? output : `Exit code ${code}\n${output}`;
}
