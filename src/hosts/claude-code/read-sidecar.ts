// `agent-<id>.meta.json`, beside an agent's transcript: who it is and who asked for it (2.1.81 and later, more fields since).

import {
  type AgentEvent,
  type AgentId,
  type AgentKind,
  MESSAGE_DELIVERY,
  mainAgentOf,
  type RunOutcome,
} from '../../core/index.ts';
import { asAmount, asFlag, asText, isObject, known } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { Fact } from '../shared/index.ts';
import { agentIdOf, callIdOf } from './line-context.ts';
import type { TranscriptOf } from './read-transcript.ts';
import { parseLine, parseWhole, type RawRecord } from './record.ts';

export function readSidecar(line: Line, { session, source, agent }: TranscriptOf): readonly AgentEvent[] {
  const origin = { source, offset: line.offset, length: line.length };
  const facts = parseWhole(line.bytes);
  if (!isObject(facts)) {
    const diagnostic = { code: 'invalid-json', detail: 'sidecar', origin } as const;
    return [{ kind: 'problem-found', session, origin, diagnostic }];
  }
  const place = { session, origin, agent };
  const events: AgentEvent[] = [{ kind: 'agent-seen', ...place, ...identityIn(facts) }];
  const call = callIdOf(facts['toolUseId']);
  const parent = parentIn(facts, mainAgentOf(session));
  if (call !== undefined || parent !== undefined)
    events.push({ kind: 'agent-linked', ...place, evidence: 'sidecar', ...known({ call, parent }) });
  const team = asText(facts['teamName']);
  if (team !== undefined) events.push({ kind: 'agent-grouped', ...place, group: team, groupKind: 'team' });
  // 2.1.325: set when the agent ended by itself, after an API error as well; absent when it was killed or lost.
  if (facts['finished'] === true) events.push({ kind: 'run-ended', ...place, signal: 'sidecar', outcome: 'completed' });
  return events;
}

function identityIn(facts: RawRecord) {
  // A teammate's type is its own name; what it was made from stands beside it.
  const isTeammate = kindIn(facts) === 'teammate';
  const type = isTeammate
    ? (asText(facts['customAgentType']) ?? asText(facts['spawnedAgentType']))
    : asText(facts['agentType']);
  const shape = asText(facts['requestShape']);
  const [name, team] = [asText(facts['name']), asText(facts['teamName'])];
  return known({
    // Up to 2.1.287 the result of the call names a teammate so.
    alias: isTeammate && name !== undefined && team !== undefined ? agentIdOf(`${name}@${team}`) : undefined,
    agentKind: kindIn(facts),
    type,
    // The name of a fork is made up from its description.
    name: kindIn(facts) === 'fork' && asText(facts['description']) !== undefined ? undefined : name,
    description: asText(facts['description']),
    worktree: asText(facts['worktreePath']),
    // Nothing but a name: made to hand a message to a teammate (2.1.88 to 2.1.161), whose first line may come late.
    internal: Object.keys(facts).join() === 'agentType' ? MESSAGE_DELIVERY : undefined,
    depth: asAmount(facts['spawnDepth']),
    background: shape === undefined ? undefined : shape === 'background',
  });
}

function kindIn(facts: RawRecord): AgentKind | undefined {
  if (asFlag(facts['isFork'])) return 'fork';
  if (facts['taskKind'] === 'in_process_teammate') return 'teammate';
  return facts['agentType'] === 'workflow-subagent' ? 'workflow' : undefined;
}

/** Named from 2.1.250 on, and only below depth 1; before that, and for depth 1, the call tells, and depth 1 is main's. */
function parentIn(facts: RawRecord, main: AgentId): AgentId | undefined {
  const parent = asText(facts['parentAgentId']);
  if (parent !== undefined) return agentIdOf(parent);
  // Only the lead can ask for teammates.
  if (kindIn(facts) === 'teammate') return main;
  return facts['spawnDepth'] === 1 && asText(facts['toolUseId']) !== undefined ? main : undefined;
}

// Runs of workflows: `journal.jsonl` beside the agents while it runs; `<session>/workflows/wf_….json` when it is over.

export const readJournal = (line: Line, of: TranscriptOf) => readRecords(line, of, journalFacts);
export const readManifest = (line: Line, of: TranscriptOf) => readRecords(line, of, manifestFacts);

function readRecords(
  line: Line,
  { session, source }: TranscriptOf,
  toFacts: (record: RawRecord) => readonly Fact[],
): readonly AgentEvent[] {
  const origin = { source, offset: line.offset, length: line.length };
  const record = parseLine(line.bytes);
  if (isObject(record)) return toFacts(record).map((fact) => ({ ...fact, session, origin }) as AgentEvent);
  if (line.length === 0) return [];
  const code = line.torn ? 'torn-line' : 'invalid-json';
  return [{ kind: 'problem-found', session, origin, diagnostic: { code, detail: `${line.length} bytes`, origin } }];
}

/** `started` without `result`: still at work, or died with its process. The report itself is body. */
function journalFacts(record: RawRecord): readonly Fact[] {
  const native = asText(record['agentId']);
  if (native === undefined) return [];
  const agent = agentIdOf(native);
  const description = asText(record['label']);
  if (record['type'] === 'started') return [{ kind: 'agent-seen', agent, ...known({ description }) }];
  return record['type'] === 'result' ? [{ kind: 'run-ended', agent, signal: 'journal', outcome: 'completed' }] : [];
}

const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map([
  ['done', 'completed'],
  ['error', 'failed'],
  ['failed', 'failed'],
  ['killed', 'stopped'],
  ['stopped', 'stopped'],
]);

function manifestFacts(record: RawRecord): readonly Fact[] {
  const progress = Array.isArray(record['workflowProgress']) ? record['workflowProgress'].filter(isObject) : [];
  return progress.flatMap((entry): readonly Fact[] => {
    const native = entry['type'] === 'workflow_agent' ? asText(entry['agentId']) : undefined;
    if (native === undefined) return [];
    const agent = agentIdOf(native);
    const description = asText(entry['label']);
    const outcome = OUTCOMES.get(asText(entry['state']) ?? '');
    const seen: Fact = { kind: 'agent-seen', agent, ...known({ description }) };
    return outcome ? [seen, { kind: 'run-ended', agent, signal: 'journal', outcome }] : [seen];
  });
}
