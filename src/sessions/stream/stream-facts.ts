import type { AgentEvent, AgentId, SessionLedger } from '../../core/index.ts';
import type { Line } from '../../lib/lines.ts';

/** Facts that are said of a moment. Those of streams are of the moment in which they came: many lines have no time. */
const TIMED: ReadonlySet<AgentEvent['kind']> = new Set([
  'session-seen',
  'session-titled',
  'agent-seen',
  'agent-prompted',
  'run-resumed',
  'run-ended',
  'entry-added',
  'usage-counted',
  'tool-started',
  'tool-ended',
  'agent-compacted',
  'agent-asked',
]);

export function stamp(fact: AgentEvent, at: number): AgentEvent {
  return TIMED.has(fact.kind) ? ({ ...fact, at } as AgentEvent) : fact;
}

/** Whether anything was said that may change what is told: not by the main agent's own work, which is most of a stream. */
export function concernsTree(facts: readonly AgentEvent[], main: AgentId, { calls }: SessionLedger): boolean {
  return facts.some((fact) => {
    if (fact.kind === 'agent-linked' || fact.kind === 'run-ended' || fact.kind === 'run-resumed') return true;
    if (fact.kind === 'tool-ended' && calls.get(fact.call)?.spawn) return true;
    return 'agent' in fact && fact.agent !== main && fact.kind !== 'usage-counted';
  });
}

const HEAD_BYTES = 4_096;
const TIME = /"timestamp":(?:"(\d{4}-\d\d-\d\dT[^"]+)"|(\d{13}))/;

/** When the host says that a line was written; a stream may have been kept for a year. */
export function firstTimeIn({ bytes, offset }: Line): number | undefined {
  if (offset > HEAD_BYTES * 64) return undefined;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = all.lastIndexOf('"timestamp":');
  const [, iso, epoch] = at === -1 ? [] : (TIME.exec(all.subarray(at, at + 64).toString('latin1')) ?? []);
  if (epoch !== undefined) return Number(epoch);
  return iso === undefined ? undefined : Date.parse(iso) || undefined;
}
