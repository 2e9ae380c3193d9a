import type { DiffStats, FileChange, TranscriptMessage } from './transcript.ts';

/** What the calls of a conversation changed, file by file; null where they changed none. */
export function sumChanges(messages: readonly TranscriptMessage[]): DiffStats | null {
  const files = new Map<string, FileChange>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      for (const change of block.changes ?? []) files.set(change.path, plus(files.get(change.path), change));
    }
  }
  if (files.size === 0) return null;
  const all = [...files.values()];
  return { added: sum(all, 'added'), removed: sum(all, 'removed'), files: all };
}

/** Known and unknown together are at least what is known. */
function plus(before: FileChange | undefined, change: FileChange): FileChange {
  if (!before) return change;
  return { path: change.path, added: add(before.added, change.added), removed: add(before.removed, change.removed) };
}

function add(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

function sum(files: readonly FileChange[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + (file[side] ?? 0), 0);
}
