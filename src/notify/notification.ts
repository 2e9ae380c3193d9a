import * as v from 'valibot';
import {
  type AgentReport,
  type BudgetAlert,
  isAtWork,
  isBusy,
  isEndUnseen,
  isOver,
  isProcessGone,
  isSilence,
  type RunReport,
  type SessionDetail,
  type TimelineCall,
  type TimelineReport,
} from '../core/index.ts';
import { asObject } from '../lib/json.ts';
import type { SessionScope } from '../sessions/index.ts';

/** Something that a person is told once. */
export type Notification = {
  /** The same for the same thing, whenever it is found, and in every process. */
  readonly id: string;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
} & NotificationBody;

type NotificationBody =
  | { readonly kind: 'spawned'; readonly agent: AgentReport }
  | { readonly kind: 'started'; readonly agent: AgentReport }
  | {
      readonly kind: 'ended';
      readonly agent: AgentReport;
      readonly run: RunReport;
      /** Its process is out of sight: it may have ended in any way. */
      readonly isUnclear: boolean;
      /** What was said of this very end before, and is wrong. */
      readonly corrects?: Claim;
    }
  /** A call that asks for an agent, and nobody can say which one it made. `owner` made the call. */
  | { readonly kind: 'unbound-spawn' | 'unbound-end'; readonly owner: AgentReport; readonly call: TimelineCall }
  /** A budget is nearly used up, or used up. */
  | { readonly kind: 'budget'; readonly agent: AgentReport; readonly alert: BudgetAlert }
  | { readonly kind: 'called'; readonly agent: AgentReport; readonly call: TimelineCall }
  /** Somebody in it cannot go on without the person. */
  | { readonly kind: 'needs-you'; readonly session: SessionDetail }
  /** The main agent has had its say, or is gone. */
  | { readonly kind: 'rest'; readonly session: SessionDetail };

/** What of it the person wants to be told. */
export interface AnnounceSettings {
  readonly tools: boolean;
  /** That an agent has begun, beside that it was asked for. */
  readonly started: boolean;
  readonly spawns: boolean;
  readonly results: boolean;
  readonly notices: boolean;
}

export const DEFAULT_ANNOUNCE: AnnounceSettings = {
  tools: true,
  started: false,
  spawns: true,
  results: true,
  notices: true,
};

/** What a person should hear at once; the rest can be read when there is time. */
export function isLoud(news: Notification): boolean {
  if (news.kind === 'ended') return !news.corrects && !news.isUnclear && news.run.status !== 'completed';
  return news.kind === 'needs-you' || news.kind === 'rest' || news.kind === 'budget';
}

export type EndNotification = Extract<Notification, { kind: 'ended' }>;

export function isCorrection(news: Notification): news is EndNotification {
  return news.kind === 'ended' && news.corrects !== undefined;
}

/** 1, and one more with each correction. */
export function revisionOf(news: Notification): number {
  return news.kind === 'ended' ? (news.corrects?.revision ?? 0) + 1 : 1;
}

/** What has been told of a session. Its size is that of the tree, not of the conversation: calls are remembered by time. */
export interface SentRecord {
  /** Epoch milliseconds: what happened before is history. */
  readonly since: number;
  /** Of everything but calls. */
  readonly ids: readonly string[];
  /** How far the calls of each agent were told. */
  readonly calls: Readonly<Record<string, CallMark>>;
  /** What the person was last called for; null while there is nothing. */
  readonly notice: GivenNotice | null;
  /** How runs were said to have ended, by the id of the notification. */
  readonly claims: Readonly<Record<string, Claim>>;
}

/** `first`: the status that was sent first; `now`: the one that was sent last. */
const CLAIM = v.object({ first: v.string(), now: v.string(), revision: v.number() });
export type Claim = Readonly<v.InferOutput<typeof CLAIM>>;

/** `messages`: of the main agent, by then: with more of them it is another turn, however short it was. */
const NOTICE = v.object({ kind: v.picklist(['needs-you', 'rest', 'rest-with-others']), messages: v.number() });
type GivenNotice = Readonly<v.InferOutput<typeof NOTICE>>;

const TEXTS = v.array(v.string());
/** Calls from before `at` were told; of those that began in that very millisecond, these. */
const CALL_MARK = v.object({ at: v.number(), ids: TEXTS });
type CallMark = Readonly<v.InferOutput<typeof CALL_MARK>>;

export function emptyRecord(since: number): SentRecord {
  return { since, ids: [], calls: {}, notice: null, claims: {} };
}

function isCallSent(told: SentRecord, agent: string, call: string, at: number): boolean {
  if (at < told.since) return true;
  const mark = told.calls[agent];
  return mark !== undefined && (at < mark.at || (at === mark.at && mark.ids.includes(call)));
}

/** After this was told. */
export function recordSent(told: SentRecord, news: Notification): SentRecord {
  switch (news.kind) {
    case 'called': {
      const { at, agent, call } = news;
      return { ...told, calls: { ...told.calls, [agent.id]: markCall(told.calls[agent.id], call.id, at) } };
    }
    case 'needs-you':
    case 'rest': {
      const kind = news.id.endsWith(':others') ? 'rest-with-others' : news.kind;
      return { ...told, notice: { kind, messages: news.session.main.messageCount ?? 0 } };
    }
    case 'ended': {
      const { id, run, corrects } = news;
      const claim = { first: corrects?.first ?? run.status, now: run.status, revision: revisionOf(news) };
      return { ...withId(told, id), claims: { ...told.claims, [id]: claim } };
    }
    default:
      return withId(told, news.id);
  }
}

function withId(told: SentRecord, id: string): SentRecord {
  return told.ids.includes(id) ? told : { ...told, ids: [...told.ids, id] };
}

function markCall(before: CallMark | undefined, call: string, at: number): CallMark {
  if (!before || at > before.at) return { at, ids: [call] };
  return at === before.at ? { at, ids: [...before.ids, call] } : before;
}

/** As it was kept; whatever else it has become. */
export function parseRecord(value: unknown, since: number): SentRecord {
  const raw = asObject(value) ?? {};
  const calls = Object.entries(asObject(raw['calls']) ?? {}).flatMap(([agent, mark]) =>
    v.is(CALL_MARK, mark) ? [[agent, mark] as const] : [],
  );
  return {
    since: v.parse(v.fallback(v.number(), since), raw['since']),
    ids: v.parse(v.fallback(TEXTS, []), raw['ids']),
    calls: Object.fromEntries(calls),
    notice: v.parse(v.fallback(v.nullable(NOTICE), null), raw['notice']),
    claims: v.parse(v.fallback(v.record(v.string(), CLAIM), {}), raw['claims']),
  };
}

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
  readonly told: SentRecord;
  readonly announce: AnnounceSettings;
  /** Epoch milliseconds. */
  readonly now: number;
  /** False: a process that is not found may run outside the container that we are in. */
  readonly seesAllProcesses?: boolean;
}

interface Looked extends Known {
  /** Sessions may have thousands of agents. */
  readonly sentIds: ReadonlySet<string>;
}

/** What there is to tell of a session, oldest first. The same question again gives the same answer until it was told. */
export function findNotifications(asked: Known): readonly Notification[] {
  const known: Looked = { ...asked, sentIds: new Set(asked.told.ids) };
  const { session, announce } = known;
  const found = [
    ...(announce.spawns ? spawns(known) : []),
    ...unbound(known),
    ...(announce.started ? starts(known) : []),
    ...(announce.results ? ends(known) : []),
    ...(announce.tools ? calls(known) : []),
    ...(announce.notices ? budgets(known) : []),
  ].filter((news) => news.at >= known.told.since);
  const notice = announce.notices ? noticeOf(session, known) : undefined;
  return [...found.toSorted((a, b) => a.at - b.at || RANKS[a.kind] - RANKS[b.kind]), ...(notice ? [notice] : [])];
}

/** Of two things at the same moment, what comes first. */
const RANKS: Readonly<Record<Notification['kind'], number>> = {
  'unbound-spawn': 0,
  spawned: 0,
  started: 1,
  called: 2,
  'unbound-end': 3,
  ended: 3,
  budget: 4,
  'needs-you': 4,
  rest: 4,
};

/** What was told stands, but nobody is called any more: when the next reason comes, the person is called again. */
export function settleNotice(told: SentRecord, session: SessionDetail): SentRecord {
  return told.notice !== null && noticeKind(session) === undefined ? { ...told, notice: null } : told;
}

function spawns({ session, sentIds }: Looked): readonly Notification[] {
  return session.subagents.flatMap((agent): Notification[] => {
    const id = `spawn:${agent.id}`;
    if (agent.kind === 'internal' || sentIds.has(id) || isOfManyCalls(agent)) return [];
    // Told before anybody knew whose it was.
    if (agent.toolUseId !== null && sentIds.has(`spawn-call:${agent.toolUseId}`)) return [];
    const at = timeOf(agent.runs[0]?.startedAt ?? agent.startedAt);
    return at === undefined ? [] : [{ id, at, kind: 'spawned', agent }];
  });
}

/** One of several calls made it, and nothing says which: each of them is told as what it is. */
function isOfManyCalls({ toolUseId, evidence }: AgentReport): boolean {
  return toolUseId === null && (evidence?.candidates.length ?? 0) > 0;
}

function budgets({ session, sentIds }: Looked): readonly Notification[] {
  const { budgetAlerts = [], main, subagents } = session;
  return budgetAlerts.flatMap((alert): Notification[] => {
    const id = `budget:${alert.id}`;
    const agent = subagents.find((one) => one.id === alert.agentId) ?? main;
    return sentIds.has(id) ? [] : [{ id, at: Date.parse(alert.at), kind: 'budget', agent, alert }];
  });
}

function starts({ session, sentIds }: Looked): readonly Notification[] {
  return session.subagents.flatMap((agent): Notification[] => {
    const id = `start:${agent.id}`;
    const at = timeOf(agent.startedAt);
    if (agent.kind === 'internal' || at === undefined || agent.status === 'spawning' || sentIds.has(id)) return [];
    return [{ id, at, kind: 'started', agent }];
  });
}

function ends(known: Looked): readonly Notification[] {
  const { session, sentIds, told } = known;
  return session.subagents.flatMap((agent) =>
    agent.kind === 'internal' || isOfManyCalls(agent)
      ? []
      : agent.runs.flatMap((run, index): Notification[] => {
          const id = `end:${agent.id}:${index}`;
          const claim = told.claims[id];
          const corrects = claim && isWrong(claim, agent, run) ? claim : undefined;
          if (sentIds.has(id) && !corrects) return [];
          const at = corrects ? lastTime(agent, run) : endTime(agent, run, index, known);
          if (at === undefined) return [];
          const isUnclear = run.status === 'unknown' && !isKnownGone(run, known);
          return [{ id, at, kind: 'ended', agent, run, isUnclear, ...(corrects && { corrects }) }];
        }),
  );
}

/** What is not known any more does not make it wrong. A teammate that goes on after its turn has ended the turn all the same. */
function isWrong({ now }: Claim, agent: AgentReport, { status }: RunReport): boolean {
  if (status === now || status === 'unknown') return false;
  if (now === 'completed') return isOver(status) && agent.kind !== 'teammate';
  return isOver(status) || now === 'unknown' || now === 'failed';
}

function isKnownGone({ reason }: RunReport, { seesAllProcesses = true }: Known): boolean {
  return isProcessGone(reason) && seesAllProcesses;
}

/** Undefined: it has not ended, or that cannot be told. */
function endTime(agent: AgentReport, run: RunReport, index: number, { now }: Known): number | undefined {
  if (isOver(run.status)) return lastTime(agent, run);
  if (run.status !== 'unknown' || index < agent.runs.length - 1 || !isEndUnseen(run.reason)) return undefined;
  const at = timeOf(agent.lastActivityAt ?? run.startedAt);
  return at !== undefined && now - at >= GONE_MS ? at : undefined;
}

function lastTime({ lastActivityAt }: AgentReport, { startedAt, endedAt }: RunReport): number | undefined {
  return timeOf(endedAt ?? lastActivityAt ?? startedAt);
}

function unbound({ session, timeline, sentIds, announce, now }: Looked): readonly Notification[] {
  const ambiguous = new Set(
    session.subagents.filter(isOfManyCalls).flatMap((agent) => agent.evidence?.candidates ?? []),
  );
  const patience = (call: TimelineCall): number => {
    if (call.endedAt !== null) return SETTLE_MS;
    return ambiguous.has(call.id) ? AMBIGUOUS_MS : BINDING_MS;
  };
  return fromCalls(session, timeline, (owner, call) => {
    if (!call.asksForAgent || call.spawned !== null) return [];
    const [begun, ended] = [timeOf(call.startedAt), timeOf(call.endedAt)];
    const [spawnId, endId] = [`spawn-call:${call.id}`, `end-call:${call.id}`];
    if (begun === undefined || now - (ended ?? begun) < patience(call)) return [];
    const found: Notification[] = [];
    if (announce.spawns && !sentIds.has(spawnId))
      found.push({ id: spawnId, at: begun, kind: 'unbound-spawn', owner, call });
    if (announce.results && ended !== undefined && !sentIds.has(endId))
      found.push({ id: endId, at: ended, kind: 'unbound-end', owner, call });
    return found;
  });
}

function calls({ session, timeline, told }: Known): readonly Notification[] {
  return fromCalls(session, timeline, (agent, call) => {
    const at = timeOf(call.startedAt);
    // One that asks for an agent is told as that.
    if (at === undefined || call.asksForAgent || isCallSent(told, agent.id, call.id, at)) return [];
    return [{ id: `call:${agent.id}:${call.id}`, at, kind: 'called', agent, call }];
  });
}

function fromCalls(
  { main, subagents }: SessionDetail,
  timeline: TimelineReport | undefined,
  toNews: (agent: AgentReport, call: TimelineCall) => readonly Notification[],
): readonly Notification[] {
  const agents = new Map([main, ...subagents].map((agent) => [agent.id, agent]));
  return (timeline?.agents ?? []).flatMap(({ id, calls: made }) => {
    const agent = agents.get(id);
    return agent ? made.flatMap((call) => toNews(agent, call)) : [];
  });
}

function noticeOf(session: SessionDetail, { told, now }: Known): Notification | undefined {
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

function noticeKind({ main, subagents, needsYou }: SessionDetail): GivenNotice['kind'] | undefined {
  if (needsYou.length > 0) return 'needs-you';
  const isIdle = main.status === 'waiting' && main.waitingOn === 'input';
  if ((isAtWork(main.status) && !isIdle) || (main.messageCount ?? 0) < 2) return undefined;
  if (main.status === 'unknown' && isSilence(main.runs.at(-1)?.reason)) return undefined;
  return subagents.some((agent) => isBusy(agent) && agent.kind !== 'internal') ? 'rest-with-others' : 'rest';
}

export function timeOf(iso: string | null | undefined): number | undefined {
  return iso == null ? undefined : Date.parse(iso);
}

export interface TelegramControl {
  /** Until the person has enough. */
  run(request: NotifyRequest): Promise<void>;
  /** Finds the bot and the chat, and writes down which they are. */
  setup(): Promise<void>;
}

export interface NotifyRequest {
  readonly where: SessionScope;
}
