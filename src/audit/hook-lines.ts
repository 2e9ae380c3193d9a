import path from 'node:path';
import { groupBy } from '../base/group.ts';
import { asAmount, asObject, asText } from '../base/json.ts';
import { readLinesBackwards } from '../io/read-lines-backwards.ts';
import { nativeId, type SessionId } from '../model/ids.ts';
import { appendWhole, cutOff } from './append-whole.ts';
import { textOf } from './line-text.ts';

/** What is kept of a hook's call for the tracker. */
export interface HookLine {
  readonly host: string;
  readonly session: SessionId;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly payload: unknown;
}

export interface HookLineWriter {
  /** Each once: those that an earlier drain wrote before it was killed are left out. On the disk when it comes back. */
  append(lines: readonly HookLine[]): Promise<void>;
}

/** Under the lock, for one drain. */
export function createHookLineWriter(folder: string): HookLineWriter {
  const written = new Map<string, Set<string>>();
  return {
    async append(lines) {
      for (const [file, ofFile] of groupBy(lines, (line) => fileOf(folder, line))) {
        if (file === undefined) continue;
        const known = written.get(file) ?? (await mendAndReadIds(file, Math.min(...ofFile.map(({ at }) => at))));
        written.set(file, known);
        const news = ofFile.filter(({ id }) => !known.has(id));
        const text = news.map(({ id, at, payload }) => `${JSON.stringify({ id, at, payload })}\n`).join('');
        if (text !== '') await appendWhole(file, text);
        for (const { id } of news) known.add(id);
      }
    },
  };
}

/** None for a session whose id is no name of a file: ids come from outside, and no host's looks like that. */
function fileOf(folder: string, { host, session }: HookLine): string | undefined {
  const name = nativeId(session);
  return /^[\w-][\w.-]{0,199}$/.test(name) ? path.join(folder, 'hooks', host, `${name}.jsonl`) : undefined;
}

/** So many lines in a row that are older than what is looked for: events that are told late do not come in such numbers. */
const OLDER_LINES = 256;

/** Cuts off a torn end; then the ids of the last lines, as far back as events since `oldest` may stand. */
async function mendAndReadIds(file: string, oldest: number): Promise<Set<string>> {
  const ids = new Set<string>();
  let older = 0;
  try {
    for await (const line of readLinesBackwards(file)) {
      if (line.torn) {
        await cutOff(file, line.offset);
        continue;
      }
      const { id, at } = parseLine(textOf(line));
      if (id !== undefined) ids.add(id);
      older = at !== undefined && at >= oldest ? 0 : older + 1;
      if (older >= OLDER_LINES) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return ids;
}

function parseLine(text: string): { readonly id?: string | undefined; readonly at?: number | undefined } {
  try {
    const raw = asObject(JSON.parse(text));
    return { id: asText(raw?.['id']), at: asAmount(raw?.['at']) };
  } catch {
    return {};
  }
}
