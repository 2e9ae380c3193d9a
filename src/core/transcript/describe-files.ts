import { asFlag, asText, isObject, type JsonObject } from '../../lib/json.ts';
import { parsePatch } from '../../lib/patch-text.ts';
import type { Edit, EditsView, FileView, WrittenView } from './call-views.ts';
import { parseNumbered } from './numbered-lines.ts';

export function describeEdit(input: JsonObject): EditsView | undefined {
  const [path, edit] = [pathIn(input), editIn(input)];
  return path === undefined || !edit ? undefined : { kind: 'edits', path, edits: [edit] };
}

export function describeEdits(input: JsonObject): EditsView | undefined {
  const [path, list] = [pathIn(input), input['edits']];
  if (path === undefined || !Array.isArray(list)) return undefined;
  const edits = list.filter(isObject).flatMap((one) => editIn(one) ?? []);
  return edits.length < list.length ? undefined : { kind: 'edits', path, edits };
}

/** A patch may be about several files: their parts follow each other. */
export function describePatch(input: JsonObject): EditsView | undefined {
  const files = parsePatch(asText(input['patch']) ?? asText(input['patchText']) ?? asText(input['input']) ?? '');
  if (files.length === 0) return undefined;
  const edits = files.flatMap(({ hunks }) =>
    hunks.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n'), isEverywhere: false })),
  );
  return { kind: 'edits', path: files.map(({ path }) => path).join(', '), edits };
}

export function describeWrite(input: JsonObject): WrittenView | undefined {
  return written(pathIn(input), input['content'] ?? input['file_text']);
}

export function describeNotebook(input: JsonObject): WrittenView | undefined {
  return written(asText(input['notebook_path']), input['new_source']);
}

export function describeRead(input: JsonObject, output: string | undefined): FileView | undefined {
  const path = pathIn(input);
  if (path === undefined) return undefined;
  const numbered = output === undefined ? undefined : parseNumbered(output);
  if (numbered) return { kind: 'file', path, ...numbered };
  return { kind: 'file', path, first: undefined, text: output, note: '' };
}

function written(path: string | undefined, text: unknown): WrittenView | undefined {
  return path === undefined || typeof text !== 'string' ? undefined : { kind: 'written', path, text };
}

function pathIn(input: JsonObject): string | undefined {
  const names = ['file_path', 'filePath', 'absolute_path', 'path'];
  return names.map((name) => asText(input[name])).find((path) => path !== undefined);
}

function editIn(input: JsonObject): Edit | undefined {
  const before = input['old_string'] ?? input['oldString'] ?? input['old_str'];
  const after = input['new_string'] ?? input['newString'] ?? input['new_str'];
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  return { before, after, isEverywhere: asFlag(input['replace_all'] ?? input['replaceAll']) === true };
}
