// What an agent did, from its transcript: its calls in a line each, and the files that it read and changed.

import type { ToolResultBlock, ToolUseBlock, Transcript } from '../../core/index.ts';
import { type CallView, describeCall } from '../../core/transcript/index.ts';

export interface HandedCall {
  readonly tool: string;
  readonly summary: string;
  readonly outcome: 'ok' | 'failed' | 'no result';
}

export interface TouchedFile {
  readonly path: string;
  /** «read», «+3 −1». */
  readonly what: string;
}

export function callsIn({ messages }: Transcript, cwd: string | undefined): readonly HandedCall[] {
  return messages.flatMap(({ content }) => {
    const results = resultsIn(content);
    return content.flatMap((block): readonly HandedCall[] => {
      if (block.type !== 'tool_use') return [];
      const result = results.get(block.tool_use_id);
      return [
        {
          tool: block.name,
          summary: shortened(whatOf(block), cwd),
          outcome: result === undefined ? 'no result' : result.is_error ? 'failed' : 'ok',
        },
      ];
    });
  });
}

/** In the order in which it first came to them. */
export function filesIn({ messages }: Transcript, cwd: string | undefined): readonly TouchedFile[] {
  const files = new Map<string, { added: number; removed: number; isChanged: boolean }>();
  const touch = (path: string, added = 0, removed = 0, isChanged = false): void => {
    const name = shortened(path, cwd);
    const before = files.get(name) ?? { added: 0, removed: 0, isChanged: false };
    files.set(name, {
      added: before.added + added,
      removed: before.removed + removed,
      isChanged: before.isChanged || isChanged,
    });
  };
  for (const { content } of messages) {
    const results = resultsIn(content);
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      const result = results.get(block.tool_use_id);
      for (const { path, added, removed } of result?.changes ?? []) touch(path, added ?? 0, removed ?? 0, true);
      const read = result && !result.is_error ? readBy(block) : undefined;
      if (read !== undefined) touch(read);
    }
  }
  return [...files].map(([path, { added, removed, isChanged }]) => ({
    path,
    what: isChanged ? `changed, +${added} −${removed}` : 'read',
  }));
}

/** A command says more than what it was meant for. */
function whatOf(call: ToolUseBlock): string {
  const view = viewOf(call);
  return view.kind === 'terminal' ? view.command : (call.summary ?? '');
}

function readBy(call: ToolUseBlock): string | undefined {
  const view = viewOf(call);
  return view.kind === 'file' ? view.path : undefined;
}

function viewOf({ tool_use_id: id, name, input }: ToolUseBlock): CallView {
  return describeCall({ id, name, input, summary: undefined, ref: undefined, refs: [] }, undefined);
}

function resultsIn(content: Transcript['messages'][number]['content']): ReadonlyMap<string, ToolResultBlock> {
  return new Map(content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block]] : [])));
}

/** The folder that it worked in is told once. */
function shortened(text: string, cwd: string | undefined): string {
  return cwd === undefined || cwd === '' || cwd === '/' ? text : text.replaceAll(`${cwd}/`, '');
}
