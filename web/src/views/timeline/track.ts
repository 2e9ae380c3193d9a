import {
  type AgentReport,
  isAtWork,
  STALLED_AFTER,
  type TimelineAgent,
  type TimelineCall,
  type TimelineCompaction,
} from '../../../../src/core/index.ts';

// An agent's life as stretches of time, in epoch milliseconds.

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Wait extends Span {
  readonly on: 'child' | 'person' | 'limit';
}

export interface CallMark {
  readonly call: TimelineCall;
  readonly from: number;
  /** undefined: it has no result. */
  readonly to: number | undefined;
}

export interface CompactionMark {
  readonly at: number;
  readonly compaction: TimelineCompaction;
}

/** What the timeline says of an agent, with its times read. */
export interface Track {
  readonly id: string;
  /** In the order in which they began. */
  readonly calls: readonly CallMark[];
  readonly compactions: readonly CompactionMark[];
  /** Between two signs of life, too long for work that goes on. */
  readonly silences: readonly Span[];
  /** It waited for the answer of a sub-agent. */
  readonly waits: readonly Wait[];
  readonly lastSign: number | undefined;
  readonly longestMs: number;
}

export const EMPTY_TRACK: Omit<Track, 'id'> = {
  calls: [],
  compactions: [],
  silences: [],
  waits: [],
  lastSign: undefined,
  longestMs: 0,
};

const tracks = new WeakMap<TimelineAgent, Track>();

/** Read once for each version of an agent: reading times is what costs. */
export function trackOf(agent: TimelineAgent): Track {
  const known = tracks.get(agent);
  if (known) return known;
  const track = readTrack(agent);
  tracks.set(agent, track);
  return track;
}

function readTrack(agent: TimelineAgent): Track {
  const calls = agent.calls.flatMap(readCall);
  const replies = agent.replies.flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]));
  const compactions = agent.compactions.flatMap((compaction) =>
    compaction.at === null ? [] : [{ at: Date.parse(compaction.at), compaction }],
  );
  const silences = silencesBetween(calls, replies);
  const lastCall = calls.reduce((last, { from, to }) => Math.max(last, to ?? from), Number.NEGATIVE_INFINITY);
  const last = Math.max(lastCall, replies.at(-1) ?? Number.NEGATIVE_INFINITY);
  return {
    id: agent.id,
    calls,
    compactions,
    silences,
    waits: calls.flatMap(({ call, from, to }) =>
      call.spawned !== null && to !== undefined ? [{ from, to, on: 'child' as const }] : [],
    ),
    lastSign: Number.isFinite(last) ? last : undefined,
    longestMs: calls.reduce((longest, { from, to }) => Math.max(longest, (to ?? from) - from), 0),
  };
}

function readCall(call: TimelineCall): readonly CallMark[] {
  const begin = call.startedAt ?? call.endedAt;
  if (begin === null) return [];
  const from = Date.parse(begin);
  const to = call.endedAt === null ? undefined : Math.max(from, Date.parse(call.endedAt));
  return [{ call, from, to }];
}

/** 0 to 1: a tenth of a second is short, five minutes are long; between them by the number of digits. */
export function weightOf(ms: number): number {
  const [least, most] = [Math.log(100), Math.log(300_000)];
  return Math.min(1, Math.max(0, (Math.log(Math.max(1, ms)) - least) / (most - least)));
}

/** Stretches too long for work that goes on, in which no call was open and no reply came. Both lists are in order. */
export function silencesBetween(
  calls: readonly Pick<CallMark, 'from' | 'to'>[],
  replies: readonly number[],
  ms: number = STALLED_AFTER.reply,
): readonly Span[] {
  const gaps: Span[] = [];
  let end: number | undefined;
  const meet = (from: number, to: number): void => {
    if (end !== undefined && from - end > ms) gaps.push({ from: end, to: from });
    end = Math.max(end ?? to, to);
  };
  let next = 0;
  for (const { from, to } of calls) {
    for (let at = replies[next]; at !== undefined && at <= from; at = replies[++next]) meet(at, at);
    meet(from, to ?? from);
  }
  for (const at of replies.slice(next)) meet(at, at);
  return gaps;
}

export interface Bars {
  /** From when it was set to work until it ended, or as far as is known. */
  readonly runs: readonly (Span & { readonly isOpen: boolean })[];
  /** Its runs without the silences. */
  readonly pieces: readonly Span[];
  /** In its runs: nothing was heard. */
  readonly silences: readonly Span[];
  /** In its runs: it waited for a sub-agent, or for the person. */
  readonly waits: readonly Wait[];
}

/** What is left of a stretch without others that are in order. */
export function without({ from, to }: Span, others: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  let begin = from;
  for (const other of others) {
    if (other.to <= begin || other.from >= to) continue;
    if (other.from > begin) left.push({ from: begin, to: other.from });
    begin = other.to;
  }
  return begin < to || from === to ? [...left, { from: begin, to: Math.max(begin, to) }] : left;
}

export function barsOf(agent: AgentReport, track: Omit<Track, 'id'>, now: number): Bars {
  const runs = agent.runs.flatMap(({ startedAt, endedAt, status }) => {
    const begin = startedAt ?? agent.startedAt;
    if (begin === null) return [];
    const from = Date.parse(begin);
    const isOpen = endedAt === null && isAtWork(status);
    const end = endedAt !== null ? Date.parse(endedAt) : isOpen ? now : (track.lastSign ?? from);
    return [{ from, to: Math.max(from, end), isOpen }];
  });
  const waiting = waitNow(agent, track, now);
  const silences = [...track.silences, ...silenceNow(agent, track, now)];
  return {
    runs,
    pieces: runs.flatMap((run) => without(run, silences)),
    silences,
    waits: waiting ? [...track.waits, waiting] : track.waits,
  };
}

/** Only the present says that it waits for the person or for a limit: nobody writes that down. */
function waitNow(agent: AgentReport, track: Omit<Track, 'id'>, now: number): Wait | undefined {
  if (agent.status !== 'waiting' || agent.waitingOn === null) return undefined;
  const open = track.calls.findLast(({ to, call }) => to === undefined && call.spawned !== null);
  if (agent.waitingOn === 'child') return open && { from: open.from, to: now, on: 'child' };
  const last = agent.lastActivityAt === null ? track.lastSign : Date.parse(agent.lastActivityAt);
  return last === undefined
    ? undefined
    : { from: last, to: now, on: agent.waitingOn === 'rate-limit' ? 'limit' : 'person' };
}

function silenceNow(agent: AgentReport, { lastSign, calls }: Omit<Track, 'id'>, now: number): readonly Span[] {
  if (!agent.stalled || lastSign === undefined) return [];
  return calls.some(({ to }) => to === undefined) ? [] : [{ from: lastSign, to: now }];
}

/** The call of a row at a moment, give or take: of several the shortest, because the others are seen around it. */
export function callAt({ calls, longestMs }: Track, at: number, reachMs: number, now: number): CallMark | undefined {
  let best: CallMark | undefined;
  for (let index = firstFrom(calls, at + reachMs) - 1; index >= 0; index--) {
    const mark = calls[index];
    if (!mark) break;
    // Nothing that began before can reach so far, but what has no end.
    if (mark.from + longestMs + reachMs < at && mark.to !== undefined && index < calls.length - OPEN_REACH) break;
    if (endOf(mark, now) + reachMs < at) continue;
    if (!best || endOf(mark, now) - mark.from < endOf(best, now) - best.from) best = mark;
  }
  return best;
}

/** Calls without a result are among the last ones. */
const OPEN_REACH = 50;

function endOf({ from, to }: CallMark, now: number): number {
  return to ?? Math.max(from, now);
}

/** Index of the first call that begins after a moment. */
export function firstFrom(calls: readonly CallMark[], at: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
