// The part of Qwen Code's hooks that runs in front of every tool call: payload, caller, answer. The names are Claude Code's; `session_id`
// and the transcript are always the main agent's. Recorded: 0.15.10 to 0.24.4.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { mainAgentOf, toSessionId, toToolCallId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseJson } from '../../lib/json.ts';
import { readPart } from '../../lib/read-lines.ts';
import { MAX_SIDECAR_BYTES, readTextSync } from '../../lib/regular-file.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookCaller, HookEvent } from '../index.ts';
import { folderOf, type Guarded, subjectOf, toGuarded as toGuardedOf } from '../shared/index.ts';
import { AGENTS } from './data-folder.ts';
import { agentIdOf, HOST } from './record.ts';

/** Before a tool call; the only event that can stop it. */
export const BEFORE_CALL = 'PreToolUse';

export const ENDS = 'SessionEnd';

export const qwenGuard = { read: readPayload, callerOf, formatAnswer, cannotChangeInput: true } as const;

const SPAWNING: ReadonlySet<string> = new Set(['agent', 'task']);

function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, session),
    caller: callerIn(payload, session),
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: folderOf(payload),
      call: name === BEFORE_CALL ? callIn(payload) : undefined,
    }),
  };
}

function callerIn(payload: JsonObject, session: string): HookCaller {
  const id = asText(payload['agent_id']);
  if (id === undefined)
    return namesCallers(versionIn(asText(payload['transcript_path'])))
      ? { named: 'agent', agent: mainAgentOf(toSessionId(HOST, session)) }
      : { named: 'nobody' };
  return { named: 'agent', agent: agentIdOf(id), ...known({ type: asText(payload['agent_type']) }) };
}

/** `tool_use_id` exists for the hook only; the transcript's id is `tool_call_id`, which older versions leave out. */
function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const id = asText(payload['tool_call_id']);
  return {
    ...toGuarded(tool, input),
    spawns: SPAWNING.has(tool),
    ...known({
      subject: subjectOf(tool, asObject(input) ?? {}),
      id: id === undefined ? undefined : toToolCallId(id),
    }),
  };
}

export function toGuarded(tool: string, input: unknown): Guarded {
  return toGuardedOf(HOST, tool, input);
}

function callerOf(payload: unknown): CallerChain {
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

/** The agent whose file contains the call. */
function ownerOf(call: string | undefined, transcript: string, agents: string): string | undefined {
  if (call === undefined || !/^[\w-]{1,200}$/.test(call)) return undefined;
  const isIn = (file: string): boolean => readPart(file, 'tail', TAIL_BYTES)?.includes(`"${call}"`) ?? false;
  for (const name of namesIn(agents)) {
    const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    if (id !== undefined && isIn(path.join(agents, name))) return id;
  }
  return isIn(transcript) ? MAIN : undefined;
}

/** Deeper than any version lets agents nest. */
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
    // The host counts from the first sub-agent, troupe from the main agent.
    depth: depth === undefined ? null : depth + 1,
  };
}

function sidecarOf(id: string, agents: string): JsonObject | undefined {
  // The id is part of a path and comes from outside.
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

/** Printing nothing leaves the decision to the host. It denies an `ask` if nobody is there, and ignores a changed input. */
function formatAnswer({ decision, reason }: HookAnswer): string {
  if (decision === 'none') return '';
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: BEFORE_CALL,
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });
}

/** Since this version the payload of a sub-agent's hook has its id. */
const NAMES_CALLERS = '0.23.4';

export function namesCallers(version: string | undefined): boolean {
  return version !== undefined && isAtLeast(version, NAMES_CALLERS);
}

const HEAD_BYTES = 64 * 1024;

function versionIn(transcript: string | undefined): string | undefined {
  const head = transcript === undefined ? undefined : readPart(transcript, 'head', HEAD_BYTES);
  return /"version":"([^"\\]+)"/.exec(head ?? '')?.[1];
}
