import { nativeId } from '../model/ids.ts';
import type { AgentRecord, Said, SessionLedger } from '../model/ledger.ts';
import { EVIDENCE } from '../model/link.ts';
import type { AgentNode } from '../model/tree.ts';
import { isoTime, orNull } from './json-values.ts';

export type ExplanationReport = ReturnType<typeof computeExplanation>;

const FACTS = [
  'agentKind',
  'type',
  'name',
  'description',
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
    ends: [...(record?.ends.values() ?? [])]
      .map(({ signal, outcome, at, reason, call, origin }) => ({
        signal,
        outcome,
        at: isoTime(at),
        reason: orNull(reason),
        toolUseId: orNull(call),
        believed: agent.runs.some((run) => run.signal === signal && run.endedAt === at),
        place: placeOf({ origin }),
      }))
      .sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1)),
    runs: agent.runs.map(({ call, status, signal, reason }) => ({
      toolUseId: orNull(call),
      status,
      signal,
      reason: orNull(reason),
    })),
    facts: FACTS.flatMap((field) => {
      const said: Said<unknown> | undefined = record?.[field];
      return said ? [{ field, value: said.value, place: placeOf(said) }] : [];
    }),
    messages: [...ledger.messages.values()]
      .filter((message) => message.usage && message.agents.has(agent.id))
      .map((message) => ({
        id: message.id,
        output: message.usage?.output ?? 0,
        isPlaceholder: message.placeholder,
        alsoIn: [...message.agents].filter((id) => id !== agent.id).map(nativeId),
        place: placeOf(message),
      })),
    transcripts: agent.sources,
  };
}

function explainLink({ link }: AgentNode, record: AgentRecord | undefined) {
  return {
    parentId: link.parent === undefined ? null : nativeId(link.parent),
    toolUseId: orNull(link.call),
    rank: link.rank,
    source: orNull(link.evidence),
    candidates: link.candidates,
    claims: [...(record?.links.values() ?? [])].map(({ evidence, call, parent }) => ({
      source: evidence,
      rank: EVIDENCE[evidence].rank,
      text: EVIDENCE[evidence].text,
      toolUseId: orNull(call),
      parentId: parent === undefined ? null : nativeId(parent),
    })),
  };
}

function placeOf({ origin }: { readonly origin: Said<unknown>['origin'] }) {
  return { source: origin.source, offset: origin.offset, length: origin.length };
}
