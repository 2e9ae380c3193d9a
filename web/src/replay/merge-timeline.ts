import type { TimelineAgent, TimelineCall, TimelineReply, TimelineReport } from '../../../src/core/index.ts';
import { isEqual } from '../../../src/lib/json.ts';

/**
 * What was known, and a part that leaves out what was over before `since`. Whatever did not change stays the same
 * object: what was computed from it still holds. Times are compared as texts: they are all of one form.
 */
export function mergeTimeline(known: TimelineReport, part: TimelineReport, since: string): TimelineReport {
  const before = new Map(known.agents.map((agent) => [agent.id, agent]));
  const agents = part.agents.map((agent) => {
    const old = before.get(agent.id);
    return old ? mergeAgent(old, agent, since) : agent;
  });
  return { ...part, agents };
}

function mergeAgent(old: TimelineAgent, part: TimelineAgent, since: string): TimelineAgent {
  const calls = mergeCalls(old.calls, part.calls, since);
  const replies = mergeReplies(old.replies, part.replies, since);
  // These are always told in full.
  const compactions = isEqual(old.compactions, part.compactions) ? old.compactions : part.compactions;
  const isSame = calls === old.calls && replies === old.replies && compactions === old.compactions;
  return isSame ? old : { id: part.id, calls, replies, compactions };
}

/** Of the old ones those that the part leaves out: over before, so that nothing about them can have changed. */
function mergeCalls(
  old: readonly TimelineCall[],
  part: readonly TimelineCall[],
  since: string,
): readonly TimelineCall[] {
  const isOver = ({ endedAt }: TimelineCall): boolean => endedAt !== null && endedAt < since;
  if (part.length === 0 && old.every(isOver)) return old;
  const before = new Map(part.map(({ id }): [string, TimelineCall | undefined] => [id, undefined]));
  const kept: TimelineCall[] = [];
  for (const call of old) {
    if (before.has(call.id)) before.set(call.id, call);
    else if (isOver(call)) kept.push(call);
  }
  const news = part.map((call) => {
    const known = before.get(call.id);
    return known && isEqual(known, call) ? known : call;
  });
  return unlessSame(old, [...kept, ...news].sort(byStart));
}

/** They have no names: whoever is in the part's time is taken from the part. */
function mergeReplies(
  old: readonly TimelineReply[],
  part: readonly TimelineReply[],
  since: string,
): readonly TimelineReply[] {
  if (part.length === 0 && (old.at(-1)?.at ?? '') < since) return old;
  const kept = old.filter(({ at }) => (at ?? '') < since);
  const rest = old.slice(kept.length);
  const news = part
    .filter(({ at }) => (at ?? '') >= since)
    .map((reply, index) => (isEqual(reply, rest[index]) ? (rest[index] ?? reply) : reply));
  return unlessSame(old, [...kept, ...news]);
}

function byStart(a: TimelineCall, b: TimelineCall): number {
  const one = a.startedAt ?? a.endedAt ?? '';
  const other = b.startedAt ?? b.endedAt ?? '';
  if (one !== other) return one < other ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function unlessSame<T>(old: readonly T[], now: readonly T[]): readonly T[] {
  return old.length === now.length && now.every((one, index) => one === old[index]) ? old : now;
}
