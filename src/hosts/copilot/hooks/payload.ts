// What Copilot CLI hands to a hook. Recorded: 1.0.12 to 1.0.102. Inside a sub-agent `sessionId` is the agent's own id, and only newer
// versions say so (`agentId`). There is no name of the event and no id of the call in it.

import { mainAgentOf, toSessionId } from '../../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known, parseJson } from '../../../lib/json.ts';
import type { CallerChain, CallingAgent, HookCall, HookEvent } from '../../index.ts';
import { agentIdOf, HOST } from '../line-context.ts';
import { isSpawning, subjectOf } from '../tools.ts';
import { toGuarded } from './guarded-tools.ts';
import { findSession, type RunningSession } from './running-session.ts';

/** In front of a tool call. The only one that ours is entered for: the session's file tells of all others as soon. */
export const BEFORE_CALL = 'preToolUse';

interface Caller {
  readonly id: string;
  readonly session: RunningSession | undefined;
  readonly isMain: boolean;
  /** It is one for sure: the hook says it, or its id is none of a session. */
  readonly isAgent: boolean;
}

/** Sessions are UUIDs. Up to 1.0.8x agents have the ids of the calls that made them. */
const SESSION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function callerIn(payload: JsonObject, process: number | undefined): Caller | undefined {
  const named = asText(payload['agentId']);
  const id = named ?? asText(payload['sessionId']);
  if (id === undefined) return undefined;
  const session = findSession(id, process);
  return {
    id,
    session,
    isMain: session?.id === id,
    isAgent: named !== undefined || !SESSION.test(id) || (session !== undefined && session.id !== id),
  };
}

export function readPayload(payload: unknown, process?: number): HookEvent | undefined {
  const caller = isObject(payload) ? callerIn(payload, process) : undefined;
  if (!isObject(payload) || !caller) return undefined;
  // At depth 1 the agent above is the session.
  const id = caller.session?.id ?? asText(payload['parentAgentId']) ?? caller.id;
  const session = toSessionId(HOST, id);
  const call = callIn(payload);
  const type = asText(payload['agentType']);
  return {
    host: HOST,
    name: call ? BEFORE_CALL : 'other',
    session,
    caller: caller.isMain
      ? { named: 'agent', agent: mainAgentOf(session) }
      : caller.isAgent
        ? { named: 'agent', agent: agentIdOf(caller.id), ...known({ type }) }
        : { named: 'nobody' },
    ...known({ cwd: asText(payload['cwd']), call }),
  };
}

export function callerOf(payload: unknown, process?: number): CallerChain {
  const caller = isObject(payload) ? callerIn(payload, process) : undefined;
  if (!isObject(payload) || !caller) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const place = known({ project: asText(payload['cwd']) });
  const { id, session } = caller;
  if (caller.isMain) return { agent: { ...MAIN, id }, ancestors: [], ...place };
  if (!caller.isAgent) return { agent: null, ancestors: [], reason: 'its session is not in the data folder', ...place };
  const { above, isWhole } = agentsAbove(id, asText(payload['parentAgentId']), session);
  const type = asText(payload['agentType']) ?? session?.agents().get(id)?.type ?? null;
  const depth = isWhole ? above.length + 1 : null;
  return {
    agent: { id, kind: 'task', type, name: session?.agents().get(id)?.name ?? null, depth },
    ancestors: [{ ...MAIN, id: session?.id ?? '' }, ...above],
    ...(!isWhole && { reason: 'not all agents above it are known' }),
    ...place,
  };
}

const MAIN: CallingAgent = { id: '', kind: 'main', type: null, name: null, depth: 0 };

/** Without main, the highest first. */
function agentsAbove(
  id: string,
  told: string | undefined,
  session: RunningSession | undefined,
): { readonly above: readonly CallingAgent[]; readonly isWhole: boolean } {
  const above: CallingAgent[] = [];
  const seen = new Set([id]);
  let parent = told ?? session?.agents().get(id)?.parent;
  while (typeof parent === 'string' && parent !== session?.id && !seen.has(parent)) {
    seen.add(parent);
    const started = session?.agents().get(parent);
    above.unshift({ id: parent, kind: 'task', type: started?.type ?? null, name: started?.name ?? null, depth: null });
    parent = started?.parent;
  }
  return { above, isWhole: session !== undefined && (parent === null || parent === session.id) };
}

/** Other events with a tool have its result, its error, or are questions. */
function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['toolName']);
  if (tool === undefined || 'toolResult' in payload || 'error' in payload || 'hookName' in payload) return undefined;
  const { toolArgs } = payload;
  // A text up to 1.0.8x.
  const input = typeof toolArgs === 'string' ? (asObject(parseJson(toolArgs)) ?? toolArgs) : toolArgs;
  return { ...toGuarded(tool, input), spawns: isSpawning(tool), ...known({ subject: subjectOf(tool, input) }) };
}
