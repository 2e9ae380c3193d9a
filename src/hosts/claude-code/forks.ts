// `--fork-session` and `/branch`: a new session that begins with a copy of another one's lines, and does not say so.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { nativeId, toSessionId } from '../../core/index.ts';
import { listFolder } from '../../lib/folders.ts';
import { asInstant } from '../../lib/json.ts';
import { readHead, streamLines } from '../../lib/read-lines.ts';
import type { LocatedSession, SessionOrigin } from '../index.ts';
import { HOST } from './line-context.ts';
import { nativeAgentOf } from './sources.ts';

/** A copied line keeps its id, and the first line of a conversation is copied first. */
const HEAD_BYTES = 256 * 1024;

/** The older session that holds the line `firstLine` as well, and the ids of the replies that both have. */
export async function findOrigin(session: LocatedSession, firstLine: string): Promise<SessionOrigin | undefined> {
  const own = session.sources.find(({ role }) => role === 'session');
  if (!own) return undefined;
  const age = await ageOf(own.path).catch(() => undefined);
  if (!age) return undefined;
  const project = path.dirname(own.path);
  for (const entry of await listFolder(project)) {
    const file = path.join(project, entry.name);
    const isOther = file !== own.path && entry.kind === 'file' && entry.name.endsWith('.jsonl') && !nativeAgentOf(file);
    if (!isOther || path.basename(file, '.jsonl') === nativeId(session.id)) continue;
    const replies = await repliesIfOrigin(file, firstLine, age).catch(() => undefined);
    if (replies) return { id: toSessionId(HOST, path.basename(file, '.jsonl')), replies };
  }
  return undefined;
}

/** A neighbour that cannot be read is no origin that we could prove. */
async function repliesIfOrigin(file: string, firstLine: string, age: Age): Promise<ReadonlySet<string> | undefined> {
  const head = Buffer.from(await readHead(file, HEAD_BYTES));
  if (!head.includes(`"uuid":"${firstLine}"`) || !isOlder(await ageOf(file), age)) return undefined;
  return replyIdsIn(file);
}

interface Age {
  /** Of the first line that has a time: a fork's own first lines are younger than the lines it copies behind them. */
  readonly firstAt: number;
  readonly born: number;
}

async function ageOf(file: string): Promise<Age> {
  const head = Buffer.from(await readHead(file, HEAD_BYTES)).toString('utf8');
  const { birthtimeMs } = await stat(file);
  return { firstAt: asInstant(head.match(/"timestamp":"([^"]+)"/)?.[1]) ?? 0, born: birthtimeMs };
}

function isOlder(a: Age, b: Age): boolean {
  return a.firstAt === b.firstAt ? a.born < b.born : a.firstAt < b.firstAt;
}

/** By a look at the bytes: a text that quotes an id would have its quotes escaped. */
async function replyIdsIn(file: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { bytes } of streamLines(file)) {
    const id = Buffer.from(bytes)
      .toString('utf8')
      .match(/"id":"(msg_[^"]+)"/)?.[1];
    if (id !== undefined) ids.add(id);
  }
  return ids;
}
