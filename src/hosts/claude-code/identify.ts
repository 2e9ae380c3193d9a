// Who is running now, by the transcript that a hook names: for host versions whose hooks do not say it (before 2.1.69).

import path from 'node:path';
import {
  type AgentEvent,
  type CallRecord,
  createLedger,
  type IdentifiedAgent,
  type Identity,
  mainAgentOf,
  reduce,
  type SessionId,
  toSessionId,
  toSourceId,
} from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import { isObject, known } from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { readTail } from '../../lib/read-lines.ts';
import type { TranscriptOwner } from '../index.ts';
import { nativeAgentOf, sessionNamedIn } from './data-folder.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { locateOne } from './locate.ts';
import { createTranscriptReader } from './read-transcript.ts';
import { parseLine } from './record.ts';

/** The tail is read in steps: most turns are short, and a hook should not wait for a long file. */
const STEPS = [64 * 1024, 512 * 1024, 2048 * 1024, 8192 * 1024];

const MAIN: Identity = { who: 'main', path: [], evidence: { rank: 'none' }, candidates: [] };

/** A main transcript lies beside the folder of its session; a sub-agent's lies below it, in `subagents/`. */
export async function sessionOf(transcript: string): Promise<TranscriptOwner> {
  const own = nativeAgentOf(transcript);
  const folder = own === undefined ? transcript.replace(/\.jsonl$/, '') : await sessionFolderOf(transcript);
  const project = path.dirname(folder);
  const session = await locateOne(path.dirname(path.dirname(project)), project, path.basename(folder));
  return own === undefined ? { session } : { session, agent: agentIdOf(own) };
}

/** Above `subagents/`; of a file that lies beside the sessions (2.0.42 to 2.1.1), the one that its lines name. */
async function sessionFolderOf(file: string): Promise<string> {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('subagents');
  if (at > 0) return parts.slice(0, at).join(path.sep);
  return path.join(path.dirname(file), (await sessionNamedIn(file)) ?? path.basename(file, '.jsonl'));
}

/** By the calls of the current turn that have no result yet. Nothing here is proof: two open calls are two candidates. */
export async function byTail(transcript: string, asOf?: number): Promise<Identity> {
  if (await isFolder(transcript)) return { ...MAIN, reason: 'the transcript is a folder' };
  const session = toSessionId(HOST, path.basename(transcript, '.jsonl'));
  try {
    for (const bytes of STEPS) {
      const turn = await readCurrentTurn(session, transcript, bytes, asOf);
      if (turn) return judge(turn, session);
    }
  } catch {
    return { ...MAIN, reason: 'the transcript cannot be read' };
  }
  return { ...MAIN, who: 'unknown', session, reason: 'the start of the current turn is further back than 8 MB' };
}

/** Undefined if neither the start of the turn nor that of the file was seen. */
async function readCurrentTurn(
  session: SessionId,
  transcript: string,
  wanted: number,
  asOf = Number.POSITIVE_INFINITY,
): Promise<readonly AgentEvent[] | undefined> {
  const { bytes, offset } = await readTail(transcript, wanted);
  const main = mainAgentOf(session);
  const reader = createTranscriptReader({ session, source: toSourceId(transcript), agent: main, file: transcript });
  const splitter = createLineSplitter({ startOffset: offset });
  const lines = splitter.push(bytes);
  // The first line of a tail is half a line, unless it happens to begin there.
  if (offset > 0 && !isObject(parseLine(lines[0]?.bytes ?? new Uint8Array()))) lines.shift();
  const rest = splitter.rest();
  if (rest) lines.push(rest);
  let events: AgentEvent[] = [];
  let isWhole = offset === 0;
  for (const line of lines) {
    const facts = reader.read(line);
    if (facts.some((fact) => 'at' in fact && (fact.at ?? 0) > asOf)) continue;
    const isPrompt = facts.some(
      (fact) => fact.kind === 'entry-added' && fact.entry === 'prompt' && fact.agent === main,
    );
    // A notice wakes the main agent, but leaves the other agents of the turn at work.
    const startsTurn = isPrompt && !facts.some((fact) => fact.kind === 'run-ended');
    if (startsTurn) {
      events = [];
      isWhole = true;
    }
    events.push(...facts);
  }
  return isWhole ? events : undefined;
}

function judge(events: readonly AgentEvent[], session: SessionId): Identity {
  const main = mainAgentOf(session);
  const ledger = createLedger(session);
  for (const event of events) reduce(ledger, event);
  const calls = [...ledger.calls.values()].filter((call) => call.agents.has(main) && call.started);
  const open = calls.filter((call) => !call.ended);
  const spawned = calls.filter((call) => call.spawn && (!call.ended || isInBackground(call)));
  const base = { path: [main], session, candidates: [] };
  if (spawned.length === 0) return { ...base, who: 'main', evidence: { rank: 'guess', source: 'open-call' } };
  const mainToo = open.some((call) => !call.spawn) || spawned.some(isInBackground);
  const first = spawned[0];
  if (spawned.length === 1 && first && !mainToo) {
    const agent = toIdentified(first);
    return { ...base, who: 'subagent', agent, evidence: { rank: 'guess', source: 'open-call' } };
  }
  return {
    ...base,
    who: 'unknown',
    evidence: { rank: 'none' },
    candidates: [...(mainToo ? [{ id: main }] : []), ...spawned.map(toIdentified)],
    reason: 'several agents are at work; the id of the call would tell them apart',
  };

  function isInBackground(call: CallRecord): boolean {
    if (!call.launched) return false;
    return ![...ledger.agents.values()].some((agent) => [...agent.ends.values()].some((end) => end.call === call.id));
  }

  function toIdentified(call: CallRecord): IdentifiedAgent {
    const linked = [...ledger.agents.values()].find((agent) =>
      [...agent.links.values()].some((link) => link.call === call.id),
    );
    const { type, description } = call.spawn?.value ?? {};
    return { call: call.id, ...(linked && { id: linked.id }), ...known({ type, description }) };
  }
}
