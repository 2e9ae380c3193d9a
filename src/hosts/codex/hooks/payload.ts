// What Codex hands to a hook: Claude Code's names. Recorded: 0.118.0 to 0.166.0. Up to 0.13x `session_id` is the thread that calls
// and nothing else names it; from 0.137 on it is the thread at the top, and `agent_id` the one that calls.

import path from 'node:path';
import { mainAgentOf, toSessionId } from '../../../core/index.ts';
import { asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import type { CallerChain, CallingAgent, HookCall, HookCaller, HookEvent } from '../../index.ts';
import { agentIdOf, callIdOf, HOST } from '../line-context.ts';
import { isSpawning, subjectOf } from '../tools.ts';
import { toGuarded, withoutNamespace } from './guarded-tools.ts';
import { lineOf, rolloutOf, type Thread, threadIn } from './thread-chain.ts';
import { workdirOf } from './workdir.ts';

/** In front of a tool call; the only one that can stop it. */
export const BEFORE_CALL = 'PreToolUse';
export const ASKS = 'PermissionRequest';
export const ENDS = 'SessionEnd';

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  const rollout = asText(payload['transcript_path']);
  const own = asText(payload['agent_id']) === undefined ? threadIn(rollout) : undefined;
  const top = own && rollout !== undefined ? lineOf(own, rollout).threads.at(-1) : undefined;
  const main = top?.root ?? top?.id ?? session;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, main),
    caller: callerIn(payload, own, main),
    ...known({
      transcript: rollout,
      cwd: folderOf(payload, name),
      call: name === BEFORE_CALL ? callIn(payload) : undefined,
    }),
  };
}

function callerIn(payload: JsonObject, own: Thread | undefined, main: string): HookCaller {
  const named = asText(payload['agent_id']);
  if (named !== undefined)
    return { named: 'agent', agent: agentIdOf(named), ...known({ type: asText(payload['agent_type']) }) };
  if (!own) return { named: 'nobody' };
  return own.isSubAgent
    ? { named: 'agent', agent: agentIdOf(own.id), ...known({ type: own.role }) }
    : { named: 'agent', agent: mainAgentOf(toSessionId(HOST, main)) };
}

/** By what stands in the rollouts: of the thread that calls, and of those above it. */
export function callerOf(payload: unknown): CallerChain {
  if (!isObject(payload)) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const session = asText(payload['session_id']) ?? '';
  const rollout = asText(payload['transcript_path']);
  const named = asText(payload['agent_id']);
  const place = known({ project: asText(payload['cwd']) });
  const first = threadIn(rollout);
  const own = named === undefined || first?.id === named ? first : threadIn(rollout && rolloutOf(named, rollout));
  if (!own || rollout === undefined) {
    if (named === undefined) return { agent: null, ancestors: [], reason: 'its rollout cannot be read', ...place };
    const agent: CallingAgent = {
      ...MAIN,
      id: named,
      kind: 'task',
      type: asText(payload['agent_type']) ?? null,
      depth: null,
    };
    return { agent, ancestors: [{ ...MAIN, id: session }], reason: 'not all agents above it are known', ...place };
  }
  const { threads, isWhole } = lineOf(own, rollout);
  const agents = threads.map(toAgent);
  const [agent = null, ...above] = isWhole ? agents : [...agents, { ...MAIN, id: own.root ?? session }];
  const project = (isWhole ? threads.at(-1)?.cwd : undefined) ?? asText(payload['cwd']);
  const reason = isWhole ? undefined : 'not all agents above it are known';
  return { agent, ancestors: above.reverse(), ...known({ reason, project }) };
}

const MAIN: CallingAgent = { id: '', kind: 'main', type: null, name: null, depth: 0 };

function toAgent({ id, isSubAgent, purpose, role, agentPath, depth }: Thread): CallingAgent {
  if (!isSubAgent) return { ...MAIN, id };
  return {
    id,
    kind: purpose === undefined ? 'task' : 'internal',
    type: role ?? purpose ?? null,
    // Of version 2 of the agent tools: the name that the caller gave. Nicknames are the host's.
    name: agentPath === undefined ? null : path.posix.basename(agentPath),
    depth: depth ?? null,
  };
}

/** A command may be told to run elsewhere. */
function folderOf(payload: JsonObject, event: string): string | undefined {
  const cwd = asText(payload['cwd']);
  if (event !== BEFORE_CALL || payload['tool_name'] !== 'Bash' || cwd === undefined) return cwd;
  const [call, rollout] = [asText(payload['tool_use_id']), asText(payload['transcript_path'])];
  return call === undefined || rollout === undefined ? undefined : workdirOf(call, rollout, cwd);
}

function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const id = asText(payload['tool_use_id']);
  const own = withoutNamespace(tool);
  return {
    ...toGuarded(tool, input),
    spawns: isSpawning(own),
    ...known({ subject: subjectOf(own, input), id: id === undefined ? undefined : callIdOf(id) }),
  };
}
