import { readFileSync } from 'node:fs';
import { type AgentEvent, createLedger, reduce, type SessionLedger } from '../../core/index.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import type { LocatedSession, LocatedSource, SourceAdapter } from '../index.ts';

/** Long after every recording: nobody is at work any more. */
export const MUCH_LATER = Date.parse('2030-01-01T00:00:00Z');

/** Bytes of one source, so that a test can cut, shorten or damage them; of a table, what it says. */
export interface Fed {
  readonly source: LocatedSource;
  readonly bytes: Uint8Array;
  readonly facts?: readonly AgentEvent[];
}

export function bytesOf(session: LocatedSession): readonly Fed[] {
  return session.sources.map((source) => ({ source, bytes: readFileSync(source.path) }));
}

/** The same for hosts that keep tables as well. */
export async function feedOf(adapter: SourceAdapter, session: LocatedSession): Promise<readonly Fed[]> {
  const fed: Fed[] = [];
  for (const source of session.sources) {
    if (source.shape !== 'table') fed.push({ source, bytes: readFileSync(source.path) });
    else fed.push({ source, bytes: new Uint8Array(), facts: await factsIn(adapter, session, source) });
  }
  return fed;
}

async function factsIn(adapter: SourceAdapter, session: LocatedSession, source: LocatedSource): Promise<AgentEvent[]> {
  const facts: AgentEvent[] = [];
  await adapter.openTable?.(session, source).look((more) => facts.push(...more));
  return facts;
}

/** The facts of one source, its bytes handed over in pieces that end where `cuts` say. */
export function eventsOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  fed: Fed,
  cuts: readonly number[] = [],
): AgentEvent[] {
  const { source, bytes, facts } = fed;
  if (facts) return [...facts];
  const reader = adapter.createReader(session, source);
  if (source.shape === 'document') {
    return [...reader.read({ bytes, offset: 0, length: bytes.length, torn: false, tooLong: false })];
  }
  const splitter = createLineSplitter();
  const events: AgentEvent[] = [];
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    for (const line of splitter.push(bytes.slice(from, end))) events.push(...reader.read(line));
    from = end;
  }
  const rest = splitter.rest();
  if (rest) events.push(...reader.read(rest));
  return events;
}

export function ledgerOf(session: LocatedSession, events: Iterable<AgentEvent>): SessionLedger {
  const ledger = createLedger(session.id);
  for (const fact of session.facts) reduce(ledger, fact);
  for (const event of events) reduce(ledger, event);
  return ledger;
}
