import { known } from '../lib/json.ts';
import type { AgentKind } from './event.ts';
import type { AgentId, ToolCallId } from './ids.ts';
import type { AgentRecord, CallRecord, MessageRecord, SessionLedger, SpawnRecord } from './ledger.ts';
import { type Life, lifeOfMain, lifeOfSubAgent } from './lifecycle.ts';
import type { SpawnLink } from './link.ts';
import { openQuestionOf, questionOfProcess } from './open-question.ts';
import type { Own } from './own.ts';
import { type SessionLife, tailOf } from './session-life.ts';
import {
  type Activity,
  type AgentGroup,
  type AgentNode,
  type AgentStatus,
  type BuildOptions,
  isAtWork,
  isOver,
  STALLED_AFTER,
  type ToolInUse,
} from './tree.ts';
import { contextOf, NO_USAGE } from './usage.ts';

export interface AgentContext {
  readonly ledger: SessionLedger;
  readonly main: AgentId;
  readonly life: SessionLife;
  readonly own: Own;
  readonly link: SpawnLink;
  readonly depth: number | undefined;
  readonly children: readonly AgentNode[];
  /** All agents built so far: of the main agent, which is built last, every other one. */
  readonly others: readonly AgentNode[];
  /** Whose question is open in front of the person. */
  readonly asker: AgentId | undefined;
  readonly options: BuildOptions;
}

/** One node: everything that follows from the agent's own facts, the call that made it and its children. */
export function buildAgent(record: AgentRecord, context: AgentContext): AgentNode {
  const { ledger, main, own, link, depth, options } = context;
  const { id } = record;
  const spawnCall = link.call === undefined ? undefined : ledger.calls.get(link.call);
  const asked =
    spawnCall?.spawn?.value ?? sharedBy(link.candidates.map((call) => ledger.calls.get(call)?.spawn?.value));
  const life = lifeIn(record, spawnCall, context);
  const currentTool = isAtWork(life.status) ? toToolInUse(own.openCalls.at(-1)) : undefined;
  const hasTranscript = record.tails.size > 0;
  const usage = hasTranscript ? own.usage : undefined;
  const group = groupOf(record, ledger);
  const kind = id === main ? 'main' : kindOf(record, link, asked, group);
  const lastActivityAt = record.lastAt ?? spawnCall?.started?.at;
  const { lastRequest } = own;
  return {
    id,
    link,
    kind,
    status: life.status,
    stalled: isStalled(life.status, lastActivityAt, currentTool, options),
    activity: activityOf(life, currentTool),
    changes: life.changes,
    runs: life.runs,
    usageIsLowerBound: usage === undefined || isLowerBound(life.status, own),
    subtreeIsLowerBound: false,
    subtreeUsage: usage ?? NO_USAGE,
    usageByModel: hasTranscript ? own.usageByModel : [],
    subtreeByModel: hasTranscript ? own.usageByModel : [],
    compactions: record.compactions.size,
    sources: [...record.sources].sort(),
    ...known({
      depth,
      type: record.type?.value ?? asked?.type,
      name: record.name?.value ?? asked?.name,
      description: record.description?.value ?? asked?.description,
      promptHead: record.prompt?.value.head ?? asked?.prompt?.head,
      slug: record.slug?.value,
      model: lastRequest?.model?.value ?? record.model?.value,
      effort: record.effort?.value,
      provider: record.provider?.value,
      deniedTools: record.deniedTools?.value,
      cwd: record.cwd?.value,
      branch: record.branch?.value,
      worktree: record.worktree?.value,
      background: id === main ? undefined : isInBackground(record, spawnCall, asked),
      contextTokens: contextAfter(record, lastRequest),
      contextWindow: record.contextWindow?.value,
      internal: kind === 'internal' ? record.internal?.value : undefined,
      waitingOn: life.waitingOn,
      group,
      currentTool,
      toolCallCount: hasTranscript ? own.callCount : undefined,
      messageCount: hasTranscript ? own.messageCount : undefined,
      usage,
      lastRequest: lastRequest?.usage,
      startedAt: record.startedAt ?? spawnCall?.started?.at,
      lastActivityAt,
      completedAt: life.completedAt,
    }),
  };
}

function groupOf({ group }: AgentRecord, { groups }: SessionLedger): AgentGroup | undefined {
  const record = group && groups.get(group.value);
  return record && { id: group.value, kind: record.kind, ...known({ name: record.name }) };
}

function kindOf(
  agent: AgentRecord,
  { call, parent, evidence }: SpawnLink,
  asked: SpawnRecord | undefined,
  group: AgentGroup | undefined,
): AgentKind {
  // A warm-up is one only as long as no call turns out to have asked for it.
  const unasked = call === undefined && parent === undefined;
  if (agent.internal && unasked && agent.agentKind?.value !== 'teammate') return 'internal';
  if (agent.agentKind) return agent.agentKind.value;
  // An agent of a run may ask for others by a call of its own: those are none of the run's.
  if (group?.kind === 'workflow' && (evidence === 'group-run' || call === undefined)) return 'workflow';
  return asked?.type === 'fork' ? 'fork' : 'task';
}

/** The result is surer than what was asked for: it says that the agent was launched, or is its report. */
function isInBackground(
  agent: AgentRecord,
  call: CallRecord | undefined,
  asked: SpawnRecord | undefined,
): boolean | undefined {
  // Where all agents of a host run beside their parents, none is set apart.
  if (agent.background?.value === false) return false;
  if (call?.launched) return true;
  if (call?.spawn && call.ended?.value.outcome === 'ok') return false;
  return agent.background?.value ?? asked?.background;
}

/** What fills the context now: the last request, or what a compaction since then left of it. */
function contextAfter(agent: AgentRecord, lastRequest: MessageRecord | undefined): number | undefined {
  const last = [...agent.compactions.values()].sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
  if (last && (last.at ?? 0) > (lastRequest?.at ?? 0)) return last.tokensAfter;
  return lastRequest?.usage && contextOf(lastRequest.usage);
}

function lifeIn(
  record: AgentRecord,
  spawnCall: CallRecord | undefined,
  { ledger, main, life, own, link, children, others, asker, options }: AgentContext,
): Life {
  const { heldUntil } = record;
  const open = own.openCalls;
  const awaited = children.filter(
    (child) => ledger.agents.get(child.id)?.awaited?.value && !isOver(child.status) && isSinceLastWord(child, record),
  );
  const context = {
    life,
    callOf: (call: ToolCallId) => ledger.calls.get(call),
    mainLastAt: ledger.agents.get(main)?.lastAt ?? 0,
    // The call that started a workflow is not the start of each of its agents.
    // Some sources tell no times: theirs is none, not the beginning of all time.
    spawn: known({ call: link.call, at: (spawnCall?.spawn && spawnCall.started?.at) || undefined }),
    hasOpenCalls: open.length > 0 || awaited.length > 0,
    waitsOnChild:
      awaited.some(({ status }) => isAtWork(status)) ||
      children.some((child) => isAtWork(child.status) && open.some((call) => isWaitFor(child, call))),
    othersNotOver: others.some(
      (other) => other.kind !== 'internal' && !isOver(other.status) && isOfProcess(other, life),
    ),
    asks: asker === record.id ? questionOfProcess(life.process) : openQuestionOf(record, life),
    held: heldUntil !== undefined && heldUntil.value > options.now && heldUntil.at >= (tailOf(record)?.at ?? 0),
  };
  return record.id === main ? lifeOfMain(record, context) : lifeOfSubAgent(record, context);
}

/** Where calls are written down only after they ended, an agent that began since then is what its parent is at. */
function isSinceLastWord(child: AgentNode, parent: AgentRecord): boolean {
  return (child.runs[0]?.startedAt ?? 0) >= (tailOf(parent)?.at ?? 0);
}

/** The call that made it, where that waits for its result, or one that waits for any. */
function isWaitFor(child: AgentNode, { id, started }: CallRecord): boolean {
  return id === child.link.call || started?.value.awaitsAgents === true;
}

/** An agent that an earlier process lost says nothing about the one that was there last. */
function isOfProcess(agent: AgentNode, { process }: SessionLife): boolean {
  const startedAt = agent.runs.at(-1)?.startedAt;
  return process?.startedAt === undefined || startedAt === undefined || startedAt >= process.startedAt;
}

/** What all candidates agree on holds for the agent, whichever of them made it. */
function sharedBy(spawns: readonly (SpawnRecord | undefined)[]): SpawnRecord | undefined {
  const [first, ...others] = spawns;
  if (!first) return undefined;
  const agreed = Object.entries(first).filter(([key, value]) => {
    return others.every((other) => JSON.stringify(other?.[key as keyof SpawnRecord]) === JSON.stringify(value));
  });
  return Object.fromEntries(agreed);
}

/** A request that was cut off has cost tokens that nobody wrote down. */
function isLowerBound(status: AgentStatus, { hasPlaceholder }: Own): boolean {
  return status === 'unknown' || status === 'stopped' || hasPlaceholder;
}

/** Who waits, for the person or for another agent, is not stalled: it says so itself. */
function isStalled(
  status: AgentStatus,
  lastAt: number | undefined,
  tool: ToolInUse | undefined,
  { now, stalledAfter = STALLED_AFTER }: BuildOptions,
): boolean {
  if ((status !== 'running' && status !== 'spawning') || lastAt === undefined) return false;
  const patience = status === 'spawning' ? stalledAfter.start : tool ? stalledAfter.tool : stalledAfter.reply;
  return now - lastAt > patience;
}

function toToolInUse(call: CallRecord | undefined): ToolInUse | undefined {
  if (!call) return undefined;
  const startedAt = call.started?.at || undefined;
  const { tool, summary } = call.started?.value ?? { tool: 'unknown' };
  return { call: call.id, tool, ...known({ summary, startedAt }) };
}

function activityOf(life: Life, tool: ToolInUse | undefined): Activity {
  switch (life.status) {
    case 'spawning':
      return 'starting';
    case 'running':
      return tool ? 'tool_use' : 'thinking';
    case 'waiting':
      return life.waitingOn === 'input' ? 'idle' : 'waiting';
    case 'completed':
    case 'stopped':
      return 'done';
    case 'failed':
    case 'unknown':
      return life.status;
  }
}
