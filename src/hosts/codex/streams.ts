// Files that hold what `codex exec --json` printed: they lie where somebody put them, not in the host's own folders.

import path from 'node:path';
import { listFolder } from '../../lib/folders.ts';
import { readHead } from '../../lib/read-lines.ts';

export interface StreamFile {
  readonly file: string;
  readonly thread: string;
}

const FIRST_LINE = /^\s*\{"type":"thread\.started","thread_id":"([\w-]+)"/;
const HEAD_BYTES = 512;

export function threadOfStream(head: Uint8Array): string | undefined {
  return FIRST_LINE.exec(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('utf8'))?.[1];
}

/** Those that lie in this very folder. */
export async function streamsIn(folder: string): Promise<readonly StreamFile[]> {
  const found: StreamFile[] = [];
  for (const { name, kind } of await listFolder(folder)) {
    const file = path.join(folder, name);
    const thread = kind === 'file' && name.endsWith('.jsonl') ? await threadOfFile(file) : undefined;
    if (thread !== undefined) found.push({ file, thread });
  }
  return found;
}

export async function threadOfFile(file: string): Promise<string | undefined> {
  const head = await readHead(file, HEAD_BYTES).catch(() => undefined);
  return head && threadOfStream(head);
}
