import type { LocatedSession, SourceAdapter } from '../adapters/adapter.ts';
import { readHead } from '../io/read-range.ts';

/** A session and the adapter that claimed it. */
export interface FoundSession {
  readonly adapter: SourceAdapter;
  readonly located: LocatedSession;
}

export interface Place {
  readonly adapter: SourceAdapter;
  readonly root: string;
}

export interface FoundSessions {
  /** Newest first. Not yet claimed: `claim` looks into a file when its session is wanted. */
  readonly sessions: readonly FoundSession[];
  readonly ignoredFiles: ReadonlySet<string>;
}

/** Lists the sessions of all places, newest first, without reading any conversation. */
export async function findSessions(places: readonly Place[]): Promise<FoundSessions> {
  const sessions: FoundSession[] = [];
  const used = new Set<string>();
  const ignored = new Set<string>();
  for (const { adapter, root } of places) {
    const located = await adapter.locate(root);
    for (const session of located.sessions) {
      sessions.push({ adapter, located: session });
      for (const source of session.sources) used.add(source.path);
    }
    for (const file of located.ignoredFiles) ignored.add(file);
  }
  for (const file of used) ignored.delete(file);
  sessions.sort((a, b) => b.located.modifiedAt - a.located.modifiedAt || (a.located.id < b.located.id ? -1 : 1));
  return { sessions, ignoredFiles: ignored };
}

const HEAD_BYTES = 64 * 1024;

/** Whether the session's files are the adapter's by their content. Sources of another host drop out, and are counted. */
export async function claim(found: FoundSession, ignoredFiles: Set<string>): Promise<FoundSession | undefined> {
  const { adapter, located } = found;
  const sources = [];
  for (const source of located.sources) {
    if (source.companion || (await isClaimed(adapter, source.path))) sources.push(source);
    else ignoredFiles.add(source.path);
  }
  return sources.some((source) => !source.companion) ? { adapter, located: { ...located, sources } } : undefined;
}

/** An empty or unreadable file is not another host's: it stays, and what is wrong with it is told when it is read. */
async function isClaimed(adapter: SourceAdapter, file: string): Promise<boolean> {
  try {
    const head = await readHead(file, HEAD_BYTES);
    return head.length === 0 || adapter.sniff(head);
  } catch {
    return true;
  }
}
