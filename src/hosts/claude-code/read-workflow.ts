// Runs of workflows: `journal.jsonl` beside the agents, while it runs; `<session>/workflows/wf_….json` when it is over.

import type { AgentEvent, RunOutcome } from '../../core/index.ts';
import { asText, isObject, known } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import { agentIdOf } from './line-context.ts';
import type { TranscriptOf } from './read-transcript.ts';
import { parseLine, type RawRecord } from './record.ts';

export function createJournalReader(of: TranscriptOf): SourceReader {
  return { read: (line) => readRecords(line, of, (record) => journalFacts(record)) };
}

export function createManifestReader(of: TranscriptOf): SourceReader {
  return { read: (line) => readRecords(line, of, manifestFacts) };
}

type Fact = AgentEvent extends infer E ? (E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never) : never;

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

const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map(
  Object.entries({
    done: 'completed',
    error: 'failed',
    failed: 'failed',
    killed: 'stopped',
    stopped: 'stopped',
  } as const),
);

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
