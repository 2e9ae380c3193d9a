// Ledger → tree: links, lifecycle, usage and order, put together agent by agent.

import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import {
  type AgentKind,
  countDiagnostics,
  type Diagnostic,
  type DiagnosticCount,
  MESSAGE_DELIVERY,
  type TitleKind,
  WARM_UP,
} from './events.ts';
import { compareTotals } from './host-totals.ts';
import { type AgentId, mainAgentOf, nativeId } from './ids.ts';
import {
  type AgentRecord,
  type CallRecord,
  copyTimeOf,
  createAgentRecord,
  type MessageRecord,
  type SessionLedger,
  type SpawnRecord,
} from './ledger.ts';
import { createOwnerOf, messagesOf, type Own, type OwnerOf, ownOf, Tally } from './ledger-index.ts';
import { type AgentContext, type Life, lifeOf, lifeOfAgent } from './lifecycle.ts';
import { realAgents, resolveLinks, type SpawnLink } from './link.ts';
import { shortenTitle } from './text/clean-text.ts';
import { plural } from './text/format.ts';
import {
  type Activity,
  type AgentGroup,
  type AgentNode,
  type AgentStatus,
  type BuildOptions,
  isAtWork,
  type PrintedSession,
  type SessionTree,
  STALLED_AFTER,
  type ToolInUse,
} from './tree.ts';
import { addByModel, addUsage, contextOf, NO_USAGE, sumByModel } from './usage.ts';

/** The tree of one session as its facts stand. Pure: the same ledger and the same `now` give the same tree. */
export function buildTree(ledger: SessionLedger, options: BuildOptions): SessionTree {
  const main = mainAgentOf(ledger.id);
  const ownerOf = createOwnerOf(ledger);
  const life = lifeOf(ledger, options.now);
  const real = realAgents(ledger, life.alive);
  const links = resolveLinks(ledger, real, ownerOf, life.alive);
  const records = real.filter(({ id }) => id === main || links.of.has(id));
  const order = spawnOrder(ledger, main, records, links.of);
  const own = (agent: AgentRecord): Own => ownOf(agent, ledger, ownerOf);

  const asker = life.alive && life.process?.state === 'waiting' ? askerOf(ledger, main, own) : undefined;
  // Children first: whether a parent waits depends on whether a child is at work.
  const built = new Map<AgentId, AgentNode>();
  const childrenOf = groupBy(order, ({ id }) => links.of.get(id)?.parent);
  for (const { id, depth } of order.toReversed()) {
    const children = (childrenOf.get(id) ?? []).map((child) => built.get(child.id));
    const record = ledger.agents.get(id) ?? createAgentRecord(id);
    const node = buildAgent(record, {
      ledger,
      main,
      life,
      own: own(record),
      copied: copiedIn(ledger, () => messagesOf(id, ledger, ownerOf)),
      link: links.of.get(id) ?? { rank: 'none', candidates: [] },
      depth,
      children: children.filter((child) => child !== undefined),
      others: id === main ? [...built.values()] : [],
      asker,
      options,
    });
    built.set(id, node);
  }
  const agents = withSubtrees(order.flatMap(({ id }) => built.get(id) ?? []));
  const { unattributed, hostTotals, hasUncounted, problems } = compareTotals(ledger);
  const found = [...links.problems, ...missingTranscripts(agents, main, ledger, options.now), ...problems];
  const diagnostics = countDiagnostics([
    ...ledger.problems.values(),
    ...found.map((problem) => ({ count: 1, examples: [problem] })),
  ]);
  const isRunning = life.alive && life.how === 'process';
  return {
    id: ledger.id,
    agents,
    diagnostics,
    ...(!isRunning && isEmpty(agents, diagnostics) && { isEmpty: true as const }),
    ...known({ unattributed, hostTotals }),
    ...(ledger.limits?.at !== undefined && { limits: { at: ledger.limits.at, windows: ledger.limits.value } }),
    ...(hasUncounted && { hasUncounted }),
    ...sessionFields(ledger, agents),
    ...startsOf(ledger, ownerOf),
  };
}

/**
 * The process asks one thing at a time, and does not say for whom: for the agent of whom a hook said so, else for the only
 * one in the middle of a call, else for main.
 */
function askerOf(ledger: SessionLedger, main: AgentId, own: (agent: AgentRecord) => Own): AgentId {
  const asking = [...ledger.agents.values()].filter(
    ({ askedAt, lastAt = 0 }) => askedAt !== undefined && askedAt >= lastAt,
  );
  const last = asking.toSorted((a, b) => (b.askedAt ?? 0) - (a.askedAt ?? 0) || (a.id < b.id ? -1 : 1))[0];
  if (last) return last.id;
  const busy = [...ledger.agents.values()].filter((agent) => own(agent).openCalls.some((call) => !call.spawn));
  return (busy.length === 1 ? busy[0]?.id : undefined) ?? main;
}

interface Place {
  readonly id: AgentId;
  readonly depth: number | undefined;
}

function spawnOrder(
  ledger: SessionLedger,
  main: AgentId,
  records: readonly AgentRecord[],
  links: ReadonlyMap<AgentId, SpawnLink>,
): Place[] {
  const ids = new Set(records.map((agent) => agent.id));
  // The call's place; the agents of one run of a workflow share theirs, and follow each other as they began.
  const placed = [...ids].map((id) => {
    const call = links.get(id)?.call;
    const asked = call === undefined ? undefined : ledger.calls.get(call)?.started;
    const startedAt = ledger.agents.get(id)?.startedAt ?? 0;
    return { id, at: asked?.at || startedAt, offset: asked?.origin.offset ?? 0, startedAt };
  });
  const inOrder = placed
    .sort((a, b) => a.at - b.at || a.offset - b.offset || a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
  const children = groupBy(inOrder, (id) => {
    const parent = links.get(id)?.parent;
    return parent === main || (parent !== undefined && ids.has(parent)) ? parent : undefined;
  });
  const places: Place[] = [];
  // By hand, not by recursion: hostile sidecars can nest ten thousand deep.
  const visit = (id: AgentId, depth: number | undefined): void => {
    const stack: Place[] = [{ id, depth }];
    for (let place = stack.pop(); place; place = stack.pop()) {
      places.push(place);
      const below = place.depth === undefined ? undefined : place.depth + 1;
      for (const child of (children.get(place.id) ?? []).toReversed()) stack.push({ id: child, depth: below });
    }
  };
  visit(main, 0);
  for (const orphan of children.get(undefined) ?? [])
    if (orphan !== main) visit(orphan, ledger.agents.get(orphan)?.depth?.value);
  return places;
}

function withSubtrees(agents: readonly AgentNode[]): readonly AgentNode[] {
  const totals = new Map(
    agents.map(({ id, subtreeUsage, subtreeByModel, usageIsLowerBound }) => [
      id,
      { subtreeUsage, subtreeByModel, subtreeIsLowerBound: usageIsLowerBound },
    ]),
  );
  for (const { id, link } of agents.toReversed()) {
    const total = totals.get(id);
    const above = link.parent === undefined ? undefined : totals.get(link.parent);
    if (!total || !above) continue;
    above.subtreeUsage = addUsage(above.subtreeUsage, total.subtreeUsage);
    above.subtreeByModel = addByModel(above.subtreeByModel, total.subtreeByModel);
    above.subtreeIsLowerBound ||= total.subtreeIsLowerBound;
  }
  return agents.map((agent) => ({ ...agent, ...totals.get(agent.id) }));
}

const TITLES: readonly TitleKind[] = ['custom', 'generated', 'prompt'];

function sessionFields(ledger: SessionLedger, agents: readonly AgentNode[]): Partial<SessionTree> {
  const titleKind = TITLES.find((kind) => ledger.titles.has(kind));
  const starts = agents.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = agents.flatMap(({ lastActivityAt }) => lastActivityAt ?? []);
  const inherited = agents.flatMap(({ inheritedUsage }) => inheritedUsage ?? []);
  const isMainMissing = agents[0]?.messageCount === undefined;
  // In its folder, as far as anybody knows: the first agent that did not get a worktree.
  const besideMain = isMainMissing ? agents.find(({ cwd, worktree }) => cwd && worktree === undefined) : undefined;
  return known({
    titleKind,
    title: titleKind && shortenTitle(ledger.titles.get(titleKind)?.value ?? ''),
    cwd: ledger.cwd?.value ?? besideMain?.cwd,
    branch: ledger.branch?.value ?? besideMain?.branch,
    hostTitle: ledger.hostTitle,
    hostVersion: ledger.hostVersion?.value,
    forkedFrom: ledger.forkedFrom,
    continuedFrom: ledger.forkedFrom === undefined ? (ledger.continuedFrom ?? ledger.begunIn) : undefined,
    inheritedUsage: inherited.length === 0 ? undefined : inherited.reduce(addUsage),
    startedAt: starts.length === 0 ? undefined : starts.reduce((a, b) => Math.min(a, b)),
    lastActivityAt: ends.length === 0 ? undefined : ends.reduce((a, b) => Math.max(a, b)),
  });
}

/** Which sessions its commands started, and which agent's command started it. What they come to, `linkSessions` decides. */
function startsOf(ledger: SessionLedger, ownerOf: OwnerOf): Pick<SessionTree, 'printed' | 'started' | 'begunBy'> {
  const printed = [...(ledger.printed?.values() ?? [])].flatMap(({ session, call }): readonly PrintedSession[] => {
    const { agents, started, ended } = ledger.calls.get(call) ?? {};
    const agent = agents && ownerOf(agents);
    if (agent === undefined) return [];
    return [{ session, call, agent, ...known({ askedAt: started?.at || undefined, endedAt: ended?.at || undefined }) }];
  });
  const begunBy = [...(ledger.begunBy ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, by]) => by);
  return {
    ...(printed.length > 0 && { printed: printed.sort((a, b) => (a.call < b.call ? -1 : a.call > b.call ? 1 : 0)) }),
    ...(ledger.started && { started: [...ledger.started].sort() }),
    ...(begunBy.length > 0 && { begunBy }),
  };
}

/** Divides messages of a copied session into those of the other session and its own; undefined if it is not a copy. */
function copiedIn(ledger: SessionLedger, messagesIn: () => readonly MessageRecord[]): AgentContext['copied'] {
  const { inherited, forkedFrom, copiedAt = 0, forkedAt = 0, borrowed } = ledger;
  if (forkedFrom === undefined && copiedAt === 0) return undefined;
  // Replies of main are known one by one: a new session may write its first lines in another order.
  const isCopy = ({ id, at = Number.POSITIVE_INFINITY, origin }: MessageRecord): boolean =>
    inherited.has(id) || at < copiedAt || (at < forkedAt && borrowed?.has(origin.source) === true);
  const messages = messagesIn();
  return {
    usage: messages.filter(isCopy).reduce((sum, { usage }) => (usage ? addUsage(sum, usage) : sum), NO_USAGE),
    ownByTime: new Tally(
      [],
      messages.filter((message) => !isCopy(message)),
    ).usageByTime(),
  };
}

const DAY_MS = 86_400_000;

function missingTranscripts(
  agents: readonly AgentNode[],
  main: AgentId,
  { deletesAfterDays = Number.POSITIVE_INFINITY }: SessionLedger,
  now: number,
): readonly Diagnostic[] {
  const missing = agents
    .filter(({ messageCount, status }) => messageCount === undefined && status !== 'spawning')
    // A session that has only begun holds no conversation yet; one with agents had one.
    .filter(({ id }) => id !== main || !agents.every(hasNoConversation));
  // Nothing tells when a main agent without a transcript was last at work: before the last of the others, as a rule.
  const lastAt = Math.max(...agents.map(({ lastActivityAt = 0 }) => lastActivityAt));
  const isDeleted = ({ id, lastActivityAt = id === main ? lastAt : now }: AgentNode): boolean =>
    now - lastActivityAt > deletesAfterDays * DAY_MS;
  const deleted = missing.filter(isDeleted).length;
  return [
    ...missing
      .filter((agent) => !isDeleted(agent))
      .map((agent): Diagnostic => ({ code: 'missing-transcript', detail: nativeId(agent.id) })),
    ...(deleted > 0 ? [{ code: 'deleted-transcript', detail: `of ${plural(deleted, 'agent')}` } as const] : []),
  ];
}

/** What could not be read may have been a conversation. */
function isEmpty(agents: readonly AgentNode[], diagnostics: readonly DiagnosticCount[]): boolean {
  return agents.every(hasNoConversation) && diagnostics.every(({ severity }) => severity !== 'data-loss');
}

/** A main agent that nobody spoke to, or an agent that the host warmed up before anybody did. */
function hasNoConversation({ kind, internal, messageCount }: AgentNode): boolean {
  return kind === 'main' ? messageCount === undefined : kind === 'internal' && internal === WARM_UP;
}

/** One node: everything that follows from the agent's own facts, the call that made it and its children. */
function buildAgent(record: AgentRecord, context: AgentContext): AgentNode {
  const { ledger, main, own, link, depth, options } = context;
  const { id } = record;
  const spawnCall = link.call === undefined ? undefined : ledger.calls.get(link.call);
  const asked =
    spawnCall?.spawn?.value ?? sharedBy(link.candidates.map((call) => ledger.calls.get(call)?.spawn?.value));
  const life = lifeOfAgent(record, spawnCall, context);
  const currentTool = isAtWork(life.status) ? toToolInUse(own.openCalls.at(-1)) : undefined;
  const hasTranscript = record.tails.size > 0;
  const reported = hasTranscript ? undefined : record.reported?.value;
  const usage = hasTranscript ? own.usage : reported?.usage;
  const isReportCopied = reported && (record.reported?.at ?? 0) < (copyTimeOf(ledger) ?? 0);
  const byTime = hasTranscript ? (context.copied?.ownByTime ?? own.usageByTime) : [];
  const copiedByModel = context.copied && sumByModel(byTime.filter(({ model }) => model !== ''));
  const byModel = hasTranscript ? (copiedByModel ?? own.usageByModel) : [];
  const group = groupOf(record, ledger);
  const kind = id === main ? 'main' : kindOf(record, context, asked, group);
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
    usageIsLowerBound: !hasTranscript || isLowerBound(life.status, own),
    subtreeIsLowerBound: false,
    subtreeUsage: usage ?? NO_USAGE,
    usageByModel: byModel,
    usageByTime: byTime,
    subtreeByModel: byModel,
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
      toolCallCount: hasTranscript ? own.callCount : (reported?.calls ?? countedCalls(record)),
      messageCount: hasTranscript ? own.messageCount : undefined,
      usage,
      inheritedUsage: usage && (isReportCopied ? usage : context.copied?.usage),
      lastRequest: lastRequest?.usage,
      startedAt: record.startedAt ?? spawnCall?.started?.at,
      lastActivityAt,
      completedAt: life.completedAt,
    }),
  };
}

function countedCalls({ callCounts }: AgentRecord): number | undefined {
  return callCounts && [...callCounts.values()].reduce((sum, count) => sum + count, 0);
}

function groupOf({ group }: AgentRecord, { groups }: SessionLedger): AgentGroup | undefined {
  const record = group && groups.get(group.value);
  return record && { id: group.value, kind: record.kind, ...known({ name: record.name }) };
}

function kindOf(
  agent: AgentRecord,
  { link, own, ledger, main, life }: AgentContext,
  asked: SpawnRecord | undefined,
  group: AgentGroup | undefined,
): AgentKind {
  const { call, parent, evidence } = link;
  // A warm-up is one only as long as no call turns out to have asked for it.
  const unasked = call === undefined && parent === undefined;
  const hasMain = (ledger.agents.get(main)?.tails.size ?? 0) > 0;
  const isUnasked = agent.internal !== undefined && unasked && agent.agentKind?.value !== 'teammate';
  if (isUnasked && !isAtRealWork(agent, own, { hasMain, life })) return 'internal';
  if (agent.agentKind) return agent.agentKind.value;
  if (isUnasked && agent.internal?.value === MESSAGE_DELIVERY) return 'teammate';
  // An agent of a run may ask for others by a call of its own: those are none of the run's.
  if (group?.kind === 'workflow' && (evidence === 'group-run' || call === undefined)) return 'workflow';
  return asked?.type === 'fork' ? 'fork' : 'task';
}

/**
 * A warm-up only says that it is ready. One without a prompt may be an agent whose call is in a transcript that is gone. What
 * a teammate does with a message is in a file of that message: all that is left of it if nothing says whose it is, and nothing
 * will.
 */
function isAtRealWork(
  { internal, prompt }: AgentRecord,
  { callCount }: Own,
  { hasMain, life }: Pick<AgentContext, 'life'> & { readonly hasMain: boolean },
): boolean {
  if (internal?.value === MESSAGE_DELIVERY) return !life.alive && (callCount > 0 || !hasMain);
  return internal?.value === WARM_UP && (callCount > 0 || (!prompt && !hasMain));
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

function activityOf({ status, waitingOn }: Life, tool: ToolInUse | undefined): Activity {
  switch (status) {
    case 'spawning':
      return 'starting';
    case 'running':
      return tool ? 'tool_use' : 'thinking';
    case 'waiting':
      return waitingOn === 'input' ? 'idle' : 'waiting';
    case 'completed':
    case 'stopped':
      return 'done';
    default:
      return status;
  }
}
