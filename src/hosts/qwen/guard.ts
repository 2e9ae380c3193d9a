// The part of Qwen Code's hooks that runs in front of every tool call: payload, caller, answer. The names are Claude Code's; `session_id`
// and the transcript are always the main agent's. Recorded: 0.15.10 to 0.24.4.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { mainAgentOf, type SessionId } from '../../core/index.ts';
import { asAmount, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { readPart } from '../../lib/read-lines.ts';
import { MAX_SIDECAR_BYTES, readTextSync } from '../../lib/regular-file.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCaller } from '../index.ts';
import { namesIn, readHookPayload } from '../shared/index.ts';
import { AGENTS } from './data-folder.ts';
import { agentIdOf, HOST } from './record.ts';

/** Before a tool call; the only event that can stop it. */
export const BEFORE_CALL = 'PreToolUse';

export const qwenGuard = {
  read: (payload: unknown) =>
    readHookPayload(payload, {
      host: HOST,
      beforeCalls: BEFORE_CALL,
      spawning: SPAWNING,
      callerIn,
      // The transcript's id, which older versions leave out; `tool_use_id` exists for the hook only.
      idField: 'tool_call_id',
    }),
  callerOf,
  formatAnswer,
  cannotChangeInput: true,
} as const;

const SPAWNING: ReadonlySet<string> = new Set(['agent', 'task']);

function callerIn(payload: JsonObject, session: SessionId): HookCaller {
  const id = asText(payload['agent_id']);
  if (id === undefined)
    return namesCallers(versionIn(asText(payload['transcript_path'])))
      ? { named: 'agent', agent: mainAgentOf(session) }
      : { named: 'nobody' };
  return { named: 'agent', agent: agentIdOf(id), ...known({ type: asText(payload['agent_type']) }) };
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
  const agent = toAgent(id, type, own);
  const ancestors = [main, ...above];
  const depth = asAmount(facts?.['depth']);
  const isWhole = facts !== undefined && (depth === undefined || depth === 0);
  const reason = isWhole ? undefined : 'not all agents above it are known';
  const inFile = asText(own?.['agentType']) ?? asText(own?.['subagentName']);
  const isOther = type !== undefined && inFile !== undefined && inFile !== type;
  return {
    agent,
    ancestors,
    ...known({ reason }),
    ...(isOther && {
      otherwise: [{ agent: { ...agent, type: inFile }, ancestors, ...known({ reason }) }],
      contradictions: [`the hook says that its type is ${type}, its file says ${inFile}`],
    }),
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
    // The host writes no links.
    if (lstatSync(path.join(agents, `agent-${id}.meta.json`)).isSymbolicLink()) return undefined;
    return parseObject(readTextSync(path.join(agents, `agent-${id}.meta.json`), MAX_SIDECAR_BYTES));
  } catch {
    return undefined;
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
