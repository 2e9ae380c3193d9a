// Who makes a call, by what lies on the disk at the moment: for the guard, whose host waits.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseJson } from '../../../lib/json.ts';
import { readPart } from '../../../lib/read-lines.ts';
import { MAX_SIDECAR_BYTES, readTextSync } from '../../../lib/regular-file.ts';
import type { CallerChain, CallingAgent } from '../../index.ts';
import { AGENTS } from '../data-folder.ts';
import { namesCallers, versionIn } from './transcript-version.ts';

export function callerOf(payload: unknown): CallerChain {
  if (!isObject(payload)) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const place = known({ project: asText(payload['cwd']) });
  const session = asText(payload['session_id']) ?? '';
  const transcript = asText(payload['transcript_path']) ?? '';
  const main: CallingAgent = { id: session, kind: 'main', type: null, name: null, depth: 0 };
  const agents = path.join(path.dirname(transcript), '..', AGENTS, path.basename(transcript, '.jsonl'));
  const caller = callerId(payload, transcript, agents);
  if (caller === undefined)
    return { agent: null, ancestors: [], reason: 'this version does not say which agent calls', ...place };
  if (caller === MAIN) return { agent: main, ancestors: [], ...place };
  return { ...chainOf(caller, asText(payload['agent_type']), main, agents), ...place };
}

const MAIN = '';

function callerId(payload: JsonObject, transcript: string, agents: string): string | undefined {
  const named = asText(payload['agent_id']);
  if (named !== undefined) return named;
  if (namesCallers(versionIn(transcript))) return MAIN;
  return ownerOf(asText(payload['tool_call_id']), transcript, agents);
}

const TAIL_BYTES = 512 * 1024;

/** In whose file the call stands. Undefined: in none of them. */
function ownerOf(call: string | undefined, transcript: string, agents: string): string | undefined {
  if (call === undefined || !/^[\w-]{1,200}$/.test(call)) return undefined;
  const isIn = (file: string): boolean => readPart(file, 'tail', TAIL_BYTES)?.includes(`"${call}"`) ?? false;
  for (const name of namesIn(agents)) {
    const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    if (id !== undefined && isIn(path.join(agents, name))) return id;
  }
  return isIn(transcript) ? MAIN : undefined;
}

/** Deeper than any version lets agents nest; records that name each other in a circle end here, too. */
const MAX_DEPTH = 50;

function chainOf(id: string, type: string | undefined, main: CallingAgent, agents: string): CallerChain {
  const above: CallingAgent[] = [];
  const seen = new Set([id]);
  const own = sidecarOf(id, agents);
  let facts = own;
  while (facts && above.length < MAX_DEPTH) {
    const parent = asText(facts['parentAgentId']);
    if (parent === undefined || seen.has(parent)) break;
    seen.add(parent);
    facts = sidecarOf(parent, agents);
    above.unshift(toAgent(parent, undefined, facts));
  }
  return {
    agent: toAgent(id, type, own),
    ancestors: [main, ...above],
    ...(facts === undefined && { reason: 'not all agents above it are known' }),
  };
}

function toAgent(id: string, type: string | undefined, facts: JsonObject | undefined): CallingAgent {
  const depth = asAmount(facts?.['depth']);
  return {
    id,
    kind: 'task',
    type: type ?? asText(facts?.['agentType']) ?? asText(facts?.['subagentName']) ?? null,
    name: null,
    // It counts from nought, and we from the main agent.
    depth: depth === undefined ? null : depth + 1,
  };
}

function sidecarOf(id: string, agents: string): JsonObject | undefined {
  // Ids come from outside: none of them may lead anywhere else.
  if (!/^[\w@.-]{1,200}$/.test(id)) return undefined;
  try {
    return asObject(parseJson(readTextSync(path.join(agents, `agent-${id}.meta.json`), MAX_SIDECAR_BYTES)));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
