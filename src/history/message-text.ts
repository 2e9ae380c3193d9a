// What can be found of a message: everything that was said and done in it, the longest parts cut.

import type { ToolUseBlock, TranscriptMessage } from '../core/index.ts';
import { isObject } from '../lib/json.ts';

/** What a text of a message is. */
export type TextKind = 'prompt' | 'answer' | 'thinking' | 'summary' | 'notice' | 'call' | 'result';

export interface MessageText {
  readonly kind: TextKind;
  /** Of a call, and of its result. */
  readonly tool?: string;
  readonly text: string;
}

/** Longer outputs are found by their beginning and their end. */
const OUTPUT_HEAD = 16_000;
const OUTPUT_TAIL = 4_000;
const INPUT_HEAD = 64_000;
/** Of what people and models write themselves; nobody writes more. */
const SPEECH_HEAD = 1_000_000;

/** In the order in which they are shown. */
export function textsOf({ role, content }: TranscriptMessage): readonly MessageText[] {
  const tools = new Map<string, string>();
  return content.flatMap((block): readonly MessageText[] => {
    switch (block.type) {
      case 'text':
        return [
          { kind: role === 'user' ? 'prompt' : role === 'assistant' ? 'answer' : 'notice', text: cut(block.text) },
        ];
      case 'thinking':
      case 'summary':
        return [{ kind: block.type, text: cut(block.text) }];
      case 'notice':
        return [{ kind: 'notice', text: cut([block.title ?? '', block.text].join('\n')) }];
      case 'tool_use':
        tools.set(block.tool_use_id, block.name);
        return [{ kind: 'call', tool: block.name, text: textOfCall(block) }];
      case 'tool_result': {
        const tool = tools.get(block.tool_use_id);
        const paths = (block.changes ?? []).map(({ path }) => path);
        const text = [cut(block.text, OUTPUT_HEAD, OUTPUT_TAIL), ...paths].join('\n');
        return [{ kind: 'result', text, ...(tool !== undefined && { tool }) }];
      }
      case 'attachment':
        return block.name === null ? [] : [{ kind: 'notice', text: block.name }];
      default:
        return [];
    }
  });
}

function textOfCall({ name, summary, input }: ToolUseBlock): string {
  const texts: string[] = [];
  const room = { left: INPUT_HEAD };
  collect(input, texts, room, 0);
  const said = texts.some((text) => summary !== null && text.includes(summary)) ? '' : (summary ?? '');
  return [name, said, ...texts].filter((text) => text !== '').join('\n');
}

const MAX_DEPTH = 12;

function collect(value: unknown, texts: string[], room: { left: number }, depth: number): void {
  if (room.left <= 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    const text = cut(value, room.left);
    room.left -= text.length;
    texts.push(text);
  } else if (typeof value === 'number') texts.push(String(value));
  else if (Array.isArray(value)) for (const one of value) collect(one, texts, room, depth + 1);
  else if (isObject(value)) for (const one of Object.values(value)) collect(one, texts, room, depth + 1);
}

function cut(text: string, head = SPEECH_HEAD, tail = 0): string {
  if (text.length <= head + tail) return wellFormed(text);
  const end = tail === 0 ? '' : `\n…\n${text.slice(-tail)}`;
  return wellFormed(`${text.slice(0, head)}${end}`);
}

/** Half of a character is none that a database takes. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Tools that were called in a message, and files that they were given or that they changed. */
export function usedIn({ content }: Pick<TranscriptMessage, 'content'>): {
  readonly tools: readonly string[];
  readonly files: readonly string[];
} {
  const [tools, files] = [new Set<string>(), new Set<string>()];
  for (const block of content) {
    if (block.type === 'tool_use') {
      tools.add(block.name.slice(0, MAX_NAME));
      for (const file of filesIn(block)) files.add(file);
    } else if (block.type === 'tool_result') for (const { path } of block.changes ?? []) addPath(files, path);
  }
  return { tools: [...tools], files: [...files] };
}

const MAX_NAME = 200;
const MAX_PATH = 4_096;
const PATH_FIELD = /^(?:absolute_?|target_?|notebook_?|dir_?|file_?|relative_?)?(?:path|file|filename|filepath)s?$/i;
/** How patches name the files that they change. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

function filesIn({ input }: Pick<ToolUseBlock, 'input'>): ReadonlySet<string> {
  const files = new Set<string>();
  if (typeof input === 'string') addPatched(files, input);
  if (!isObject(input)) return files;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === 'string') {
      if (PATH_FIELD.test(name)) addPath(files, value);
      else if (value.startsWith('*** Begin Patch')) addPatched(files, value);
    } else if (Array.isArray(value) && PATH_FIELD.test(name)) {
      for (const one of value) if (typeof one === 'string') addPath(files, one);
    }
  }
  return files;
}

function addPatched(files: Set<string>, patch: string): void {
  for (const [, file = ''] of patch.matchAll(PATCHED)) addPath(files, file.trim());
}

function addPath(files: Set<string>, path: string): void {
  if (path !== '' && path.length <= MAX_PATH && !path.includes('\n')) files.add(wellFormed(path));
}
