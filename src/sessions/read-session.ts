import {
  type AgentNode,
  type MessageRecord,
  mainAgentOf,
  reduce,
  type SessionForked,
  type SessionLedger,
  type SourceId,
} from '../core/index.ts';
import type { LocatedSession, LocatedSource, SourceAdapter } from '../hosts/index.ts';
import { followSession } from './follow-session.ts';

/** Reads every source of a session into a new ledger. A source that cannot be read is a diagnostic; the others go on. */
export async function readSession(adapter: SourceAdapter, session: LocatedSession): Promise<SessionLedger> {
  const followed = followSession(adapter, session);
  await followed.refresh(session);
  return followed.ledger;
}

/** Looks for the older session that this one began as a copy of. Reads its neighbours, so only where one was opened. */
export async function noteOrigin(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
): Promise<void> {
  const fact = await originOf(adapter, session, ledger);
  if (fact && fact !== 'too early') reduce(ledger, fact);
}

/** The fact that it is a copy; `too early` as long as nothing was said in it. */
export async function originOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
): Promise<SessionForked | 'too early' | undefined> {
  const main = mainAgentOf(session.id);
  let first: MessageRecord | undefined;
  for (const message of ledger.messages.values()) {
    if (message.role !== 'user' || !message.agents.has(main)) continue;
    if (!first || message.origin.offset < first.origin.offset) first = message;
  }
  if (!first) return 'too early';
  const found = await adapter.findOrigin?.(session, first.id);
  if (!found) return undefined;
  const replies = [...found.replies].filter((id) => ledger.messages.has(id));
  return { kind: 'session-forked', session: session.id, origin: first.origin, from: found.id, replies };
}

/** Of a session with hundreds of files, each of which is asked for. */
const byId = new WeakMap<LocatedSession, ReadonlyMap<SourceId, LocatedSource>>();

function sourcesById(session: LocatedSession): ReadonlyMap<SourceId, LocatedSource> {
  const known = byId.get(session) ?? new Map(session.sources.map((source) => [source.id, source]));
  byId.set(session, known);
  return known;
}

/** Where an agent's own conversation stands, in the order in which it was written; some may lie outside the session. */
export async function sourcesOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  agent: AgentNode,
): Promise<readonly LocatedSource[]> {
  const own = sourcesById(session);
  const away = agent.sources.some((id) => !own.has(id));
  const borrowed = away && adapter.locateAgents ? await adapter.locateAgents(session, [agent.id]) : [];
  const known = away ? new Map([...own, ...borrowed.map((source) => [source.id, source] as const)]) : own;
  // Without a file of its own there may be copies of its lines in the main transcript.
  if (agent.sources.length === 0) return session.sources.filter((source) => !source.agent && !source.companion);
  return agent.sources.flatMap((id) => known.get(id) ?? []);
}
