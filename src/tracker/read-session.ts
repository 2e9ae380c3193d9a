import { readFile } from 'node:fs/promises';
import type { LocatedSession, LocatedSource, SourceAdapter } from '../adapters/adapter.ts';
import { readLines } from '../io/read-lines.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type AgentId, mainAgentOf } from '../model/ids.ts';
import { createLedger, type MessageRecord, type SessionLedger } from '../model/ledger.ts';
import { reduce } from '../model/reduce.ts';
import type { AgentNode } from '../model/tree.ts';

/** Reads every source of a session into a new ledger. A source that cannot be read is a diagnostic; the others go on. */
export async function readSession(adapter: SourceAdapter, session: LocatedSession): Promise<SessionLedger> {
  const ledger = createLedger(session.id);
  for (const fact of session.facts) reduce(ledger, fact);
  await readSources(adapter, session, session.sources, ledger);
  // What is found elsewhere may name agents of its own.
  const asked = new Set<AgentId>();
  for (;;) {
    const missing = agentsWithoutTranscript(ledger).filter((agent) => !asked.has(agent));
    if (missing.length === 0 || !adapter.locateAgents) break;
    for (const agent of missing) asked.add(agent);
    await readSources(adapter, session, await adapter.locateAgents(session, missing), ledger);
  }
  return ledger;
}

/** Looks for the older session that this one began as a copy of. Reads its neighbours, so only where one was opened. */
export async function noteOrigin(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
): Promise<void> {
  const main = mainAgentOf(session.id);
  let first: MessageRecord | undefined;
  for (const message of ledger.messages.values()) {
    if (message.role !== 'user' || !message.agents.has(main)) continue;
    if (!first || message.origin.offset < first.origin.offset) first = message;
  }
  const found = first && (await adapter.findOrigin?.(session, first.id));
  if (!first || !found) return;
  const replies = [...found.replies].filter((id) => ledger.messages.has(id));
  reduce(ledger, { kind: 'session-forked', session: session.id, origin: first.origin, from: found.id, replies });
}

/** Where an agent's own conversation stands, in the order in which it was written; some may lie outside the session. */
export async function sourcesOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  agent: AgentNode,
): Promise<readonly LocatedSource[]> {
  const known = new Map(session.sources.map((source) => [source.id, source]));
  const away = agent.sources.some((id) => !known.has(id));
  const borrowed = away && adapter.locateAgents ? await adapter.locateAgents(session, [agent.id]) : [];
  for (const source of borrowed) known.set(source.id, source);
  // Without a file of its own there may be copies of its lines in the main transcript.
  if (agent.sources.length === 0) return session.sources.filter((source) => !source.agent && !source.companion);
  return agent.sources.flatMap((id) => known.get(id) ?? []);
}

/** Files that are read at the same time: while one is taken apart, the system fetches the others. */
const SIDE_BY_SIDE = 8;

/** In any order: the ledger does not care which file comes first. */
async function readSources(
  adapter: SourceAdapter,
  session: LocatedSession,
  sources: readonly LocatedSource[],
  ledger: SessionLedger,
): Promise<void> {
  const queue = sources.values();
  const readOn = async (): Promise<void> => {
    for (const source of queue) await readSource(adapter, session, source, ledger);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, readOn));
}

async function readSource(
  adapter: SourceAdapter,
  session: LocatedSession,
  source: LocatedSource,
  ledger: SessionLedger,
): Promise<void> {
  const reader = adapter.createReader(session, source);
  try {
    if (source.shape === 'document') {
      const bytes = await readFile(source.path);
      const line = { bytes, offset: 0, length: bytes.length, torn: false, tooLong: false };
      for (const event of reader.read(line)) reduce(ledger, event);
    } else {
      await readLines(source.path, (line) => {
        try {
          for (const event of reader.read(line)) reduce(ledger, event);
        } catch (error) {
          const origin = { source: source.id, offset: line.offset, length: line.length };
          reduce(ledger, {
            kind: 'problem-found',
            session: session.id,
            origin,
            diagnostic: { ...failure(error), origin },
          });
        }
      });
    }
  } catch (error) {
    const origin = { source: source.id, offset: 0, length: 0 };
    reduce(ledger, { kind: 'problem-found', session: session.id, origin, diagnostic: { ...failure(error), origin } });
  }
}

/** A file that cannot be read, or a bug of ours in it: told with its place, and the session's other files are read. */
function failure(error: unknown): Pick<Diagnostic, 'code' | 'detail'> {
  if (error instanceof Error && 'syscall' in error) return { code: 'unreadable-file', detail: error.message };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'reader-failed', detail: stack.split('\n').slice(0, 3).join(' ') };
}

/** Named by a call's result or by the notice of its end, and not read yet. A sidecar alone may be another session's. */
function agentsWithoutTranscript(ledger: SessionLedger): readonly AgentId[] {
  return [...ledger.agents.values()]
    .filter((agent) => agent.sources.size === 0)
    .filter((agent) => [...agent.links.values()].some(({ evidence }) => evidence !== 'sidecar'))
    .map((agent) => agent.id);
}
