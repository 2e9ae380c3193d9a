// Whether an agent is running, waiting or over: its runs, and which signal each end is known by.

import { known } from '../lib/json.ts';
import { END_SIGNALS, type ProcessState, type QuestionKind, TITLE } from './events.ts';
import { type AgentId, mainAgentOf, type SourceId, type ToolCallId } from './ids.ts';
import {
  type AgentRecord,
  type CallRecord,
  copyTimeOf,
  type EndClaim,
  type ProcessRecord,
  type RunStart,
  type SessionLedger,
  type Tail,
} from './ledger.ts';
import type { Own } from './ledger-index.ts';
import type { SpawnLink } from './link.ts';
import {
  type AgentNode,
  type AgentStatus,
  type BuildOptions,
  isAtWork,
  isOver,
  type Run,
  type StatusChange,
  type StatusSignal,
  type WaitingOn,
} from './tree.ts';
import type { TimedUsage, Usage } from './usage.ts';

/** What has to be known of an agent beside its record. */
export interface AgentContext {
  readonly ledger: SessionLedger;
  readonly main: AgentId;
  readonly life: SessionLife;
  readonly own: Own;
  /** If its session is a copy: what of its usage was used in the other session, and what was not. */
  readonly copied: { readonly usage: Usage; readonly ownByTime: readonly TimedUsage[] } | undefined;
  readonly link: SpawnLink;
  readonly depth: number | undefined;
  readonly children: readonly AgentNode[];
  /** All agents built so far: of the main agent, which is built last, every other one. */
  readonly others: readonly AgentNode[];
  /** Whose question is open in front of the person. */
  readonly asker: AgentId | undefined;
  readonly options: BuildOptions;
}

type LifeContext = ReturnType<typeof surroundingsOf>;

export interface Life {
  readonly status: AgentStatus;
  readonly waitingOn?: WaitingOn;
  readonly runs: readonly Run[];
  readonly changes: readonly StatusChange[];
  readonly completedAt?: number;
}

type Verdict = StatusChange & Pick<Life, 'waitingOn'>;

export function lifeOfAgent(record: AgentRecord, spawnCall: CallRecord | undefined, context: AgentContext): Life {
  const life = record.id === context.main ? lifeOfMain : lifeOfSubAgent;
  return life(record, surroundingsOf(record, spawnCall, context));
}

function surroundingsOf(
  record: AgentRecord,
  spawnCall: CallRecord | undefined,
  { ledger, main, life: ofSession, own, link, children, others, asker, options }: AgentContext,
) {
  const life = record.id === main ? ofSession : lifeOfSub(record, ofSession, ledger);
  const { heldUntil } = record;
  const open = own.openCalls;
  // Until its call is written down, the parent has not gone on after the end of its agent.
  const awaited = children.filter(
    (child) =>
      ledger.agents.get(child.id)?.awaited?.value &&
      (!isOver(child.status) || child.link.call === undefined) &&
      isSinceLastWord(child, record),
  );
  const notOver = others.filter(
    (other) =>
      other.kind !== 'internal' && !isOver(other.status) && isOfProcess(other, life) && !hasAnswered(other, ledger),
  );
  return {
    life,
    callOf: (call: ToolCallId) => ledger.calls.get(call),
    /** When the session's main agent last said or was told something. */
    mainLastAt: ledger.agents.get(main)?.lastAt ?? 0,
    mainTurnEndedAt: turnEndedAt(ledger.agents.get(main)),
    // The call that made the agent, and when. The call that started a workflow is not the start of each of its agents.
    // Some sources tell no times: theirs is none, not the beginning of all time.
    spawn: known({ call: link.call, at: (spawnCall?.spawn && spawnCall.started?.at) || undefined }),
    hasOpenCalls: open.length > 0 || awaited.length > 0,
    /** It waits for an agent of its own that is still at work. */
    waitsOnChild:
      awaited.some(({ status }) => isAtWork(status)) ||
      children.some((child) => isAtWork(child.status) && open.some((call) => isWaitFor(child, call))),
    hasChildAtWork: children.some(({ status }) => isAtWork(status)),
    /** Of the main agent: some other agent of its session has not come to an end. */
    othersNotOver: notOver.length > 0,
    /** An agent is lost that began here, not in the original of this copy, and that no other session took over. */
    hasLostAgent:
      notOver.some((other) => other.status === 'unknown' && startOf(other) >= (copyTimeOf(ledger) ?? 0)) &&
      ledger.wasEmptied !== true &&
      [...ledger.processes.values()].every(({ movedTo }) => movedTo === undefined),
    /** Everything that is known of it was written by the session that this one is a copy of. */
    isOfOriginal:
      ledger.forkedFrom !== undefined &&
      record.sources.size > 0 &&
      [...record.sources].every((source) => ledger.borrowed?.has(source)),
    /** `/clear` began the session, in a process that had another one before. */
    beganEmpty: ledger.beganEmpty === true,
    /** The host asked its model to name the session. */
    isTitled:
      record.id === main && [...(ledger.hiddenRequests?.values() ?? [])].some(({ purpose }) => purpose === TITLE),
    /** Before it, the session was another one: its lines say so themselves. */
    copiedAt: ledger.copiedAt ?? 0,
    /** When it wrote its first line after those that it has copied. */
    forkedAt: ledger.forkedAt,
    /** Its last reply was copied from another session: in this one nothing was said yet. */
    isFreshCopy: own.lastRequest !== undefined && ledger.inherited.has(own.lastRequest.id),
    /** A question of its is open in front of the person. */
    asks: asker === record.id ? questionOfProcess(life.process) : openQuestionOf(record, life),
    /** The provider asked it to come back later. */
    held: heldUntil !== undefined && heldUntil.value > options.now && heldUntil.at >= (tailOf(record)?.at ?? 0),
  };
}

/** Where calls are written down only after they ended, an agent that began since then is what its parent is at. */
function isSinceLastWord(child: AgentNode, parent: AgentRecord): boolean {
  return (child.runs[0]?.startedAt ?? 0) >= (tailOf(parent)?.at ?? 0);
}

/** The call that made it, where that waits for its result, or one that waits for any. */
function isWaitFor(child: AgentNode, { id, started }: CallRecord): boolean {
  return id === child.link.call || started?.value.awaitsAgents === true;
}

/** Whoever asked for it last has its answer, so somebody else woke it: a fork, in OpenCode. */
function hasAnswered(agent: AgentNode, { calls }: SessionLedger): boolean {
  const call = agent.runs.at(-1)?.call;
  const { spawn, launched, ended } = (call && calls.get(call)) ?? {};
  return spawn !== undefined && !launched && ended?.value.outcome === 'ok';
}

const startOf = (agent: AgentNode): number => agent.runs.at(-1)?.startedAt ?? 0;

/** An agent that an earlier process lost says nothing about the one that was there last. */
function isOfProcess(agent: AgentNode, { process }: SessionLife): boolean {
  const startedAt = agent.runs.at(-1)?.startedAt;
  return process?.startedAt === undefined || startedAt === undefined || startedAt >= process.startedAt;
}

/**
 * The life of a sub-agent. No single signal is believed: a result may say that a background agent was launched, a
 * notification may come twice, a kill leaves nothing at all.
 */
function lifeOfSubAgent(agent: AgentRecord, context: LifeContext): Life {
  const starts = startsOf(agent, context);
  const runs = starts.map((start, index): Run => {
    const reported = endByResult(start, context);
    // A call that waited for its agent has the last word: a notice that names no call, or another, is not about this run.
    const others = endsWithin(agent, starts, index).filter(
      (end) => reported.length === 0 || end.signal !== 'notification' || end.call === start.call,
    );
    const ends = [...others, ...reported];
    const isLast = index === starts.length - 1;
    const verdict = isLast
      ? verdictOfLastRun(ends, agent, start, index === 0, context)
      : verdictOfEarlierRun(ends, context);
    return toRun(verdict, start, verdict.at);
  });
  const last = runs.at(-1);
  const status = last?.status ?? 'unknown';
  const waitingOn = status === 'waiting' ? (waitOf(context) ?? 'child') : undefined;
  const changes = runs.flatMap((run) => changesOf(run, agent));
  return { status, runs, changes, ...known({ waitingOn, completedAt: last?.endedAt }) };
}

/** The main agent has no end of its own: it is done when its last turn ended and its process is gone. */
function lifeOfMain(agent: AgentRecord, context: LifeContext): Life {
  const verdict = verdictOfMain(agent, context);
  const run = toRun(verdict, known({ at: agent.startedAt }), agent.lastAt);
  const { status, waitingOn } = verdict;
  return { status, runs: [run], changes: changesOf(run, agent), ...known({ waitingOn, completedAt: run.endedAt }) };
}

function toRun({ status, signal, reason }: Verdict, { call, at }: RunStart, endedAt: number | undefined): Run {
  return { status, signal, ...known({ call, startedAt: at, reason, endedAt: isOver(status) ? endedAt : undefined }) };
}

function verdictOfMain(agent: AgentRecord, context: LifeContext): Verdict {
  const tail = tailOf(agent);
  const { life } = context;
  const state = stateOf(agent, context);
  if (!tail) {
    if (!life.alive) return { status: 'unknown', signal: 'process', reason: 'no line of its conversation is there' };
    // A process that was at work before may have moved to this session, where nothing was asked yet.
    if (state === 'busy' && agent.startedAt !== undefined) return { status: 'running', signal: 'process' };
    // The host has asked for its title, so there is a prompt: it is about to be written.
    if (state === 'busy' || context.isTitled) return { status: 'spawning', signal: 'process' };
    // Only a process of its own can wait for its first prompt; any other session was made for one that is about to be written.
    const isWaiting = life.process !== undefined && !life.process.isShared;
    return isWaiting
      ? { status: 'waiting', waitingOn: 'input', signal: 'process' }
      : { status: 'spawning', signal: 'process' };
  }
  const ended = isTurnEnd(tail, context) || tail.entry === 'interruption' || tail.entry === 'failure';
  // It was given a prompt, and so far wrote only the copy (OpenCode 1.18.33 `run --fork`).
  const isAllCopied = tail.at !== undefined && tail.at < context.copiedAt;
  if (life.alive && life.process?.endsWithTurn && isAllCopied) return { status: 'spawning', signal: 'process' };
  const isAtEnd = ended && life.process?.endsWithTurn && !context.othersNotOver && !context.isFreshCopy;
  if (life.alive && !isAtEnd) return verdictOfLiveMain(ended, state, context);
  const at = tail.at;
  if (tail.entry === 'interruption') return { status: 'stopped', signal: 'transcript', at, reason: 'interrupted' };
  if (tail.entry === 'failure')
    return { status: 'failed', signal: 'transcript', at, reason: 'its last request failed' };
  // A process that waits for background agents says "busy" although the turn is over (2.1.325 -p).
  // The record of a process that was killed is removed when another one starts (2.1.161): then no record says that it died.
  const leftNoRecord = life.how === 'no-process' && !life.process && !life.closed && context.hasLostAgent;
  const diedAtWork =
    leftNoRecord || (life.died && (state === 'busy' || (state === undefined && context.othersNotOver)));
  if (ended && !diedAtWork) return { status: 'completed', signal: 'transcript', at };
  if (endedWaiting(agent, tail, life)) return { status: 'failed', signal: 'transcript', at, reason: UNREPEATED };
  if (life.died || diedAtWork) return { status: 'unknown', signal: 'process', reason: PROCESS_GONE };
  if (life.closed)
    return { status: 'stopped', signal: 'process', at, reason: 'its process ended in the middle of a turn' };
  const reason = SILENCES[life.how] ?? ENDED_UNRECORDED;
  return { status: 'unknown', signal: 'process', reason };
}

/**
 * What the process is at, by its record. The record is late (2.1.161: up to a second), so it says nothing about lines
 * that are newer than it; and `/clear` and `/branch` take along the state that it had in the session before.
 */
function stateOf(agent: AgentRecord, context: LifeContext): ProcessState | undefined {
  const { state, stateAt, hasMoved } = context.life.process ?? {};
  const isBefore = (at: number | undefined, tolerance: number): boolean =>
    stateAt !== undefined && at !== undefined && stateAt + tolerance < at;
  if (state === 'idle' && isBefore(tailOf(agent)?.at, SAME_MOMENT_MS)) return undefined;
  // `/clear` and `/branch` do not touch the state, nor its time: one that was set right before is of the session before, too.
  const isNew = hasMoved || context.beganEmpty || context.forkedAt !== undefined;
  if (state === 'busy' && isNew && isBefore(context.forkedAt ?? agent.startedAt, 0)) return undefined;
  return state;
}

/** Of versions that keep no record of their processes: whether it ended at all is not known. */
const SILENT = 'silent for over 5 minutes; this version does not say whether its process lives';
const OUT_OF_SIGHT = 'silent for over 5 minutes; its process runs in another container, out of sight';
const ENDED_UNRECORDED = 'ended, outcome not recorded';
const SILENCES: Readonly<Partial<Record<SessionLife['how'], string>>> = {
  'old-line': SILENT,
  'long-ago': ENDED_UNRECORDED,
  'out-of-sight': OUT_OF_SIGHT,
};

/** Nothing happened: it was only not heard of for a while. */
export function isSilence(reason: string | null | undefined): boolean {
  return Object.values(SILENCES).some((silence) => silence === reason);
}

function verdictOfLiveMain(ended: boolean, state: ProcessState | undefined, context: LifeContext): Verdict {
  const { process } = context.life;
  const wait = (waitingOn: WaitingOn, reason?: string): Verdict => ({
    status: 'waiting',
    signal: context.life.how === 'process' ? 'process' : 'transcript',
    waitingOn,
    ...known({ reason }),
  });
  if (context.asks) return wait(context.asks, process?.waitingFor);
  // Nothing shows who made the copy: it may be a program that has its prompt already (Qwen Code 0.24.4 --fork-session).
  if (ended && (!process || process.endsWithTurn) && context.isFreshCopy)
    return { status: 'spawning', signal: 'transcript' };
  // `-p` ends only when its agents have; before 2.1.286 its record has no state, and other hosts have no record.
  if (ended && state !== 'idle' && context.othersNotOver) return wait('child');
  // Busy after its last word, with nobody to wait for: its next turn has begun, and the line of it is not written yet.
  if (ended && state !== 'busy') return wait('input');
  const waitingOn = waitOf(context);
  if (waitingOn) return wait(waitingOn);
  return { status: 'running', signal: context.life.how === 'process' ? 'process' : 'transcript' };
}

const PROCESS_GONE = 'its process is gone, and no end was seen';
const INTERRUPTED_AT_END = 'interrupted as its session ended, and no end was written';

/** An agent whose end is not known has ended all the same: its process has, as far as can be seen. */
export function isEndUnseen(reason: string | null | undefined): boolean {
  return isProcessGone(reason) || reason === INTERRUPTED_AT_END;
}

export function isProcessGone(reason: string | null | undefined): boolean {
  return reason === PROCESS_GONE;
}

const UNREPEATED = 'its last request failed, and it ended before it was repeated';

/** The provider had asked it to come back later, and it said nothing since. Out of sight, it may still be waiting. */
function endedWaiting({ heldUntil }: AgentRecord, { at }: Tail, { how }: SessionLife): boolean {
  return heldUntil !== undefined && heldUntil.at >= at && how !== 'out-of-sight';
}

/** What came before a resume is over; how, only an end signal can say. */
function verdictOfEarlierRun(ends: readonly EndClaim[], context: LifeContext): Verdict {
  const end = chooseEnd(ends, undefined, context);
  if (end) return byEnd(end);
  return { status: 'unknown', signal: 'call', reason: 'it was woken again, and no end was seen before' };
}

/**
 * "Finished" in the sidecar comes a moment before the last lines, also before those that tell of an API error (2.1.325): as long
 * as its process lives, an agent's own words are waited for. "Failed" is certain, and no words may follow (Qwen Code 0.24.4).
 */
function isComplete({ signal, outcome }: EndClaim, tail: Tail | undefined, context: LifeContext): boolean {
  if (signal !== 'sidecar' || outcome === 'failed' || !context.life.alive) return true;
  return tail !== undefined && (tail.entry === 'failure' || isTurnEnd(tail, context));
}

function byEnd({ outcome, signal, at, reason }: EndClaim): Verdict {
  return { status: outcome, signal, ...known({ at, reason }) };
}

function verdictOfLastRun(
  ends: readonly EndClaim[],
  agent: AgentRecord,
  start: RunStart,
  isFirst: boolean,
  context: LifeContext,
): Verdict {
  // A tail from before the run says nothing about it: the agent was woken, and has not spoken yet.
  const last = tailOf(agent);
  const tail = isFirst || (last?.at ?? 0) >= (start.at ?? 0) ? last : undefined;
  const { life } = context;
  // A fork may have given it another task, which no call of this session tells (OpenCode): its lines do.
  const lastSign = Math.max(start.at ?? 0, tail?.at ?? 0);
  const isOlder = life.aliveSince !== undefined && start.at !== undefined && lastSign < life.aliveSince;
  const ofThisProcess = !isOlder && !context.isOfOriginal;
  const isPlausible = ({ isAssumed }: EndClaim): boolean => !(isAssumed && life.how === 'process' && ofThisProcess);
  const end = chooseEnd(
    ends.filter((claim) => isPlausible(claim) && isComplete(claim, tail, context)),
    tail,
    context,
  );
  // Agents in the background wake the one that started them (2.1.325 in a terminal); nobody else tells of its end before.
  if (end?.signal === 'transcript' && end.outcome === 'completed' && context.life.alive && context.hasChildAtWork)
    return { status: 'waiting', signal: 'transcript' };
  if (end) return byEnd(end);
  // A teammate has no other end than that of its turn, and old versions do not say that a reply was the last.
  if (tail && agent.agentKind?.value === 'teammate' && isTurnEnd(tail, context))
    return { status: 'completed', signal: 'transcript', at: tail.at, reason: 'its turn ended' };
  if (tail?.entry === 'failure')
    return { status: 'failed', signal: 'transcript', at: tail.at, reason: 'its last request failed' };
  if (tail?.entry === 'interruption') {
    // The session went on: somebody stopped this agent. It ended with it: nobody wrote down what became of the agent.
    if (life.alive || context.mainLastAt > tail.at + SAME_MOMENT_MS || context.mainTurnEndedAt > tail.at)
      return { status: 'stopped', signal: 'transcript', at: tail.at, reason: 'interrupted' };
    return { status: 'unknown', signal: 'process', reason: INTERRUPTED_AT_END };
  }
  if (!life.alive || !ofThisProcess) {
    if (tail && endedWaiting(agent, tail, life))
      return { status: 'failed', signal: 'transcript', at: tail.at, reason: UNREPEATED };
    const gone = context.isOfOriginal ? 'at work in another session when this one was copied from it' : PROCESS_GONE;
    return { status: 'unknown', signal: 'process', reason: SILENCES[life.how] ?? gone };
  }
  if (tail === undefined) return { status: 'spawning', signal: 'call' };
  const signal: StatusSignal = life.how === 'process' ? 'process' : 'transcript';
  return { status: waitOf(context) ? 'waiting' : 'running', signal };
}

/** Lines that one key press writes into several files carry times this close together. */
const SAME_MOMENT_MS = 1_000;

function waitOf(context: LifeContext): WaitingOn | undefined {
  if (context.asks) return context.asks;
  if (context.held) return 'rate-limit';
  return context.waitsOnChild ? 'child' : undefined;
}

/**
 * The last word on a run. An agent's own word that it failed or was stopped is believed before a result: hosts report
 * agents that died of an API error as completed (Claude Code up to 2.1.197, OpenCode up to 1.18).
 */
function chooseEnd(ends: readonly EndClaim[], tail: Tail | undefined, context: LifeContext): EndClaim | undefined {
  const standing = ends.filter((end) => !isOvertaken(end, tail, context)).toSorted(byTrust);
  const firsthand = standing.filter(({ hearsay }) => !hearsay);
  const inForce = firsthand.length > 0 ? firsthand : standing;
  // Up to 2.1.50 the hook tells of such an agent, too, only that it stopped.
  const spoken = inForce.filter(
    ({ signal, outcome }) => signal === 'transcript' || (signal === 'hook' && outcome === 'failed'),
  );
  return spoken[0] && spoken[0].outcome !== 'completed' ? spoken[0] : inForce[0];
}

/** The latest first; at the same moment, the one that knows best. */
function byTrust(a: EndClaim, b: EndClaim): number {
  return (
    (b.at ?? 0) - (a.at ?? 0) ||
    END_SIGNALS.indexOf(b.signal) - END_SIGNALS.indexOf(a.signal) ||
    (a.outcome < b.outcome ? -1 : a.outcome > b.outcome ? 1 : 0)
  );
}

/** The conversation went on after this end, so it was none: the agent was woken, or the request was tried again. */
function isOvertaken(end: EndClaim, tail: Tail | undefined, context: LifeContext): boolean {
  if (!tail || end.at === undefined || tail.at <= end.at) return false;
  if (end.signal === 'transcript') return tail.entry !== 'failure';
  return tail.entry !== 'interruption' && !isTurnEnd(tail, context);
}

function isTurnEnd(tail: Tail, { hasOpenCalls }: LifeContext): boolean {
  // Versions that write placeholders (2.1.9 to 2.1.5x) never say how a reply ended: nothing open is all there is.
  return tail.entry === 'reply' && tail.end !== 'tools' && tail.end !== 'open' && !hasOpenCalls;
}

/** The agent's own transcript tells of its end, or of that of its turn; `since` is the beginning of its run. */
export function hasLastWords(agent: AgentRecord | undefined, since = 0): boolean {
  const tail = tailOf(agent);
  if (!tail || tail.at < since) return false;
  const isTurnOver = tail.entry === 'reply' && (tail.end === 'turn' || tail.end === 'cut');
  return isTurnOver || tail.entry === 'failure' || tail.entry === 'interruption';
}

/** When it said the last word of a turn, if nothing came after it. */
function turnEndedAt(agent: AgentRecord | undefined): number {
  const tail = tailOf(agent);
  return tail?.entry === 'reply' && tail.end === 'turn' ? tail.at : 0;
}

function startsOf(agent: AgentRecord, { spawn, callOf }: LifeContext): readonly RunStart[] {
  const at = spawn.at ?? agent.startedAt;
  const first: RunStart = known({ call: spawn.call, at });
  const resumes = [...agent.resumes.values()]
    .filter(({ call, at: resumedAt }) => (call === undefined ? resumedAt !== agent.startedAt : call !== spawn.call))
    .filter(({ call, at: resumedAt }) => !isRefused(agent, call && callOf(call), resumedAt))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || ((a.call ?? '') < (b.call ?? '') ? -1 : 1));
  return [first, ...resumes];
}

/** A call that failed before the agent said a word woke nobody, unless something tells how the run of that call ended. */
function isRefused({ lastAt = 0, ends }: AgentRecord, call: CallRecord | undefined, resumedAt = 0): boolean {
  if (!call?.ended || call.ended.value.outcome === 'ok' || lastAt >= resumedAt) return false;
  return ![...ends.values()].some((end) => end.call === call.id);
}

/** The ends of one run: those that name its call, and of the nameless ones those that fall into its time. */
function endsWithin(agent: AgentRecord, starts: readonly RunStart[], index: number): readonly EndClaim[] {
  const calls = new Set(starts.map((start) => start.call));
  const start = starts[index];
  const from = index === 0 ? Number.NEGATIVE_INFINITY : (start?.at ?? 0);
  const to = starts[index + 1]?.at ?? Number.POSITIVE_INFINITY;
  return [...agent.ends.values()].filter((end) => {
    if (end.call !== undefined && calls.has(end.call)) return end.call === start?.call;
    if (end.byCallOnly) return false;
    // Without a time (the sidecar's mark): taken away again when the agent is woken (2.1.325), so it is of the last run.
    if (end.at === undefined) return index === starts.length - 1;
    return end.at >= from && end.at < to;
  });
}

/** The result of the call that began a run is its end, unless it only says that the agent was launched. */
function endByResult(start: RunStart, { callOf }: LifeContext): readonly EndClaim[] {
  const call = start.call === undefined ? undefined : callOf(start.call);
  if (!call?.spawn || !call.ended || call.launched || call.ended.value.outcome === 'refused') return [];
  const { value, at, origin } = call.ended;
  const outcome = value.outcome === 'ok' ? 'completed' : value.interrupted ? 'stopped' : 'failed';
  return [{ signal: 'result', outcome, at, origin, ...known({ reason: value.reason }) }];
}

function changesOf(run: Run, agent: AgentRecord): readonly StatusChange[] {
  const changes: StatusChange[] = [];
  const { startedAt, endedAt, status, signal, reason } = run;
  if (run.call !== undefined) changes.push({ status: 'spawning', signal: 'call', ...known({ at: startedAt }) });
  if (status === 'spawning') return changes;
  if (agent.startedAt !== undefined)
    changes.push({ status: 'running', signal: 'transcript', at: Math.max(agent.startedAt, startedAt ?? 0) });
  if (status !== 'running') changes.push({ status, signal, ...known({ at: endedAt, reason }) });
  return changes;
}

/** Whether anybody can still be at work in a session. File times say nothing here: copies and sync tools change them. */
export interface SessionLife {
  readonly alive: boolean;
  readonly how: 'process' | 'recent-line' | 'no-process' | 'old-line' | 'long-ago' | 'out-of-sight';
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
/** Nobody leaves an agent at work for so long without a line. */
const LONG_MS = 24 * 60 * 60_000;

export function lifeOf(ledger: SessionLedger, now: number): SessionLife {
  const processes = [...ledger.processes.values()]
    .filter(({ movedTo }) => movedTo === undefined)
    .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0));
  const running = processes.find((process) => process.alive);
  const closed = isClosed(ledger);
  if (running) {
    const since = processes.filter(({ alive }) => alive).map(({ startedAt }) => startedAt ?? 0);
    const aliveSince = Math.min(...since);
    return { alive: true, how: 'process', process: running, aliveSince, died: false, closed: false };
  }
  const isOutOfSight = processes.some((process) => process.isOutOfSight);
  const left = processes.find((process) => !process.isOutOfSight);
  const rest = { ...(left && { process: left }), died: left !== undefined && !closed, closed };
  if (left || closed || (ledger.keepsProcessRecords?.value && !isOutOfSight))
    return { alive: false, how: 'no-process', ...rest };
  // The record of a process out of sight tells when its last turn began or ended.
  const silence = now - Math.max(lastLineAt(ledger), ...processes.map(({ stateAt = 0 }) => stateAt));
  // A clock that was ahead must not keep a session alive.
  const alive = silence < RECENT_MS && silence > -RECENT_MS;
  const how = alive ? 'recent-line' : silence > LONG_MS ? 'long-ago' : isOutOfSight ? 'out-of-sight' : 'old-line';
  return { alive, how, ...rest };
}

/** Whether an agent that main set to work can still be at it: its process may have left main's session behind. */
function lifeOfSub({ startedAt = 0 }: AgentRecord, life: SessionLife, { processes }: SessionLedger): SessionLife {
  const moved = [...processes.values()].find(({ alive, movedTo }) => alive && movedTo);
  // Another process may have resumed the session since.
  const isFromBefore = !life.alive || startedAt < (life.aliveSince ?? 0);
  if (!moved || !isFromBefore) return life;
  const { state: _state, waitingFor: _waitingFor, ...process } = moved;
  return { alive: true, how: 'process', process, aliveSince: process.startedAt ?? 0, died: false, closed: false };
}

/** The end of a conversation so far: its own last line, by time over several files; a copy only where there is no other. */
function tailOf(agent: AgentRecord | undefined): Tail | undefined {
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
  return [...ledger.agents.values()].reduce((last, { lastAt = 0 }) => Math.max(last, lastAt), 0);
}

/** What an agent has asked the person and nobody has answered yet, by the host's own record of questions. */
function openQuestionOf(agent: AgentRecord, life: SessionLife): QuestionKind | undefined {
  if (!agent.questions || !life.alive) return undefined;
  const tail = tailOf(agent);
  // A new word to the agent ends the turn that the question was in. Results of its other calls come in meanwhile, and the
  // very reply that makes the call may be written behind the question about it (Copilot 1.0.102).
  const overtakenAt = tail && (tail.entry === 'prompt' || tail.entry === 'interruption') ? tail.at : 0;
  // One that an earlier process asked went down with it.
  const since = Math.max(overtakenAt, life.aliveSince ?? 0);
  const open = [...agent.questions.values()].filter(
    ({ at = 0, isAnswered, holds }) => !isAnswered && at > 0 && at >= since && !(holds && at < (tail?.at ?? 0)),
  );
  if (open.length === 0) return undefined;
  // Asked for both, the person has to allow something first.
  return open.every(({ about }) => about === 'input') ? 'input' : 'permission';
}

/** What a process waits for. `waitingFor` is text for people: «permission prompt», «input needed», «dialog open». */
function questionOfProcess(process: ProcessRecord | undefined): QuestionKind {
  return process?.waitingFor === undefined || /permission|approv/i.test(process.waitingFor) ? 'permission' : 'input';
}
