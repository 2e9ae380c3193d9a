import { mainAgentOf, type SourceId } from './ids.ts';
import type { AgentRecord, ProcessRecord, SessionLedger, Tail } from './ledger.ts';

/** Whether anybody can still be at work in a session. File times say nothing here: copies and sync tools change them. */
export interface SessionLife {
  readonly alive: boolean;
  readonly how: 'process' | 'recent-line' | 'no-process' | 'old-line';
  /** When the oldest process began that still runs: agents from before it are lost. */
  readonly aliveSince?: number;
  /** The process that runs, or the one whose record was left behind. */
  readonly process?: ProcessRecord;
  /** The process ended without tidying up behind its last line: it was killed, or the machine went down. */
  readonly died: boolean;
  /** The process ended in good order after its last line. */
  readonly closed: boolean;
}

/** For hosts that keep no record of their processes: a last line this young may still be followed by another. */
const RECENT_MS = 5 * 60_000;

export function lifeOf(ledger: SessionLedger, now: number): SessionLife {
  const processes = [...ledger.processes.values()].sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0));
  const running = processes.find((process) => process.alive);
  const closed = isClosed(ledger);
  if (running) {
    const since = processes.filter(({ alive }) => alive).map(({ startedAt }) => startedAt ?? 0);
    return {
      alive: true,
      how: 'process',
      process: running,
      aliveSince: Math.min(...since),
      died: false,
      closed: false,
    };
  }
  const left = processes[0];
  const rest = { ...(left && { process: left }), died: left !== undefined && !closed, closed };
  if (left || closed || ledger.keepsProcessRecords?.value) return { alive: false, how: 'no-process', ...rest };
  const silence = now - lastLineAt(ledger);
  // A clock that was ahead must not keep a session alive.
  const recent = silence < RECENT_MS && silence > -RECENT_MS;
  return { alive: recent, how: recent ? 'recent-line' : 'old-line', ...rest };
}

/** The end of a conversation so far: its own last line, by time over several files; a copy only where there is no other. */
export function tailOf(agent: AgentRecord | undefined): Tail | undefined {
  let last: Tail | undefined;
  for (const tail of agent?.tails.values() ?? []) {
    if (!last || tail.at > last.at || (tail.at === last.at && isSurer(tail, last))) last = tail;
  }
  return last;
}

/** Two ends at one moment, in two files: the agent's own before a copy, then the one that has gone further. */
function isSurer(a: Tail, b: Tail): boolean {
  if (a.copied !== b.copied) return !a.copied;
  return `${a.entry} ${a.end ?? ''} ${a.offset}` > `${b.entry} ${b.end ?? ''} ${b.offset}`;
}

/** Of several files (an older state that was put aside), the one that holds the last line decides. */
function isClosed(ledger: SessionLedger): boolean {
  if (ledger.closedAt !== undefined && ledger.closedAt >= lastLineAt(ledger)) return true;
  const tails = ledger.agents.get(mainAgentOf(ledger.id))?.tails ?? new Map<SourceId, Tail>();
  if (tails.size === 0) return ledger.closings.size > 0;
  const [source, tail] = [...tails].reduce((a, b) =>
    b[1].at > a[1].at || (b[1].at === a[1].at && b[0] > a[0]) ? b : a,
  );
  // The same line may be the last of the conversation and the end of the process.
  return (ledger.closings.get(source) ?? -1) >= tail.offset;
}

function lastLineAt(ledger: SessionLedger): number {
  let last = 0;
  for (const agent of ledger.agents.values()) last = Math.max(last, agent.lastAt ?? 0);
  return last;
}
