import type { Line } from '../base/lines.ts';
import { readLinesBackwards } from '../io/read-lines-backwards.ts';
import { streamLines } from '../io/stream-lines.ts';
import type { AuditDecision, AuditEntry } from '../model/audit.ts';
import { parseEntry } from './chain.ts';
import { textOf } from './line-text.ts';
import { dayOf, type LogFile, listLogFiles } from './log-files.ts';

/** Which entries; all that is given must hold. */
export interface LogFilter {
  /** The beginning of an id, a name or a type; `main`, `subagent` or `unknown`. */
  readonly agent?: string;
  readonly decision?: AuditDecision;
  readonly tool?: string;
  /** The beginning of the host's id. */
  readonly session?: string;
  /** Epoch milliseconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

export interface ReadOptions extends LogFilter {
  readonly order?: 'newest' | 'oldest';
  /** At most so many. */
  readonly limit?: number;
  /** A line that is none; reading goes on. */
  onBadLine?(file: string): void;
}

/** The entries of the log, newest first unless told otherwise. Reads no more files than it must. */
export async function* readLog(folder: string, options: ReadOptions = {}): AsyncGenerator<AuditEntry> {
  const { order = 'newest', limit = Number.POSITIVE_INFINITY, since } = options;
  // An event that was told late stands in the file of a later day; in one of an earlier day stands none.
  const files = (await listLogFiles(folder)).filter(({ day }) => since === undefined || day >= dayOf(since));
  let given = 0;
  for (const file of order === 'newest' ? files.toReversed() : files) {
    for await (const entry of readEntries(file, order, options)) {
      if (given >= limit) return;
      yield entry;
      if (++given >= limit) return;
    }
  }
}

export function matches(entry: AuditEntry, { agent, decision, tool, session, since, until }: LogFilter): boolean {
  const at = Date.parse(entry.at);
  return (
    (agent === undefined || isAgent(entry, agent.toLowerCase())) &&
    (decision === undefined || entry.decision === decision) &&
    (tool === undefined || entry.tool?.toLowerCase() === tool.toLowerCase()) &&
    (session === undefined || (entry.session?.startsWith(session) ?? false)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until)
  );
}

/** The entry of a line; tells of one that is none. A torn one is still being written. */
export function toKnownEntry(line: Line, file: LogFile, { onBadLine }: ReadOptions): AuditEntry | undefined {
  if (line.torn) return undefined;
  const entry = parseEntry(textOf(line));
  if (!entry) onBadLine?.(file.name);
  return entry;
}

function isAgent({ agent: { id, name, type, who } }: AuditEntry, wanted: string): boolean {
  return (
    (id?.toLowerCase().startsWith(wanted) ?? false) || [name, type, who].some((is) => is?.toLowerCase() === wanted)
  );
}

async function* readEntries(
  file: LogFile,
  order: 'newest' | 'oldest',
  options: ReadOptions,
): AsyncGenerator<AuditEntry> {
  try {
    for await (const line of order === 'newest' ? readLinesBackwards(file.path) : streamLines(file.path)) {
      const entry = toKnownEntry(line, file, options);
      if (entry && matches(entry, options)) yield entry;
    }
  } catch (error) {
    // It became too old since we listed it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
