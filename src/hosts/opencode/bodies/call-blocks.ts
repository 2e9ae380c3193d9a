import type { FileChange, ToolResultBlock, TranscriptBlock } from '../../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject } from '../../../lib/json.ts';
import { fileWrittenBy, INVALID, summarise } from '../tools.ts';
import { fileBlock } from './file-block.ts';

export function callBlocks(
  id: string,
  part: JsonObject,
  options: { readonly withMedia: boolean },
): readonly TranscriptBlock[] {
  const state = asObject(part['state']) ?? {};
  const input = asObject(state['input']);
  const named = asText(part['tool']) ?? 'unknown';
  const name = named === INVALID ? (asText(input?.['tool']) ?? named) : named;
  const call = { type: 'tool_use', tool_use_id: id, name, input: state['input'] ?? {} } as const;
  const result = resultOf(id, named, state, options);
  return [{ ...call, summary: summarise(named, input) ?? null }, ...(result ? [result] : [])];
}

function resultOf(
  tool_use_id: string,
  tool: string,
  state: JsonObject,
  options: { readonly withMedia: boolean },
): ToolResultBlock | undefined {
  const { status } = state;
  if (status !== 'completed' && status !== 'error') return undefined;
  const is_error = status === 'error' || tool === INVALID;
  const text = asText(state[status === 'error' ? 'error' : 'output']) ?? '';
  const attached = Array.isArray(state['attachments']) ? state['attachments'].filter(isObject) : [];
  const changes = is_error ? [] : changesOf(tool, state);
  return {
    type: 'tool_result',
    tool_use_id,
    text,
    is_error,
    ...(attached.length > 0 && { media: attached.map((file) => fileBlock(file, options)) }),
    ...(changes.length > 0 && { changes }),
  };
}

/** Lines that a call changed, as the program counted them. */
function changesOf(tool: string, state: JsonObject): readonly FileChange[] {
  const metadata = asObject(state['metadata']);
  const counted = [metadata?.['filediff'], ...(Array.isArray(metadata?.['files']) ? metadata['files'] : [])];
  const changes = counted.filter(isObject).flatMap((file) => changeIn(file) ?? []);
  if (changes.length > 0) return changes;
  const input = asObject(state['input']);
  const path = fileWrittenBy(tool, input);
  if (path === undefined) return [];
  const content = input?.['content'];
  // What a file held before nobody says, unless there was none.
  const isNew = metadata?.['exists'] === false && typeof content === 'string';
  return [{ path, added: isNew ? countLines(content) : null, removed: isNew ? 0 : null }];
}

function changeIn(file: JsonObject): FileChange | undefined {
  const path = asText(file['file']) ?? asText(file['filePath']);
  const [added, removed] = [asAmount(file['additions']), asAmount(file['deletions'])];
  return path === undefined || added === undefined || removed === undefined ? undefined : { path, added, removed };
}

function countLines(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
