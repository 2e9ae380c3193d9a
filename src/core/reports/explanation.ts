// `troupe tree --explain`: where each fact about an agent comes from.

import { known } from '../../lib/json.ts';
import { EVIDENCE, type EventOrigin, type EvidenceSource } from '../events.ts';
import { nativeId } from '../ids.ts';
import type { AgentRecord, EndClaim, LinkClaim, Said, SessionLedger } from '../ledger.ts';
import type { AgentNode } from '../tree.ts';
import { isoTime, orNull } from './tree.ts';

export type ExplanationReport = ReturnType<typeof computeExplanation>;

const FACTS = [
  'agentKind',
  'type',
  'name',
  'description',
  'prompt',
  'depth',
  'effort',
  'slug',
  'cwd',
  'branch',
  'worktree',
  'background',
  'internal',
  'group',
] as const;

/** `troupe tree --explain`: for one agent, what was said about it, where, and what was made of it. */
export function computeExplanation(agent: AgentNode, ledger: SessionLedger) {
  const record = ledger.agents.get(agent.id);
  return {
    id: nativeId(agent.id),
    status: agent.status,
    link: explainLink(agent, record),
    runs: agent.runs.map(({ call, status, signal, reason }) => ({
      toolUseId: orNull(call),
      status,
      signal,
      reason: orNull(reason),
    })),
    ends: [...(record?.ends.values() ?? []), ...resultsOf(agent, ledger)]
      .map(({ signal, outcome, at, reason, call, origin }) => ({
        signal,
        outcome,
        at: isoTime(at),
        reason: orNull(reason),
        toolUseId: orNull(call),
        believed: agent.runs.some((run) => run.signal === signal && run.endedAt === at),
        place: placeOf(origin),
      }))
      .sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1)),
    facts: FACTS.flatMap((field) => {
      const said: Said<unknown> | undefined = record?.[field];
      const value = field === 'prompt' ? record?.prompt?.value.head : said?.value;
      return said ? [{ field, value, place: placeOf(said.origin) }] : [];
    }),
    messages: [...ledger.messages.values()]
      .filter((message) => message.usage && message.agents.has(agent.id))
      .map((message) => ({
        id: message.id,
        model: orNull(message.model?.value),
        output: message.usage?.output ?? 0,
        isPlaceholder: message.placeholder,
        alsoIn: [...message.agents].filter((id) => id !== agent.id).map(nativeId),
        place: placeOf(message.origin),
      })),
    transcripts: agent.sources,
  };
}

/** The results of the calls that began its runs: an end, too, where they are reports. */
function resultsOf(agent: AgentNode, ledger: SessionLedger): readonly EndClaim[] {
  return agent.runs.flatMap(({ call: id }): readonly EndClaim[] => {
    const call = id === undefined ? undefined : ledger.calls.get(id);
    if (!id || !call?.spawn || !call.ended || call.launched) return [];
    const { value, at, origin } = call.ended;
    return [{ signal: 'result', outcome: value.outcome === 'ok' ? 'completed' : 'failed', call: id, at, origin }];
  });
}

/** How a session can be known to be another's. */
const ACROSS: ReadonlySet<EvidenceSource> = new Set(['printed', 'environment', 'continued']);

function explainLink({ link, session }: AgentNode, record: AgentRecord | undefined) {
  // Who started a session stands in the facts of two of them.
  const across: readonly LinkClaim[] =
    session !== undefined && link.evidence !== undefined && ACROSS.has(link.evidence)
      ? [{ evidence: link.evidence, ...known({ call: link.call, parent: link.parent }) }]
      : [];
  return {
    parentId: link.parent === undefined ? null : nativeId(link.parent),
    toolUseId: orNull(link.call),
    rank: link.rank,
    source: orNull(link.evidence),
    candidates: link.candidates,
    claims: [...(record?.links.values() ?? []), ...across].map(({ evidence, call, parent, origin }) => ({
      source: evidence,
      rank: EVIDENCE[evidence].rank,
      text: EVIDENCE[evidence].text,
      toolUseId: orNull(call),
      parentId: parent === undefined ? null : nativeId(parent),
      believed: evidence === link.evidence,
      place: origin ? placeOf(origin) : null,
    })),
  };
}

function placeOf({ source, offset, length }: EventOrigin) {
  return { source, offset, length };
}
