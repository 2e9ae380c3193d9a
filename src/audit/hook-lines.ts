import path from 'node:path';
import { type AgentId, formatStartedBy, hostOf, nativeId, type SessionId } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { groupBy } from '../lib/group.ts';
import { asAmount, asText, parseObject } from '../lib/json.ts';
import { readLinesBackwards } from '../lib/read-lines.ts';
import { codeOf } from '../lib/user-error.ts';
import { appendWhole, cutOff, explainWrite, textOf, withLock } from './log-files.ts';

/** What is kept of a hook's call for the tracker. */
export interface HookLine {
  readonly host: string;
  readonly session: SessionId;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Left out where nothing of it tells about the tree. */
  readonly payload?: unknown;
  /** Which agent started the session's process, as the hook's environment says. */
  readonly startedBy?: string;
  /** Troupe started it, to go on from that agent. */
  readonly isContinued?: true;
  /** In the file of the session whose agent started it: the session that was started. */
  readonly started?: SessionId;
}

/** Under the lock, for one drain. */
export class HookLineWriter {
  readonly #folder: string;
  readonly #written = new Map<string, Set<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Each once: those that an earlier drain wrote before it was killed are left out. On the disk when it comes back. */
  async append(lines: readonly HookLine[]): Promise<void> {
    for (const [file, ofFile] of groupBy(lines, (line) => fileOf(this.#folder, line))) {
      if (file === undefined) continue;
      const known = this.#written.get(file) ?? (await repairAndReadIds(file, Math.min(...ofFile.map(({ at }) => at))));
      this.#written.set(file, known);
      const unknown = ofFile.filter((line) => !known.has(line.id));
      const news = withoutRecorded(file, unknown);
      const text = news.map(({ host: _host, session: _session, ...line }) => `${JSON.stringify(line)}\n`).join('');
      if (text !== '') await appendWhole(file, text);
      for (const line of news) known.add(line.id);
      noteRecorded(file, news);
    }
  }
}

/** Every hook of a process says who started it: once is enough. Once more, by another process of ours, does no harm. */
const told = new Set<string>();
const MOST_RECORDED = 10_000;

/** Lines that only say who started whom, each once. */
function withoutRecorded(file: string, lines: readonly HookLine[]): readonly HookLine[] {
  const here = new Set<string>();
  return lines.filter((line) => {
    if (line.payload !== undefined) return true;
    const start = startOf(file, line);
    const isNews = !told.has(start) && !here.has(start);
    here.add(start);
    return isNews;
  });
}

function noteRecorded(file: string, lines: readonly HookLine[]): void {
  if (told.size >= MOST_RECORDED) told.clear();
  for (const line of lines) if (line.startedBy !== undefined) told.add(startOf(file, line));
}

function startOf(file: string, { startedBy, started, isContinued }: HookLine): string {
  return [file, startedBy, started ?? '', isContinued ?? ''].join(' ');
}

/** None for a session whose id is no name of a file: ids come from outside, and no host's looks like that. */
function fileOf(folder: string, { host, session }: HookLine): string | undefined {
  const name = nativeId(session);
  return /^[\w-][\w.-]{0,199}$/.test(name) ? path.join(folder, 'hooks', host, `${name}.jsonl`) : undefined;
}

/** So many lines in a row that are older than what is looked for: events that are told late do not come in such numbers. */
const OLDER_LINES = 256;

/** Cuts off a torn end; then the ids of the last lines, as far back as events since `oldest` may stand. */
async function repairAndReadIds(file: string, oldest: number): Promise<Set<string>> {
  const ids = new Set<string>();
  let older = 0;
  try {
    for await (const line of readLinesBackwards(file)) {
      if (line.torn) {
        await cutOff(file, line.offset);
        continue;
      }
      const raw = parseObject(textOf(line));
      const [id, at] = [asText(raw?.['id']), asAmount(raw?.['at'])];
      if (id !== undefined) ids.add(id);
      older = at !== undefined && at >= oldest ? 0 : older + 1;
      if (older >= OLDER_LINES) break;
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw explainWrite(file, error);
  }
  return ids;
}

const PATIENCE_MS = 10_000;

/**
 * Keeps which agent, of which session, a session goes on from, in the files of both, so that whoever looks at one finds the other.
 * False where it could not be kept: an id that is no name of a file, or somebody who drains for ever.
 */
export async function recordResumed(
  folder: string,
  { session, of, agent }: { readonly session: SessionId; readonly agent: AgentId; readonly of: SessionId },
  clock: Clock,
): Promise<boolean> {
  const startedBy = formatStartedBy(of, agent);
  if (startedBy === undefined || session === of) return false;
  const id = `continued ${nativeId(session)}`;
  const common = { id, at: clock(), startedBy, isContinued: true } as const;
  const lines: readonly HookLine[] = [
    { ...common, host: hostOf(session), session },
    { ...common, host: hostOf(of), session: of, started: session },
  ];
  const recorded = await withLock(folder, clock, PATIENCE_MS, async () => {
    await new HookLineWriter(folder).append(lines);
    return true;
  });
  return recorded ?? false;
}
