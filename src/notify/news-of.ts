import {
  type AgentReport,
  isAtWork,
  isOver,
  type RunReport,
  type SessionDetail,
  SILENT,
  type TimelineCall,
  type TimelineReport,
} from '../core/index.ts';
import type { News, Wishes } from './news.ts';
import { isCallTold, type Notice, type Told } from './told.ts';

/** A call is made before its agent writes its first line, which is what binds the two: on a busy machine, long before. */
const BINDING_MS = 15_000;
/** The agents are there, and it is not known which of them it made. */
const AMBIGUOUS_MS = 3_000;
/** Lines that belong together come one by one: what looks like an end, or like rest, has to last. */
const SETTLE_MS = 1_500;
/** A process that is gone may have left lines that are not read yet. */
const GONE_MS = 3_000;

export interface Known {
  readonly session: SessionDetail;
  readonly timeline: TimelineReport | undefined;
  readonly told: Told;
  readonly wishes: Wishes;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Looked extends Known {
  /** Sessions may have thousands of agents. */
  readonly toldIds: ReadonlySet<string>;
}

/** What there is to tell of a session, oldest first. The same question again gives the same answer until it was told. */
export function newsOf(asked: Known): readonly News[] {
  const known: Looked = { ...asked, toldIds: new Set(asked.told.ids) };
  const { session, wishes } = known;
  const found = [
    ...(wishes.spawns ? spawns(known) : []),
    ...unbound(known),
    ...(wishes.started ? starts(known) : []),
    ...(wishes.results ? ends(known) : []),
    ...(wishes.tools ? calls(known) : []),
  ].filter((news) => news.at >= known.told.since);
  const notice = wishes.notices ? noticeOf(session, known) : undefined;
  return [...found.toSorted((a, b) => a.at - b.at || RANKS[a.kind] - RANKS[b.kind]), ...(notice ? [notice] : [])];
}

/** Of two things at the same moment, what comes first. */
const RANKS: Readonly<Record<News['kind'], number>> = {
  'unbound-spawn': 0,
  spawned: 0,
  started: 1,
  called: 2,
  'unbound-end': 3,
  ended: 3,
  'needs-you': 4,
  rest: 4,
};

/** What was told stands, but nobody is called any more: when the next reason comes, the person is called again. */
export function settleNotice(told: Told, session: SessionDetail): Told {
  return told.notice !== null && noticeKind(session) === undefined ? { ...told, notice: null } : told;
}

function spawns({ session, toldIds }: Looked): readonly News[] {
  return session.subagents.flatMap((agent): News[] => {
    const id = `spawn:${agent.id}`;
    if (agent.kind === 'internal' || toldIds.has(id) || isOfManyCalls(agent)) return [];
    // Told before anybody knew whose it was.
    if (agent.toolUseId !== null && toldIds.has(`spawn-call:${agent.toolUseId}`)) return [];
    const at = spawnTime(agent);
    return at === undefined ? [] : [{ id, at, kind: 'spawned', agent }];
  });
}

function spawnTime({ runs, startedAt }: AgentReport): number | undefined {
  return timeOf(runs[0]?.startedAt ?? startedAt);
}

/** One of several calls made it, and nothing says which: each of them is told as what it is. */
function isOfManyCalls({ toolUseId, evidence }: AgentReport): boolean {
  return toolUseId === null && (evidence?.candidates.length ?? 0) > 0;
}

function starts({ session, toldIds }: Looked): readonly News[] {
  return session.subagents.flatMap((agent): News[] => {
    const id = `start:${agent.id}`;
    const at = timeOf(agent.startedAt);
    if (agent.kind === 'internal' || at === undefined || agent.status === 'spawning' || toldIds.has(id)) return [];
    return [{ id, at, kind: 'started', agent }];
  });
}

function ends({ session, toldIds, now }: Looked): readonly News[] {
  return session.subagents.flatMap((agent) =>
    agent.kind === 'internal' || isOfManyCalls(agent)
      ? []
      : agent.runs.flatMap((run, index): News[] => {
          const id = `end:${agent.id}:${index}`;
          const at = toldIds.has(id) ? undefined : endTime(agent, run, index, now);
          return at === undefined ? [] : [{ id, at, kind: 'ended', agent, run }];
        }),
  );
}

/** Undefined: it has not ended, or nobody can say so. */
function endTime(agent: AgentReport, run: RunReport, index: number, now: number): number | undefined {
  if (isOver(run.status)) return timeOf(run.endedAt ?? agent.lastActivityAt ?? run.startedAt);
  if (run.status !== 'unknown' || index < agent.runs.length - 1 || run.reason === SILENT) return undefined;
  const at = timeOf(agent.lastActivityAt ?? run.startedAt);
  return at !== undefined && now - at >= GONE_MS ? at : undefined;
}

function unbound({ session, timeline, toldIds, wishes, now }: Looked): readonly News[] {
  if (!timeline) return [];
  const agents = new Map([session.main, ...session.subagents].map((agent) => [agent.id, agent]));
  const ambiguous = new Set(
    session.subagents.filter(isOfManyCalls).flatMap((agent) => agent.evidence?.candidates ?? []),
  );
  const patience = (call: TimelineCall): number => {
    if (call.endedAt !== null) return SETTLE_MS;
    return ambiguous.has(call.id) ? AMBIGUOUS_MS : BINDING_MS;
  };
  return timeline.agents.flatMap(({ id: ownerId, calls: made }) => {
    const owner = agents.get(ownerId);
    if (!owner) return [];
    return made.flatMap((call): News[] => {
      if (!call.asksForAgent || call.spawned !== null) return [];
      const [begun, ended] = [timeOf(call.startedAt), timeOf(call.endedAt)];
      const [spawnId, endId] = [`spawn-call:${call.id}`, `end-call:${call.id}`];
      if (begun === undefined || now - (ended ?? begun) < patience(call)) return [];
      const spawn: News = { id: spawnId, at: begun, kind: 'unbound-spawn', owner, call };
      return [
        ...(wishes.spawns && !toldIds.has(spawnId) ? [spawn] : []),
        ...(wishes.results && ended !== undefined && !toldIds.has(endId)
          ? [{ id: endId, at: ended, kind: 'unbound-end' as const, owner, call }]
          : []),
      ];
    });
  });
}

function calls({ session, timeline, told }: Known): readonly News[] {
  if (!timeline) return [];
  const agents = new Map([session.main, ...session.subagents].map((agent) => [agent.id, agent]));
  return timeline.agents.flatMap(({ id, calls: made }) => {
    const agent = agents.get(id);
    return agent ? made.flatMap((call) => callNews(agent, call, told)) : [];
  });
}

function callNews(agent: AgentReport, call: TimelineCall, told: Told): readonly News[] {
  const at = timeOf(call.startedAt);
  // One that asks for an agent is told as that.
  if (at === undefined || call.asksForAgent || isCallTold(told, agent.id, call.id, at)) return [];
  return [{ id: `call:${agent.id}:${call.id}`, at, kind: 'called', agent, call }];
}

function noticeOf(session: SessionDetail, { told, now }: Known): News | undefined {
  const kind = noticeKind(session);
  const at = timeOf(session.lastActivityAt) ?? now;
  // Less than what was said already is no news: that the others are done, too, is.
  if (kind === undefined || at < told.since || now - at < SETTLE_MS) return undefined;
  const given = told.notice;
  const isSameTurn = given !== null && (session.main.messageCount ?? 0) <= given.messages;
  if (given?.kind === kind && (isSameTurn || kind === 'needs-you')) return undefined;
  if (kind === 'rest-with-others' && given?.kind === 'rest' && isSameTurn) return undefined;
  if (kind === 'needs-you') return { id: `needs:${session.id}:${at}`, at, kind: 'needs-you', session };
  const others = kind === 'rest-with-others' ? ':others' : '';
  return { id: `rest:${session.id}:${at}${others}`, at, kind: 'rest', session };
}

function noticeKind({ main, subagents, needsYou }: SessionDetail): Notice | undefined {
  if (needsYou.length > 0) return 'needs-you';
  const isIdle = main.status === 'waiting' && main.waitingOn === 'input';
  if ((isAtWork(main.status) && !isIdle) || (main.messageCount ?? 0) < 2) return undefined;
  if (main.status === 'unknown' && main.runs.at(-1)?.reason === SILENT) return undefined;
  return subagents.some(({ status, kind }) => isAtWork(status) && kind !== 'internal') ? 'rest-with-others' : 'rest';
}

function timeOf(iso: string | null | undefined): number | undefined {
  return iso == null ? undefined : Date.parse(iso);
}
