import { nativeId } from '../ids.ts';
import type { IdentifiedAgent, Identity } from '../ports.ts';
import { selectPath } from '../select.ts';
import type { AgentNode, SessionTree } from '../tree.ts';
import type { AuditAgent } from './audit-shapes.ts';
import { orNull } from './json-values.ts';
import { labelOf } from './label.ts';

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
