import type { AuditAgent } from '../model/audit.ts';
import { nativeId } from '../model/ids.ts';
import type { Identity } from '../model/ports.ts';
import { selectPath } from '../model/select.ts';
import type { SessionTree } from '../model/tree.ts';
import { orNull } from './json-values.ts';
import { labelOf } from './label.ts';

const MAIN = 'main';

/** Who made a call, as the audit keeps it: with the names of the moment, for the files may go. */
export function computeAuditAgent({ who, agent, session, evidence, reason }: Identity, tree?: SessionTree): AuditAgent {
  const id = who === 'main' ? session : agent?.id;
  const nodes = tree && agent?.id !== undefined ? selectPath(tree, agent.id) : [];
  const node = nodes.at(-1);
  const names = nodes.map((one) => (one.kind === 'main' ? MAIN : labelOf(one)));
  return {
    who,
    id: id === undefined ? null : nativeId(id),
    type: orNull(node?.type ?? agent?.type),
    name: orNull(node?.name),
    kind: who === 'main' ? 'main' : orNull(node?.kind),
    depth: who === 'main' ? 0 : orNull(node?.depth),
    path: who === 'unknown' ? [] : who === 'main' ? [MAIN] : names.length > 0 ? names : [agent?.type ?? 'sub-agent'],
    evidence: evidence.rank,
    reason: orNull(reason),
  };
}
