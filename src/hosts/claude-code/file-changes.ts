// Lines that a call added to a file and removed from it: by the patch in its result where the host wrote one, else by
// its input. The host writes patches for what people see in its terminal; results of sub-agents mostly have none.

import type { FileChange } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';
import { diffLines } from '../../lib/patch-text.ts';
import { fileWrittenBy } from './tools.ts';

/** By `toolUseResult`. Empty where it holds no patch. */
export function changesIn(details: unknown): readonly FileChange[] {
  const result = asObject(details);
  const path = asText(result?.['filePath']);
  const patch = result?.['structuredPatch'];
  if (!result || path === undefined || !Array.isArray(patch)) return [];
  if (result['type'] === 'create') return [{ path, added: countLines(asText(result['content']) ?? ''), removed: 0 }];
  const lines = patch.filter(isObject).flatMap((hunk) => (Array.isArray(hunk['lines']) ? hunk['lines'] : []));
  const beginning = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length;
  return [{ path, added: beginning('+'), removed: beginning('-') }];
}

/** By what the call was given, if it went well. */
export function changesOfCall(tool: string, input: unknown, resultText: string): readonly FileChange[] {
  const fields = asObject(input);
  const path = fileWrittenBy(tool, fields);
  if (!fields || path === undefined) return [];
  const edits = Array.isArray(fields['edits']) ? fields['edits'].filter(isObject) : [fields];
  const pairs = edits.flatMap((edit) => pairOf(edit) ?? []);
  if (pairs.length > 0) return [{ path, ...sumOf(pairs) }];
  return [{ path, ...writtenAnew(fields, resultText) }];
}

interface Pair {
  readonly before: string;
  readonly after: string;
  /** In how many places, only the host knows. */
  readonly everywhere: boolean;
}

function pairOf(edit: JsonObject): Pair | undefined {
  const [before, after] = [edit['old_string'], edit['new_string']];
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  return { before, after, everywhere: edit['replace_all'] === true };
}

function sumOf(pairs: readonly Pair[]): Pick<FileChange, 'added' | 'removed'> {
  if (pairs.some(({ everywhere }) => everywhere)) return { added: null, removed: null };
  let added = 0;
  let removed = 0;
  for (const { before, after } of pairs) {
    const lines = before === '' ? [] : diffLines(before, after);
    added += before === '' ? countLines(after) : lines.filter(({ kind }) => kind === 'added').length;
    removed += lines.filter(({ kind }) => kind === 'removed').length;
  }
  return { added, removed };
}

/** A whole file, or a cell of a notebook. What it replaced, nobody says. */
function writtenAnew(fields: JsonObject, resultText: string): Pick<FileChange, 'added' | 'removed'> {
  const text = fields['content'] ?? fields['new_source'];
  const isNew = fields['edit_mode'] === 'insert' || resultText.startsWith('File created');
  return isNew && typeof text === 'string' ? { added: countLines(text), removed: 0 } : { added: null, removed: null };
}

function countLines(text: string): number {
  if (text === '') return 0;
  const lines = text.split('\n').length;
  return text.endsWith('\n') ? lines - 1 : lines;
}
