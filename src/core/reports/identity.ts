// Who made a tool call: as found, as `troupe identify` prints it, and as the audit log keeps it.

import { type AgentId, type HostName, mainAgentOf, nativeId, type SessionId, type ToolCallId } from '../ids.ts';
import { type AgentNode, labelOf, type SessionTree, selectPath } from '../tree.ts';
import type { IdentifiedReport, IdentityReport } from './shapes.ts';
import { orNull } from './tree.ts';

interface IdentifyRequest {
  /** The host's transcript of the main agent, as its hooks name it. */
  readonly transcript?: string;
  readonly toolCall?: ToolCallId;
  readonly host?: HostName;
  /** Epoch milliseconds: what was said later is none of its business. Left out: now. */
  readonly asOf?: number;
}

/** Who is behind a tool call. */
export interface Identity {
  readonly who: 'main' | 'subagent' | 'unknown';
  readonly agent?: IdentifiedAgent;
  /** Main first; the last one is `agent`. */
  readonly path: readonly AgentId[];
  readonly session?: SessionId;
  readonly evidence: IdentityEvidence;
  /** Where it cannot be told: all it may be. */
  readonly candidates: readonly IdentifiedAgent[];
  /** In words, where the answer is `unknown` or rests on nothing. */
  readonly reason?: string;
}

export type IdentityEvidence =
  | { readonly rank: 'exact'; readonly source: 'tool-call' | 'own-transcript' | 'hook' }
  | { readonly rank: 'guess'; readonly source: 'open-call' }
  | { readonly rank: 'none' };

export interface IdentifiedAgent {
  readonly id?: AgentId;
  readonly type?: string;
  readonly description?: string;
  readonly call?: ToolCallId;
}

export interface Identifier {
  identify(request: IdentifyRequest): Promise<Identity>;
}

export interface AuditAgent {
  readonly who: 'main' | 'subagent' | 'unknown';
  readonly id: string | null;
  readonly type: string | null;
  readonly name: string | null;
  readonly kind: string | null;
  readonly depth: number | null;
  /** From the main agent down to this one, by their labels. */
  readonly path: readonly string[];
  readonly evidence: 'exact' | 'strong' | 'guess' | 'none';
  /** Why it is unknown, or a guess. */
  readonly reason: string | null;
}

/** A tool call as hooks tell of it. What is not known is null. */
export interface HookedCall {
  readonly host: string;
  readonly session: string | null;
  readonly agent: AuditAgent;
  readonly tool: string | null;
  /** The host's id of the call. */
  readonly call: string | null;
  readonly summary: string | null;
  /** Secrets masked, long texts cut. */
  readonly input: unknown;
  readonly cwd: string | null;
  /** The rule that decided, or asks. */
  readonly rule: string | null;
}

const MAIN = 'main';

/** Stands for those in between where nobody knows who they are. */
const SOMEBODY = '…';

/** Who made a call, as the audit keeps it: with the names of the moment, for the files may go. */
export function computeAuditAgent(identity: Identity, tree?: SessionTree): AuditAgent {
  const { who, agent, session, evidence, reason } = identity;
  const nodes = tree && agent ? pathIn(tree, agent) : [];
  const node = nodes.at(-1);
  const id = who === 'main' ? session : (agent?.id ?? node?.id);
  return {
    who,
    id: id === undefined ? null : nativeId(id),
    type: orNull(node?.type ?? agent?.type),
    name: orNull(node?.name),
    kind: who === 'main' ? 'main' : orNull(node?.kind),
    depth: who === 'main' ? 0 : orNull(node?.depth),
    path: who === 'unknown' ? [] : who === 'main' ? [MAIN] : namesOf(identity, nodes),
    evidence: evidence.rank,
    reason: orNull(reason),
  };
}

/** One that is known only by the call that asked for it may be in the tree already. */
function pathIn(tree: SessionTree, { id, call }: IdentifiedAgent): readonly AgentNode[] {
  const known = id ?? (call && tree.agents.find(({ link }) => link.call === call)?.id);
  return known === undefined ? [] : selectPath(tree, known);
}

/** From the main agent down: every agent of a session comes from it, though it may not be known by which way. */
function namesOf({ agent, evidence }: Identity, nodes: readonly AgentNode[]): readonly string[] {
  const [first] = nodes;
  if (first?.kind === 'main') return nodes.map((one) => (one.kind === 'main' ? MAIN : labelOf(one)));
  if (first) return [MAIN, SOMEBODY, ...nodes.map(labelOf)];
  const own = [agent?.description, agent?.type].find((text) => text?.trim()) ?? 'sub-agent';
  // A guess is made by the open calls of the main agent.
  return evidence.rank === 'guess' ? [MAIN, own] : [MAIN, SOMEBODY, own];
}

/** `troupe identify`: the names of the hook contract, in snake case. */
export function computeIdentity({ who, agent, path, evidence, candidates, reason, session }: Identity): IdentityReport {
  return {
    agent_type: who,
    ...computeIdentified(who === 'main' && session !== undefined ? { id: mainAgentOf(session) } : agent),
    agent_path: path.map(nativeId),
    session_id: session === undefined ? null : nativeId(session),
    evidence: { rank: evidence.rank, source: evidence.rank === 'none' ? null : evidence.source },
    reason: orNull(reason),
    candidates: candidates.map(computeIdentified),
  };
}

function computeIdentified(agent: IdentifiedAgent | undefined): IdentifiedReport {
  return {
    subagent_name: orNull(agent?.type),
    subagent_description: orNull(agent?.description),
    tool_use_id: orNull(agent?.call),
    agent_id: agent?.id === undefined ? null : nativeId(agent.id),
  };
}
