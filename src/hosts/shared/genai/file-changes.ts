// Lines that a call added to a file and removed from it: by what the host shows of it, else by what it was given.

import type { FileChange } from '../../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { diffLines } from '../../../lib/patch-text.ts';
import { fileWrittenBy } from './tools.ts';

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

function countLines(text: string): number {
  if (text === '') return 0;
  const lines = text.split('\n').length;
  return text.endsWith('\n') ? lines - 1 : lines;
}
