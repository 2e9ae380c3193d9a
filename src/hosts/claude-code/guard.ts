// What a hook loads in front of a call: it reads the payload, finds out who calls, and answers. It imports nothing else. Payloads
// recorded: 1.0.60 to 2.1.325.

import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { toSessionId } from '../../core/index.ts';
import { asAmount, asFlag, asText, isObject, known, parseJson } from '../../lib/json.ts';
import { readPart } from '../../lib/read-lines.ts';
import { MAX_SIDECAR_BYTES, readTextSync } from '../../lib/regular-file.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookCaller, HookEvent } from '../index.ts';
import { agentIdOf, callIdOf, HOST } from './line-context.ts';
import type { RawRecord } from './record.ts';
import { isSpawning, subjectOf } from './tools.ts';

/** In front of a tool call; the only one that can stop it. */
export const BEFORE_CALL = 'PreToolUse';

/** From 2.1.69 on every event inside a sub-agent carries its id. */
export const namesCallers = (version: string | undefined): boolean => isAtLeast(version, '2.1.69');

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  const call = name === BEFORE_CALL ? callIn(payload) : undefined;
  // A call of which nobody can say what it is must not pass for no call.
  if (name === BEFORE_CALL && !call) return undefined;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, session),
    caller: callerIn(payload),
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: asText(payload['cwd']),
      call,
    }),
  };
}

/** With `--agent`, the main agent has a type and no id. `session_id` is the main agent's, whoever calls. */
function callerIn(payload: RawRecord): HookCaller {
  const id = asText(payload['agent_id']);
  if (id === undefined) return { named: 'nobody' };
  return { named: 'agent', agent: agentIdOf(id), ...known({ type: asText(payload['agent_type']) }) };
}

function callIn(payload: RawRecord): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const subject = subjectOf(tool, isObject(input) ? input : undefined);
  return { tool, input, spawns: isSpawning(tool), ...known({ subject, id: callIdOf(payload['tool_use_id']) }) };
}

// Who makes a call, by what is on the disk at the moment: a host waits, so as few looks as possible.

/** Deeper than any version lets agents nest; sidecars that name each other in a circle end here, too. */
const MAX_DEPTH = 50;

export function callerOf(payload: unknown): CallerChain {
  if (!isObject(payload)) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const session = asText(payload['session_id']) ?? '';
  const transcript = asText(payload['transcript_path']) ?? '';
  // Another session's files say nothing about the agents of this one.
  const isOwn = path.basename(transcript, '.jsonl') === session;
  const head = (isOwn && readPart(transcript, 'head', HEAD_BYTES)) || '';
  const project = textIn(head, CWD);
  const chain = chainIn(payload, session, isOwn ? transcript : '', head);
  const contradictions = [
    ...(isOwn || transcript === '' ? [] : [`its transcript ${transcript} is not that of session ${session}`]),
    ...(chain.contradictions ?? []),
  ];
  return { ...chain, ...known({ project }), ...(contradictions.length > 0 && { contradictions }) };
}

function chainIn(payload: RawRecord, session: string, transcript: string, head: string): CallerChain {
  const main: CallingAgent = { id: session, kind: 'main', type: null, name: null, depth: 0 };
  const named = asText(payload['agent_id']);
  // From 2.1.196 on.
  const isNew = payload['prompt_id'] !== undefined;
  if (named !== undefined) return chainOf(named, asText(payload['agent_type']), main, transcript, isNew);
  // By the first line that says it. A session that is continued by a newer version names its callers all the more. The first call of a
  // session may come before its first line: from 2.1.196 on, the payload itself tells that it is new enough.
  if (isNew || namesCallers(textIn(head, VERSION))) {
    // With `--agent`, the main agent has a type.
    return { agent: { ...main, type: asText(payload['agent_type']) ?? null }, ancestors: [] };
  }
  const owner = ownerOf(asText(payload['tool_use_id']), transcript);
  if (owner === undefined) return { agent: null, ancestors: [], reason: 'this version does not say which agent calls' };
  return owner === '' ? { agent: main, ancestors: [] } : chainOf(owner, undefined, main, transcript, isNew);
}

/**
 * Up to main by the records beside the transcripts. Where one is missing, main stands above it in any case. New versions write one for
 * each agent, with its depth, before it calls; versions before 2.1.196 do not, or later.
 */
function chainOf(
  id: string,
  type: string | undefined,
  main: CallingAgent,
  transcript: string,
  isNew: boolean,
): CallerChain {
  const above: CallingAgent[] = [];
  const seen = new Set([id]);
  const own = sidecarOf(id, transcript);
  let facts = own;
  for (let at = 0; at < MAX_DEPTH; at++) {
    const parent = asText(facts?.['parentAgentId']);
    if (parent === undefined || seen.has(parent)) break;
    seen.add(parent);
    facts = sidecarOf(parent, transcript);
    above.unshift(toAgent(parent, undefined, facts));
  }
  const depth = asAmount(facts?.['spawnDepth']);
  // Teammates count from 0.
  const isTop = asText(facts?.['parentAgentId']) === undefined && (depth === undefined ? !isNew : depth <= 1);
  const agent = toAgent(id, type, own);
  const isWhole = own !== undefined && facts !== undefined && isTop;
  const isLacking = !isWhole && (isNew || own !== undefined);
  return {
    agent,
    ancestors: [main, ...above],
    ...(isLacking && { reason: NOT_ALL_KNOWN }),
    ...(isNew && own === undefined && transcript !== '' && { isLate: true }),
    ...withFile(agent, type, own, [main, ...above], isLacking),
  };
}

/** Any agent may write the file beside its transcript: what it says against the payload makes the judgement stricter. */
function withFile(
  agent: CallingAgent,
  type: string | undefined,
  facts: RawRecord | undefined,
  ancestors: readonly CallingAgent[],
  isLacking: boolean,
): Pick<CallerChain, 'otherwise' | 'contradictions'> {
  const inFile = asText(facts?.['agentType']);
  const others: CallingAgent[] = [];
  const contradictions: string[] = [];
  if (type !== undefined && inFile !== undefined && inFile !== type) {
    others.push({ ...agent, type: inFile });
    contradictions.push(`the hook says that its type is ${type}, its file says ${inFile}`);
  }
  if (agent.kind === 'fork' && type !== undefined && type !== FORK) {
    others.push({ ...agent, kind: 'task' });
    contradictions.push(`the hook says that its type is ${type}, its file says that it is a fork`);
  }
  if (others.length === 0) return {};
  const reason = isLacking ? NOT_ALL_KNOWN : undefined;
  return { otherwise: others.map((one) => ({ agent: one, ancestors, ...known({ reason }) })), contradictions };
}

const NOT_ALL_KNOWN = 'not all agents above it are known';
const FORK = 'fork';

/** The name is part of the id then, which the payload has. */
function isTeammate(id: string, facts: RawRecord | undefined): boolean {
  const name = asText(facts?.['name']) ?? asText(facts?.['agentType']) ?? '';
  const isNamed = name !== '' && (id.startsWith(`a${name}-`) || id.startsWith(`${name}@`));
  return isNamed && facts?.['taskKind'] === 'in_process_teammate';
}

/** `type`: as the payload has it; of a teammate that is its name. */
function toAgent(id: string, type: string | undefined, facts: RawRecord | undefined): CallingAgent {
  const isMember = isTeammate(id, facts);
  const isFork = asFlag(facts?.['isFork']) || type === FORK;
  const own = isMember ? (asText(facts?.['customAgentType']) ?? asText(facts?.['spawnedAgentType'])) : undefined;
  return {
    id,
    kind:
      (type ?? facts?.['agentType']) === 'workflow-subagent'
        ? 'workflow'
        : isMember
          ? 'teammate'
          : isFork
            ? 'fork'
            : 'task',
    type: own ?? type ?? asText(facts?.['agentType']) ?? null,
    name: asText(facts?.['name']) ?? null,
    depth: asAmount(facts?.['spawnDepth']) ?? null,
  };
}

function sidecarOf(id: string, transcript: string): RawRecord | undefined {
  // Ids come from outside: none of them may lead anywhere else.
  if (!/^[\w@-]{1,200}$/.test(id) || !transcript.endsWith('.jsonl')) return undefined;
  const folder = path.join(transcript.slice(0, -'.jsonl'.length), 'subagents');
  const workflows = path.join(folder, 'workflows');
  for (const place of [folder, ...namesIn(workflows).map((name) => path.join(workflows, name))]) {
    const file = path.join(place, `agent-${id}.meta.json`);
    try {
      // The host writes no links: one leads where somebody else wants it to.
      if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
      const facts: unknown = JSON.parse(readTextSync(file, MAX_SIDECAR_BYTES));
      return isObject(facts) ? facts : undefined;
    } catch {
      // Not there, or half written: the next place, or nothing.
    }
  }
  return undefined;
}

/** Empty if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const HEAD_BYTES = 64 * 1024;

const VERSION = /"version":("(?:[^"\\]|\\.)*")/;
const CWD = /"cwd":("(?:[^"\\]|\\.)*")/;

function textIn(head: string, field: RegExp): string | undefined {
  return asText(parseJson(field.exec(head)?.[1]));
}

const TAIL_BYTES = 512 * 1024;

/** In whose file the call stands: an agent's, or main's (''). Undefined: in none of them yet. */
function ownerOf(call: string | undefined, transcript: string): string | undefined {
  if (call === undefined || !/^[\w-]{1,200}$/.test(call)) return undefined;
  const mark = `"id":"${call}"`;
  for (const [agent, file] of agentFiles(transcript))
    if (readPart(file, 'tail', TAIL_BYTES)?.includes(mark)) return agent;
  return readPart(transcript, 'tail', TAIL_BYTES)
    ?.split('\n')
    .some((line) => line.includes(mark) && line.includes('"isSidechain":false'))
    ? ''
    : undefined;
}

/** In the session's folder from 2.1.2 on; beside the session before that. */
function agentFiles(transcript: string): readonly (readonly [agent: string, file: string])[] {
  const folders = [path.join(transcript.replace(/\.jsonl$/, ''), 'subagents'), path.dirname(transcript)];
  return folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
      return id === undefined ? [] : [[id, path.join(folder, name)] as const];
    }),
  );
}

// What the host takes as an answer in front of a tool call. Recorded: 2.0.76 to 2.1.325.

/** The program takes no more of a text. */
const MAX_REASON = 8_000;

/** Nothing printed is no opinion: the program's own rules go on. Everything else is said in so many words. */
function formatAnswer({ decision, reason, input, note }: HookAnswer): string {
  if (decision === 'none' && input === undefined && note === undefined) return '';
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      ...(decision !== 'none' && {
        permissionDecision: decision,
        permissionDecisionReason: reason.slice(0, MAX_REASON),
      }),
      ...known({ updatedInput: input, additionalContext: note }),
    },
  });
}

export const claudeCodeGuard = { read: readPayload, callerOf, formatAnswer };
