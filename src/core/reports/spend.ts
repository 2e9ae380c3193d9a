// What sessions cost (`troupe cost`, `/api/cost`): by time, project, host, model or agent.

import { hostOf, mainAgentOf, nativeId } from '../ids.ts';
import {
  hasFilter,
  matcherOf,
  matchesAgent,
  matchesSession,
  type Query,
  type QuerySubject,
  subjectOf,
} from '../query.ts';
import { type AgentNode, type AgentStatus, labelOf, type SessionTree } from '../tree.ts';
import { addTo, type ModelUsage, NO_USAGE, slotOf, type TimedUsage, type Usage, type UsageSum } from '../usage.ts';
import { type CostReport, computeCost, listPrice, PRICES_AS_OF } from './prices.ts';
import type { UsageReport } from './shapes.ts';
import { isoTime, orNull, projectOf } from './tree.ts';

export const SPEND_DIMENSIONS = [
  'day',
  'week',
  'month',
  'project',
  'host',
  'model',
  'type',
  'session',
  'agent',
] as const;
export type SpendDimension = (typeof SPEND_DIMENSIONS)[number];

export interface SpendRequest {
  readonly by: SpendDimension;
  /** What each row is divided by. */
  readonly split?: 'model' | 'type' | 'host';
  /** Epoch milliseconds; counted by the quarter of an hour. */
  readonly since?: number;
  readonly until?: number;
  readonly query?: Query;
  readonly now: number;
  /** Hosts that the person pays by the month. */
  readonly subscriptions?: readonly string[];
}

export interface SpendLimit {
  readonly host: string;
  readonly hostTitle: string;
  /** When the host wrote it; null: it never did. */
  readonly at: string | null;
  readonly windows: readonly {
    readonly minutes: number | null;
    /** 0 to 1, or more. */
    readonly share: number;
    readonly resetsAt: string | null;
  }[];
  /** Why it is not known. */
  readonly problem: string | null;
}

export interface SpendReport {
  readonly by: SpendDimension;
  /** Days are those of this zone. */
  readonly timeZone: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly total: SpendAmount;
  /** Of the total, what main agents used. */
  readonly main: SpendAmount;
  readonly subAgents: SpendAmount;
  /** Of the total, requests of the host that belong to no agent: titles, summaries. */
  readonly unattributed: SpendAmount;
  /** 0 to 1; null if nothing was used or nothing is known of sub-agents, or, for money, if some of it has no price. */
  readonly subAgentShare: { readonly tokens: number | null; readonly usd: number | null };
  /** Of the total, what agents used that failed; and those that were stopped, or ended without a known outcome. */
  readonly failed: SpendAmount;
  readonly abandoned: SpendAmount;
  readonly sessions: number;
  readonly agents: number;
  readonly rows: readonly SpendRow[];
  /** Models without a price, with their tokens. The empty name: messages that name none. */
  readonly unpriced: readonly { readonly model: string; readonly tokens: number }[];
  readonly pricesAsOf: string;
  /** Hosts in the report that are paid by the month: their money is a list price. */
  readonly subscriptions: readonly string[];
  /** Of each of them, how much of the plan is used, as the host last wrote it down. */
  readonly limits: readonly SpendLimit[];
  /** Sessions of which the host counted another cost than the price list gives for the same tokens, by more than 1 %. */
  readonly differences: readonly SpendDifference[];
}

export interface SpendAmount {
  readonly usage: UsageReport;
  /** All four kinds together. */
  readonly tokens: number;
  readonly cost: CostReport;
}

export interface SpendRow {
  /** A day, a Monday, a month, a folder, a host, a model, a type, or an id. */
  readonly key: string;
  readonly label: string;
  readonly host: string | null;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly status: AgentStatus | null;
  readonly startedAt: string | null;
  readonly sessions: number;
  readonly agents: number;
  /** Of an agent or a type: without what those below used. Else that of main agents. */
  readonly own: SpendAmount;
  readonly total: SpendAmount;
  /** By the dimension that was asked for; largest first. */
  readonly parts: readonly { readonly key: string; readonly total: SpendAmount }[];
  readonly hostCost: HostCost | null;
}

/** What the host says that its requests cost, beside the price list for the same tokens. */
export interface HostCost {
  readonly usd: number;
  readonly listUsd: number;
  /** By more than 1 %. */
  readonly isDifferent: boolean;
}

export interface SpendDifference extends HostCost {
  readonly sessionId: string;
  readonly host: string;
  readonly label: string;
}

/** Usage of one agent, or of none, in a quarter of an hour. */
interface Entry extends TimedUsage {
  readonly tree: SessionTree;
  readonly agent: AgentNode | undefined;
}

/** `trees`: joined, each session once. */
export function computeSpend(trees: readonly SessionTree[], request: SpendRequest): SpendReport {
  const { by, since, until, subscriptions = [] } = request;
  const sums = createSums();
  const groups = new Map<string, Group>();
  const differences: SpendDifference[] = [];
  const hosts = new Set<string>();
  let [sessions, agents] = [0, 0];
  for (const tree of trees) {
    const entries = entriesOf(tree, request);
    if (entries.length === 0) continue;
    sessions++;
    const counted = new Set(entries.flatMap(({ agent }) => agent ?? []));
    agents += counted.size;
    for (const entry of entries) {
      hosts.add(hostIn(entry));
      sums.total.add(entry);
      sums[bucketOf(entry)].add(entry);
      const outcome = entry.agent && outcomeOf(entry.agent);
      if (outcome) sums[outcome].add(entry);
    }
    const cost = hostCostOf(tree);
    if (cost?.isDifferent)
      differences.push({ sessionId: nativeId(tree.id), host: hostOf(tree.id), label: titleOf(tree), ...cost });
    addToGroups(groups, tree, entries, request);
  }
  const rows = [...groups.values()].map((group) => toRow(group));
  return {
    by,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    since: isoTime(since),
    until: isoTime(until),
    total: sums.total.amount(),
    main: sums.main.amount(),
    subAgents: sums.subAgents.amount(),
    unattributed: sums.unattributed.amount(),
    subAgentShare: shareOf(sums.subAgents.amount(), sums.total.amount()),
    failed: sums.failed.amount(),
    abandoned: sums.abandoned.amount(),
    sessions,
    agents,
    rows: IS_TIME.has(by) ? rows.sort((a, b) => (a.key < b.key ? -1 : 1)) : rows.sort(byAmount),
    unpriced: sums.total.unpriced(),
    pricesAsOf: PRICES_AS_OF,
    subscriptions: subscriptions.filter((host) => hosts.has(host)),
    limits: subscriptions.filter((host) => hosts.has(host)).map((host) => limitOf(host, trees, request.now)),
    differences,
  };
}

/** A window that began anew since has another share, which nobody knows. */
function limitOf(host: string, trees: readonly SessionTree[], now: number): SpendLimit {
  const own = trees.filter(({ id }) => hostOf(id) === host);
  const hostTitle = own[0]?.hostTitle ?? host;
  const [last] = own.flatMap(({ limits }) => limits ?? []).toSorted((a, b) => b.at - a.at);
  const windows = (last?.windows ?? [])
    .filter(({ resetsAt = Number.POSITIVE_INFINITY }) => resetsAt > now)
    .map(({ minutes = null, share, resetsAt }) => ({ minutes, share, resetsAt: isoTime(resetsAt) }));
  const why = last ? 'it began anew since that was last written down' : 'its transcripts do not say';
  return { host, hostTitle, at: isoTime(last?.at), windows, problem: windows.length > 0 ? null : why };
}

const IS_TIME: ReadonlySet<SpendDimension> = new Set(['day', 'week', 'month']);

function byAmount(a: SpendRow, b: SpendRow): number {
  return b.total.cost.usd - a.total.cost.usd || b.total.tokens - a.total.tokens || (a.key < b.key ? -1 : 1);
}

function createSums() {
  const sum = (): Sum => new Sum();
  return { total: sum(), main: sum(), subAgents: sum(), unattributed: sum(), failed: sum(), abandoned: sum() };
}

function bucketOf({ agent, tree }: Entry): 'main' | 'subAgents' | 'unattributed' {
  if (!agent) return 'unattributed';
  return agent.id === mainAgentOf(tree.id) ? 'main' : 'subAgents';
}

/** Nearly every main agent ends without saying so, for its program is closed. */
function outcomeOf({ kind, status }: AgentNode): 'failed' | 'abandoned' | undefined {
  if (status === 'failed') return 'failed';
  return (status === 'stopped' || status === 'unknown') && kind !== 'main' ? 'abandoned' : undefined;
}

function shareOf(part: SpendAmount, whole: SpendAmount): SpendReport['subAgentShare'] {
  // Some hosts write no numbers for sub-agents.
  if (part.tokens === 0 && part.cost.isLowerBound) return { tokens: null, usd: null };
  const isPriced = whole.cost.unpricedModels.length === 0 && whole.cost.usd > 0;
  return {
    tokens: whole.tokens > 0 ? part.tokens / whole.tokens : null,
    usd: isPriced ? part.cost.usd / whole.cost.usd : null,
  };
}

const SLOT_MS = 15 * 60_000;

/** What counts of a session. */
function entriesOf(tree: SessionTree, request: SpendRequest): readonly Entry[] {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, query, now } = request;
  const { startedAt, lastActivityAt = startedAt ?? 0 } = tree;
  if (lastActivityAt < since || (startedAt ?? lastActivityAt) > until) return [];
  const subject = query && subjectOf(tree);
  if (query && subject && !matchesSession(withoutAgents(query), subject, now)) return [];
  const isAsked = query && subject ? agentFilter(query, subject, now) : undefined;
  const timed = tree.agents.flatMap((agent): readonly Entry[] => {
    const began = agent.startedAt ?? startedAt ?? lastActivityAt;
    return withMarks(agent).map((one) => ({ ...one, at: one.at || slotOf(began), tree, agent }));
  });
  const besides = (tree.unattributed ?? []).map((one) => ({ ...one, at: one.at || slotOf(lastActivityAt), tree }));
  const uncounted = tree.hasUncounted ? [{ ...nothingOf(''), at: slotOf(lastActivityAt), tree }] : [];
  return [...timed, ...[...besides, ...uncounted].map((one) => ({ ...one, agent: undefined }))].filter(
    (entry) => entry.at + SLOT_MS > since && entry.at <= until && (isAsked?.(entry) ?? true),
  );
}

/** What makes the whole agent a lower bound stands at its end. */
function withMarks(agent: AgentNode): readonly TimedUsage[] {
  const { usageByTime: timed, usageIsLowerBound, model = '', lastActivityAt } = agent;
  if (!usageIsLowerBound || timed.some(({ isLowerBound }) => isLowerBound)) return timed;
  return [...timed, { ...nothingOf(model), at: slotOf(lastActivityAt) }];
}

function nothingOf(model: string): Omit<TimedUsage, 'at'> {
  return { model, usage: NO_USAGE, isLowerBound: true };
}

/** Filters for agents and models choose what counts of a session, not which sessions count. */
function withoutAgents(query: Query): Query {
  const isOfAgents = hasFilter(query, 'agent', 'type');
  const isOfSession = ({ field }: Query['filters'][number]): boolean =>
    field !== 'agent' && field !== 'type' && field !== 'model' && (field !== 'status' || !isOfAgents);
  return { ...query, filters: query.filters.filter(isOfSession) };
}

/** One for times was applied to the session. */
function agentFilter(query: Query, subject: QuerySubject, now: number): ((entry: Entry) => boolean) | undefined {
  const isOfAgents = hasFilter(query, 'agent', 'type');
  const ofModels = query.filters.filter((filter) => filter.field === 'model');
  if (!isOfAgents && ofModels.length === 0) return undefined;
  const filters = query.filters.filter(
    ({ field }) => field !== 'model' && field !== 'before' && field !== 'after' && (isOfAgents || field !== 'status'),
  );
  const byId = new Map(subject.agents.map((agent) => [agent.id, agent]));
  const chosen = new Map<string, boolean>();
  const isChosen = (id: string): boolean => {
    const known = chosen.get(id);
    if (known !== undefined) return known;
    const agent = byId.get(id);
    const matches = agent !== undefined && matchesAgent({ words: [], filters }, subject, agent, { now });
    chosen.set(id, matches);
    return matches;
  };
  const isOfModel = (model: string): boolean => {
    const hits = ofModels.map((filter) => ({ ...filter, hit: matcherOf('model', filter.value)(model) }));
    if (hits.some(({ hit, isExcluded }) => hit && isExcluded)) return false;
    const wanted = hits.filter(({ isExcluded }) => !isExcluded);
    return wanted.length === 0 || wanted.some(({ hit }) => hit);
  };
  return ({ agent, model }) => isOfModel(model) && (agent ? isChosen(nativeId(agent.id)) : !isOfAgents);
}

interface Group extends Omit<SpendRow, 'own' | 'total' | 'parts' | 'sessions' | 'agents'> {
  readonly own: Sum;
  readonly total: Sum;
  readonly parts: Map<string, Sum>;
  readonly sessionIds: Set<SessionTree>;
  readonly agentIds: Set<AgentNode>;
}

function toRow({ own, total, parts, sessionIds, agentIds, ...rest }: Group): SpendRow {
  return {
    ...rest,
    sessions: sessionIds.size,
    agents: agentIds.size,
    own: own.amount(),
    total: total.amount(),
    parts: [...parts]
      .map(([key, sum]) => ({ key, total: sum.amount() }))
      .sort((a, b) => b.total.cost.usd - a.total.cost.usd || b.total.tokens - a.total.tokens),
  };
}

function addToGroups(
  groups: Map<string, Group>,
  tree: SessionTree,
  entries: readonly Entry[],
  { by, split }: SpendRequest,
): void {
  const add = (entry: Entry, group: Group, isOwn: boolean): void => {
    group.total.add(entry);
    if (isOwn) group.own.add(entry);
    group.sessionIds.add(tree);
    if (entry.agent) group.agentIds.add(entry.agent);
    if (split === undefined || entry.usage === NO_USAGE) return;
    const part = keyOf(entry, split).key;
    const sum = group.parts.get(part) ?? new Sum();
    group.parts.set(part, sum);
    sum.add(entry);
  };
  const isNested = by === 'agent' || by === 'type';
  // A lower bound of nothing is no row of its own.
  const isRow = (entry: Entry): boolean =>
    entry.usage !== NO_USAGE || !OF_USAGE.has(by) || groups.has(placeOf(entry, by));
  const counted = entries.filter(isRow);
  for (const entry of counted) {
    const group = groups.get(placeOf(entry, by)) ?? createGroup(entry, by);
    groups.set(placeOf(entry, by), group);
    add(entry, group, isNested || bucketOf(entry) === 'main');
  }
  if (!isNested) return;
  // What those below used is in the total of each agent above that has a row; of a type, once.
  const byId = new Map(tree.agents.map((agent) => [agent.id, agent]));
  for (const entry of counted) {
    const told = new Set([groups.get(placeOf(entry, by))]);
    const seen = new Set([entry.agent]);
    for (let above = aboveOf(entry.agent, byId); above && !seen.has(above); above = aboveOf(above, byId)) {
      seen.add(above);
      const group = groups.get(placeOf({ ...entry, agent: above }, by));
      if (group && !told.has(group)) group.total.add(entry);
      told.add(group);
    }
  }
}

/** Only what used something is listed. */
const OF_USAGE: ReadonlySet<SpendDimension> = new Set(['model', 'type', 'agent']);

function createGroup(entry: Entry, by: SpendDimension): Group {
  const sets = { sessionIds: new Set<SessionTree>(), agentIds: new Set<AgentNode>() };
  return { ...keyOf(entry, by), own: new Sum(), total: new Sum(), parts: new Map(), ...sets };
}

/** Ids of two hosts may be the same, and an agent's in two sessions. */
function placeOf(entry: Entry, by: SpendDimension): string {
  const { tree, agent } = entry;
  if (by === 'session') return tree.id;
  return by === 'agent' ? `${tree.id} ${agent?.id ?? ''}` : keyOf(entry, by).key;
}

function aboveOf(agent: AgentNode | undefined, byId: ReadonlyMap<AgentNode['id'], AgentNode>): AgentNode | undefined {
  return agent?.link.parent === undefined ? undefined : byId.get(agent.link.parent);
}

type Key = Pick<SpendRow, 'key' | 'label' | 'host' | 'sessionId' | 'agentId' | 'status' | 'startedAt' | 'hostCost'>;

const NO_KEY = { host: null, sessionId: null, agentId: null, status: null, startedAt: null, hostCost: null };

function keyOf(entry: Entry, by: SpendDimension): Key {
  const { at, model, tree, agent } = entry;
  const plain = (key: string, label = key): Key => ({ ...NO_KEY, key, label });
  switch (by) {
    case 'day':
    case 'week':
    case 'month':
      return plain(periodOf(at, by));
    case 'project':
      return plain(tree.cwd ?? '', projectOf(tree.cwd) ?? 'unknown');
    case 'host':
      return { ...plain(hostIn(entry), titleOfHost(entry)), host: hostIn(entry) };
    case 'model':
      return plain(model, model || 'unknown model');
    case 'type':
      return plain(typeOf(agent), agent ? typeOf(agent) : OF_HOST);
    case 'session':
      return {
        key: nativeId(tree.id),
        label: titleOf(tree),
        host: hostOf(tree.id),
        sessionId: nativeId(tree.id),
        agentId: null,
        status: null,
        startedAt: isoTime(tree.startedAt),
        hostCost: hostCostOf(tree) ?? null,
      };
    case 'agent':
      return {
        key: agent ? nativeId(agent.id) : '',
        label: agent ? (bucketOf(entry) === 'main' ? titleOf(tree) : labelOf(agent)) : OF_HOST,
        host: hostIn(entry),
        sessionId: nativeId(tree.id),
        agentId: agent ? nativeId(agent.id) : null,
        status: orNull(agent?.status),
        startedAt: isoTime(agent?.startedAt),
        hostCost: null,
      };
  }
}

const OF_HOST = 'requests of the host itself';

function typeOf(agent: AgentNode | undefined): string {
  if (!agent) return 'none';
  return agent.type ?? agent.kind;
}

function titleOf(tree: SessionTree): string {
  return tree.title ?? nativeId(tree.id).slice(0, 8);
}

function hostIn({ tree, agent }: Entry): string {
  return hostOf(agent?.id ?? tree.id);
}

function titleOfHost(entry: Entry): string {
  const host = hostIn(entry);
  return host === hostOf(entry.tree.id) ? (entry.tree.hostTitle ?? host) : host;
}

const periods = new Map<string, string>();

/** In local time. The same few hundred quarters of hours come again and again. */
function periodOf(at: number, by: 'day' | 'week' | 'month'): string {
  const place = `${by} ${at}`;
  const known = periods.get(place);
  if (known !== undefined) return known;
  const date = new Date(at);
  if (by === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  const period = by === 'month' ? `${year}-${month}` : `${year}-${month}-${day}`;
  if (periods.size > 100_000) periods.clear();
  periods.set(place, period);
  return period;
}

/** Of requests that the host put a price on; undefined if it did for none. */
function hostCostOf({ hostTotals, agents, unattributed = [] }: SessionTree): HostCost | undefined {
  const used = hostTotals ?? [...agents.flatMap(({ usageByModel }) => usageByModel), ...unattributed];
  let [usd, listUsd] = [0, 0];
  for (const { model, billed } of used) {
    const listed = billed && listPrice({ model, ...billed });
    if (!billed || listed === undefined) continue;
    usd += billed.nanoUsd / 1e9;
    listUsd += listed;
  }
  if (usd === 0 && listUsd === 0) return undefined;
  return { usd, listUsd, isDifferent: Math.abs(usd - listUsd) > 0.01 * Math.max(usd, listUsd) };
}

/** Added to in place, by model: models have prices. */
class Sum {
  readonly #byModel = new Map<string, ModelSum>();
  #isLowerBound = false;

  add({ model, usage, long, billed, isLowerBound }: TimedUsage): void {
    if (isLowerBound) this.#isLowerBound = true;
    if (usage === NO_USAGE) return;
    let sum = this.#byModel.get(model);
    if (!sum) {
      sum = { model, usage: { ...NO_USAGE } };
      this.#byModel.set(model, sum);
    }
    addTo(sum.usage, usage, 1);
    if (long) sum.long = addTo(sum.long ?? { ...NO_USAGE }, long, 1);
    if (!billed) return;
    sum.billed ??= { nanoUsd: 0, usage: { ...NO_USAGE } };
    sum.billed.nanoUsd += billed.nanoUsd;
    addTo(sum.billed.usage, billed.usage, 1);
    if (billed.long) sum.billed.long = addTo(sum.billed.long ?? { ...NO_USAGE }, billed.long, 1);
  }

  amount(): SpendAmount {
    const used: readonly ModelUsage[] = [...this.#byModel.values()];
    const usage = used.reduce<UsageSum>((sum, one) => addTo(sum, one.usage, 1), { ...NO_USAGE });
    return { usage, tokens: tokensOf(usage), cost: computeCost(used, this.#isLowerBound) };
  }

  unpriced(): SpendReport['unpriced'] {
    const { unpricedModels } = this.amount().cost;
    return unpricedModels.map((model) => ({ model, tokens: tokensOf(this.#byModel.get(model)?.usage ?? NO_USAGE) }));
  }
}

interface ModelSum {
  readonly model: string;
  readonly usage: UsageSum;
  long?: UsageSum;
  billed?: { nanoUsd: number; readonly usage: UsageSum; long?: UsageSum };
}

function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
