// Who asked for each agent: the strongest evidence in the ledger decides.

import { groupBy } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { type Diagnostic, EVIDENCE, type EvidenceRank, type EvidenceSource } from './events.ts';
import { type AgentId, isUnnamed, mainAgentOf, nativeId, type ToolCallId } from './ids.ts';
import type { AgentRecord, CallRecord, LinkClaim, SessionLedger } from './ledger.ts';
import { indexOf, type OwnerOf } from './ledger-index.ts';

const STRENGTH = Object.keys(EVIDENCE) as readonly EvidenceSource[];

/** How an agent hangs in the tree. Without a parent it is an orphan: shown under its session, attached to nobody. */
export interface SpawnLink {
  readonly parent?: AgentId;
  readonly call?: ToolCallId;
  readonly rank: EvidenceRank;
  readonly evidence?: EvidenceSource;
  /** Calls that may have made it, where no single one can be named. */
  readonly candidates: readonly ToolCallId[];
}

/** A fan-out of hundreds with one prompt: naming a few says as much. */
const MAX_CANDIDATES = 20;

const ORPHAN: SpawnLink = { rank: 'none', candidates: [] };

interface Linking {
  readonly ledger: SessionLedger;
  /** Agents that can be a parent: the main agent and those that exist. */
  readonly exists: ReadonlySet<AgentId>;
  readonly ownerOf: OwnerOf;
  readonly problems: Diagnostic[];
  /** Whether more may still be written. */
  readonly isAlive: boolean;
}

/** Decides every parent from the claims in the ledger: the strongest evidence wins, a guess never replaces a proof. */
export function resolveLinks(
  ledger: SessionLedger,
  records: readonly AgentRecord[],
  ownerOf: OwnerOf,
  isAlive: boolean,
): { of: ReadonlyMap<AgentId, SpawnLink>; problems: readonly Diagnostic[] } {
  const main = mainAgentOf(ledger.id);
  const problems: Diagnostic[] = [];
  const linking: Linking = {
    ledger,
    exists: new Set([main, ...records.map(({ id }) => id)]),
    ownerOf,
    problems,
    isAlive,
  };
  const agents = records.filter(({ id }) => id !== main).sort((a, b) => (a.id < b.id ? -1 : 1));
  const links = new Map(agents.map((agent) => [agent.id, linkByClaims(agent, linking)]));
  linkByPrompt(agents, links, linking);
  nameCalls(agents, links, linking);
  dropStandIns(links);
  cutCycles(links, problems);
  return { of: links, problems };
}

function linkByClaims(agent: AgentRecord, linking: Linking): SpawnLink {
  const { ledger, exists, ownerOf, problems } = linking;
  // A call that woke the agent names it as well, but did not make it.
  const wakes = new Set([...agent.resumes.values()].map(({ call }) => call));
  const claims = [...agent.links.values(), ...claimsByAlias(agent, ledger), ...claimsByGroup(agent, ledger)]
    .filter(({ call }) => call === undefined || !wakes.has(call))
    .sort(byStrength);
  let missing: string | undefined;
  for (const claim of claims) {
    const call = claim.call === undefined ? undefined : ledger.calls.get(claim.call);
    // Who tells of the call may only have copied it, as a compaction does.
    const parent = (call && ownerOf(call.agents)) ?? claim.parent;
    if (parent === agent.id) continue;
    if (parent !== undefined && exists.has(parent) && !isForeign(claim, call, agent, linking)) {
      const rank = EVIDENCE[claim.evidence].rank;
      const made = claim.call ?? claims.find((other) => other.call !== undefined)?.call;
      return { parent, rank, evidence: claim.evidence, candidates: [], ...known({ call: made }) };
    }
    const byCall = claim.call !== undefined && !call;
    missing ??= byCall || parent === undefined ? `the call ${claim.call}` : `the agent ${nativeId(parent)}`;
  }
  if (missing === undefined) return ORPHAN;
  problems.push({ code: 'missing-parent', detail: `${nativeId(agent.id)} names ${missing}, which was never seen` });
  const call = claims.find((claim) => claim.call !== undefined)?.call;
  return { ...ORPHAN, ...known({ call }) };
}

/** A reply's lines are written when it ends: so long may the call be missing that a sidecar names. */
const CALL_DELAY_MS = 60_000;

/**
 * The sidecar of another session's agent, left here by `/clear`: its call never comes, though this session went on. One
 * that names another agent of this session is at home here, and so is one that began after main's last line: main went
 * down before it could write the call.
 */
function isForeign(
  { evidence, call: named, parent }: LinkClaim,
  call: CallRecord | undefined,
  agent: AgentRecord,
  { ledger, isAlive }: Linking,
): boolean {
  if (evidence !== 'sidecar' || named === undefined || call) return false;
  const main = mainAgentOf(ledger.id);
  const mainLastAt = ledger.agents.get(main)?.lastAt;
  if (mainLastAt === undefined || (parent !== undefined && parent !== main)) return false;
  return mainLastAt > (agent.startedAt ?? 0) + (isAlive ? CALL_DELAY_MS : 0);
}

/** What is said under its other id. A name may be given again: the last call before its beginning is the one that made it. */
function claimsByAlias({ alias, startedAt = Number.POSITIVE_INFINITY }: AgentRecord, ledger: SessionLedger) {
  const claims = alias ? [...(ledger.agents.get(alias.value)?.links.values() ?? [])] : [];
  const calledAt = ({ call }: LinkClaim): number => (call && ledger.calls.get(call)?.started?.at) ?? 0;
  return claims
    .filter((claim) => calledAt(claim) <= startedAt + CALL_BEFORE_AGENT_MS)
    .sort((a, b) => calledAt(b) - calledAt(a))
    .slice(0, 1);
}

/** The agents of a workflow's run name no call: their folder names the run, and a call's result does, too. */
function claimsByGroup(agent: AgentRecord, ledger: SessionLedger): readonly LinkClaim[] {
  const started = agent.group && ledger.groups.get(agent.group.value)?.started?.value;
  return started ? [{ evidence: 'group-run', call: started.call, parent: started.agent }] : [];
}

/** An agent that nothing names, and one call with the very same prompt that made nobody else: that is its call. */
function linkByPrompt(
  agents: readonly AgentRecord[],
  links: Map<AgentId, SpawnLink>,
  { ledger, exists, ownerOf, problems }: Linking,
): void {
  const taken = new Set([...links].map(([id, { call }]) => (isUnnamed(id) ? undefined : call)));
  for (const agent of ledger.agents.values()) for (const { call } of agent.resumes.values()) taken.add(call);
  const free = groupBy(
    [...indexOf(ledger).spawns]
      .filter((call) => call.spawn?.value.prompt && !taken.has(call.id))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    (call) => call.spawn?.value.prompt?.digest,
  );
  const unplaced = agents.filter((agent) => agent.prompt && !links.get(agent.id)?.parent && !isProven(agent));
  const options = new Map(
    unplaced.map((agent) => [
      agent,
      (free.get(agent.prompt?.value.digest) ?? []).filter((call) => isPossible(call, agent)),
    ]),
  );
  for (const [agent, calls] of matchOneByOne(options)) {
    if (calls.length === 0) continue;
    const [only] = calls.length === 1 ? calls : [];
    const candidates = calls.slice(0, MAX_CANDIDATES).map((call) => call.id);
    // Twins: which call made which cannot be told, but where one agent made all the calls, it is the parent of each.
    const owners = new Set(calls.map((one) => ownerOf(one.agents)));
    const parent = owners.size === 1 ? [...owners][0] : undefined;
    if (parent !== undefined && parent !== agent.id && exists.has(parent)) {
      const { rank } = EVIDENCE['same-prompt'];
      const made = only ? { call: only.id, candidates: [] } : { candidates };
      links.set(agent.id, { parent, rank, evidence: 'same-prompt', ...made });
    } else {
      links.set(agent.id, { ...ORPHAN, candidates });
    }
    if (only) continue;
    problems.push({ code: 'ambiguous-link', detail: `${nativeId(agent.id)}: ${candidates.join(', ')}` });
  }
}

/** Whose it is, is known, and not by which call: the only one of its parent's with its prompt that made nobody else is it. */
function nameCalls(agents: readonly AgentRecord[], links: Map<AgentId, SpawnLink>, { ledger, ownerOf }: Linking): void {
  const callless = agents.filter(({ id, prompt }) => prompt && links.get(id)?.parent && !links.get(id)?.call);
  if (callless.length === 0) return;
  const taken = new Set([...links].map(([id, { call }]) => (isUnnamed(id) ? undefined : call)));
  const free = [...indexOf(ledger).spawns].filter(({ id }) => !taken.has(id));
  if (free.length === 0) return;
  for (const agent of callless) {
    const link = links.get(agent.id);
    const isLike = (digest: string | undefined): boolean => digest === agent.prompt?.value.digest;
    const calls = free.filter(
      (call) => isLike(call.spawn?.value.prompt?.digest) && ownerOf(call.agents) === link?.parent,
    );
    const twins = callless.filter((other) => isLike(other.prompt?.value.digest));
    const [call] = calls;
    if (link && call && calls.length === 1 && twins.length === 1) links.set(agent.id, { ...link, call: call.id });
  }
}

/** An agent without a name gives way as soon as somebody turns out to be made by its call, its own agents included. */
function dropStandIns(links: Map<AgentId, SpawnLink>): void {
  if (![...links.keys()].some(isUnnamed)) return;
  const named = new Map([...links].flatMap(([id, { call }]) => (isUnnamed(id) || !call ? [] : [[call, id]])));
  const heirOf = (id: AgentId | undefined): AgentId | undefined => {
    const call = id !== undefined && isUnnamed(id) ? links.get(id)?.call : undefined;
    return call === undefined ? undefined : named.get(call);
  };
  for (const [id, link] of links) {
    const parent = heirOf(link.parent);
    if (parent !== undefined && parent !== id) links.set(id, { ...link, parent });
  }
  // Twins: each call made one of them.
  const candidates = new Set([...links.values()].flatMap((link) => link.candidates));
  for (const [id, { call }] of [...links])
    if (isUnnamed(id) && (heirOf(id) !== undefined || (call !== undefined && candidates.has(call)))) links.delete(id);
}

/** A call that only one agent can come from is that agent's, and nobody else's: again and again, until nothing changes. */
function matchOneByOne(options: Map<AgentRecord, readonly CallRecord[]>): Map<AgentRecord, readonly CallRecord[]> {
  const settled = new Set<AgentRecord>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const [agent, calls] of options) {
      const [call] = calls;
      if (settled.has(agent) || calls.length !== 1 || !call) continue;
      const rivals = [...options].filter(([other, theirs]) => other !== agent && theirs.includes(call));
      if (rivals.some(([, theirs]) => theirs.length === 1)) continue;
      settled.add(agent);
      changed = true;
      for (const [rival, theirs] of rivals)
        options.set(
          rival,
          theirs.filter((one) => one !== call),
        );
    }
  }
  // Two that can come from the same single call: neither is sure.
  return options;
}

function isProven(agent: AgentRecord): boolean {
  return [...agent.links.values()].some(({ evidence }) => EVIDENCE[evidence].rank === 'exact');
}

/** Clocks of one machine; a call's line and its agent's first one are written by the same program. */
const CALL_BEFORE_AGENT_MS = 2_000;

/** A call that was refused or answered before the agent began did not make it, and neither did one from after that. */
function isPossible(call: CallRecord, { startedAt = 0 }: AgentRecord): boolean {
  if (call.ended !== undefined && !call.launched && call.ended.at < startedAt) return false;
  return (call.started?.at ?? 0) <= startedAt + CALL_BEFORE_AGENT_MS;
}

/** In a circle of links, the weakest (then the one of the largest id) does not hold. */
function cutCycles(links: Map<AgentId, SpawnLink>, problems: Diagnostic[]): void {
  const settled = new Set<AgentId>();
  for (const start of [...links.keys()].sort()) {
    const path: AgentId[] = [];
    let at: AgentId | undefined = start;
    while (at !== undefined && !settled.has(at) && !path.includes(at)) {
      path.push(at);
      at = links.get(at)?.parent;
    }
    if (at !== undefined && path.includes(at)) {
      const circle = path.slice(path.indexOf(at));
      const weakest = circle.sort((a, b) => strengthOf(links.get(b)) - strengthOf(links.get(a)) || (a < b ? 1 : -1))[0];
      if (weakest !== undefined) {
        links.set(weakest, ORPHAN);
        problems.push({ code: 'link-cycle', detail: nativeId(weakest) });
      }
    }
    for (const id of path) settled.add(id);
  }
}

function byStrength(a: LinkClaim, b: LinkClaim): number {
  const order = STRENGTH.indexOf(a.evidence) - STRENGTH.indexOf(b.evidence);
  if (order !== 0) return order;
  // Of two claims of one kind, the one that names the parent itself, then any fixed order.
  if ((a.parent === undefined) !== (b.parent === undefined)) return a.parent === undefined ? 1 : -1;
  return `${a.call} ${a.parent}` < `${b.call} ${b.parent}` ? -1 : 1;
}

function strengthOf(link: SpawnLink | undefined): number {
  return link?.evidence === undefined ? STRENGTH.length : STRENGTH.indexOf(link.evidence);
}

/**
 * Agents that exist. A name alone makes none: a text that quotes an id, or a notice about a background command, must not
 * invent one. The main agent is always among them, even where its transcript is gone.
 */
export function realAgents(ledger: SessionLedger, isAlive: boolean): readonly AgentRecord[] {
  const main = mainAgentOf(ledger.id);
  const agents = [...ledger.agents.values()];
  const aliases = new Set(agents.filter((agent) => isReal(agent, ledger)).map(({ alias }) => alias?.value));
  // While more may be written, the agent itself is waited for.
  const isOther = ({ id, isAlias, isOthers }: AgentRecord): boolean =>
    aliases.has(id) || isOthers?.value === true || (isAlive && isAlias?.value === true);
  return agents.filter((agent) => agent.id === main || (!isOther(agent) && isReal(agent, ledger)));
}

function isReal(agent: AgentRecord, ledger: SessionLedger): boolean {
  if (agent.tails.size > 0) return true;
  return [...agent.links.values()].some(({ evidence, call }) => {
    // After `/clear`, sidecars (2.1.325) and the notices of agents at work come to the new session: without its call, an agent
    // is the old session's.
    const isCallKnown = call !== undefined && ledger.calls.has(call);
    if (evidence === 'sidecar') return isCallKnown;
    if (evidence === 'notification' && call !== undefined && !isCallKnown) return false;
    return EVIDENCE[evidence].rank === 'exact' || evidence === 'progress';
  });
}
