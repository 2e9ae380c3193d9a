// The part of Copilot CLI's hooks that runs in front of every tool call: payload, caller, tools, answer. Recorded: 1.0.12 to 1.0.102,
// answers since 1.0.50. Inside a sub-agent `sessionId` is the agent's own id, and only newer versions say so (`agentId`). A payload has
// neither the name of the event nor the id of the call.

import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { mainAgentOf, toSessionId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { filesInPatch } from '../../lib/patch-text.ts';
import { readPart } from '../../lib/read-lines.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookEvent } from '../index.ts';
import { type Guarded, namesIn, type Rename, same } from '../shared/index.ts';
import { EVENTS, lockOf, SESSIONS } from './data-folder.ts';
import { rootOf } from './host.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { isSpawning, subjectOf } from './tools.ts';

/** Before a tool call. The only event that troupe installs: the session's file has all others just as early. */
export const BEFORE_CALL = 'preToolUse';

export const copilotGuard = { read: readPayload, callerOf, formatAnswer };

/** Sessions have UUIDs. Up to 1.0.8x agents have the ids of the calls that made them. */
const SESSION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `isAgent` is certain: the payload says so, or its id is not that of a session. */
function callerIn(payload: JsonObject, process: number | undefined) {
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

function readPayload(payload: unknown, process?: number): HookEvent | undefined {
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

function callerOf(payload: unknown, process?: number): CallerChain {
  const caller = isObject(payload) ? callerIn(payload, process) : undefined;
  if (!isObject(payload) || !caller) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const place = known({ project: asText(payload['cwd']) });
  const { id, session } = caller;
  if (caller.isMain) return { agent: { ...MAIN, id }, ancestors: [], ...place };
  if (!caller.isAgent) return { agent: null, ancestors: [], reason: 'its session is not in the data folder', ...place };
  const { above, isWhole } = agentsAbove(id, asText(payload['parentAgentId']), session);
  const started = session?.agents().get(id);
  const [told, inFile] = [asText(payload['agentType']), started?.type];
  const depth = isWhole ? above.length + 1 : null;
  const agent: CallingAgent = { id, kind: 'task', type: told ?? inFile ?? null, name: started?.name ?? null, depth };
  const ancestors = [{ ...MAIN, id: session?.id ?? '' }, ...above];
  const reason = isWhole ? undefined : 'not all agents above it are known';
  const isOther = told !== undefined && inFile !== undefined && inFile !== told;
  return {
    agent,
    ancestors,
    ...known({ reason }),
    ...(isOther && {
      otherwise: [{ agent: { ...agent, type: inFile }, ancestors, ...known({ reason }) }],
      contradictions: [`the hook says that its type is ${told}, its file says ${inFile}`],
    }),
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

/** Other events with a tool have its result, its error, or are permission requests. */
function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['toolName']);
  if (tool === undefined || 'toolResult' in payload || 'error' in payload || 'hookName' in payload) return undefined;
  const { toolArgs } = payload;
  // A text up to 1.0.8x.
  const input = typeof toolArgs === 'string' ? (parseObject(toolArgs) ?? toolArgs) : toolArgs;
  return { ...toGuarded(tool, input), spawns: isSpawning(tool), ...known({ subject: subjectOf(tool, input) }) };
}

/** Printing nothing leaves the decision to Copilot's own rules. It denies an `ask` if nobody is there. */
function formatAnswer({ decision, reason, input: given }: HookAnswer): string {
  const input = isObject(given) && TYPED in given ? undefined : given;
  if (decision === 'none' && input === undefined) return '';
  return JSON.stringify({
    ...(decision !== 'none' && { permissionDecision: decision, permissionDecisionReason: reason }),
    ...known({ modifiedArgs: input }),
  });
}

interface RunningSession {
  readonly id: string;
  /** Sub-agents in its file, by id. */
  agents(): ReadonlyMap<string, StartedAgent>;
}

interface StartedAgent {
  readonly type?: string;
  readonly name?: string;
  /** Null: the main agent. Left out: unknown. */
  readonly parent?: string | null;
}

/**
 * `caller`: one of its agents, or the session itself. `process` called the hook. Up to 1.0.9x the payload has only the id of the caller, and
 * the session's file gets an agent late; but the process holds a lock in the folder of its session.
 */
function findSession(caller: string, process: number | undefined): RunningSession | undefined {
  const folder = path.join(dataFolder(), SESSIONS);
  // The id is part of a path and comes from outside.
  if (/^[\w-]{1,200}$/.test(caller) && existsSync(path.join(folder, caller))) return sessionIn(folder, caller);
  const ids = namesIn(folder);
  const isOpen = (id: string): boolean => existsSync(path.join(folder, id, lockOf(process ?? 0)));
  const [only, ...others] = process === undefined ? [] : ids.filter(isOpen);
  if (only !== undefined && others.length === 0) return sessionIn(folder, only);
  // The process ended or changed its session: by now the agent is in the file.
  const holding = newest(folder, ids)
    .map((id) => sessionIn(folder, id))
    .filter((session) => session.agents().has(caller));
  // Any agent may write to a session's file: of two that have it, nobody knows which is the right one.
  return holding.length === 1 ? holding[0] : undefined;
}

/** Sessions written last. */
const MAX_SEARCHED = 20;

function newest(folder: string, ids: readonly string[]): readonly string[] {
  const writtenAt = (id: string): number =>
    statSync(path.join(folder, id, EVENTS), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ids
    .map((id) => ({ id, at: writtenAt(id) }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_SEARCHED)
    .map(({ id }) => id);
}

/** Hooks inherit the environment of the host. */
function dataFolder(): string {
  const { env } = globalThis.process;
  return rootOf({ env, home: env['HOME'] ?? '/' });
}

/** An agent that started before this tail of the file is not found. */
const MAX_BYTES = 32 * 1024 * 1024;

function sessionIn(folder: string, id: string): RunningSession {
  let found: ReadonlyMap<string, StartedAgent> | undefined;
  return {
    id,
    agents() {
      found ??= agentsIn(readPart(path.join(folder, id, EVENTS), 'tail', MAX_BYTES) ?? '');
      return found;
    },
  };
}

const STARTED = '"type":"subagent.started"';

function agentsIn(text: string): ReadonlyMap<string, StartedAgent> {
  const agents = new Map<string, StartedAgent>();
  for (let at = text.indexOf(STARTED); at !== -1; at = text.indexOf(STARTED, at + 1)) {
    const begin = text.lastIndexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    const event = parseObject(text.slice(begin, end === -1 ? undefined : end));
    const data = asObject(event?.['data']) ?? {};
    const id = asText(event?.['agentId']) ?? asText(data['toolCallId']);
    if (id !== undefined) agents.set(id, startedIn(data));
  }
  return agents;
}

/** Up to about 1.0.7x the names are the vendor's names of the type, and the parent is missing. */
function startedIn(data: JsonObject): StartedAgent {
  const type = asText(data['agentType']);
  if (type === undefined) return known({ type: asText(data['agentName']) });
  return { type, ...known({ name: asText(data['agentDisplayName']) }), parent: asText(data['parentId']) ?? null };
}

/** Marks an input that is not in the form of the tool, and so cannot replace it. */
const TYPED = 'is_typed';

const ofFile =
  (tool: string): Rename =>
  ({ path, ...rest }) => ({ tool, input: { ...known({ file_path: path }), ...rest } });

const ofPaths =
  (tool: string): Rename =>
  ({ paths, path, ...rest }) => ({ tool, input: { ...known({ path: path ?? paths }), ...rest } });

/** One tool for everything, as Claude's models know it: `command` selects. */
const ofEditor: Rename = (input) => {
  const tool = { view: 'Read', create: 'Write' }[asText(input['command']) ?? ''] ?? 'Edit';
  return ofFile(tool)(input);
};

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['bash', same('Bash')],
  ['local_shell', same('Bash')],
  // Input to a running shell is a command.
  ['write_bash', typedInto('Bash')],
  ['powershell', same('PowerShell')],
  ['write_powershell', typedInto('PowerShell')],
  ['view', ofFile('Read')],
  ['create', ofFile('Write')],
  ['edit', ofFile('Edit')],
  ['str_replace_editor', ofEditor],
  ['grep', ofPaths('Grep')],
  ['rg', ofPaths('Grep')],
  ['glob', ofPaths('Glob')],
  ['web_fetch', same('WebFetch')],
  ['web_search', same('WebSearch')],
  [
    'task',
    ({ agent_type, ...rest }) => ({ tool: 'Agent', input: { ...known({ subagent_type: agent_type }), ...rest } }),
  ],
  ['skill', ({ skill, name, ...rest }) => ({ tool: 'Skill', input: { ...known({ skill: skill ?? name }), ...rest } })],
  ['ask_user', same('AskUserQuestion')],
  ['update_todo', same('TodoWrite')],
]);

function typedInto(tool: string): Rename {
  return ({ input }) => ({ tool, input: { command: withoutKeys(input), [TYPED]: true } });
}

/** Keys are in braces: `ls{enter}`. */
function withoutKeys(input: unknown): unknown {
  return typeof input === 'string' ? input.replaceAll('{enter}', '\n') : input;
}

/**
 * Tools by the names and inputs of policies; others are `copilot:name`. MCP tools are called `server-tool`, like others may be, so they are
 * `copilot:server-tool`.
 */
export function toGuarded(tool: string, input: unknown): Guarded {
  if (tool === 'apply_patch') {
    const fields = asObject(input);
    const patch = asText(input) ?? asText(fields?.['input']) ?? asText(fields?.['patch']) ?? '';
    return { tool: 'Edit', input: { file_paths: filesInPatch(patch), patch } };
  }
  const rename = TOOLS.get(tool);
  return rename ? rename(isObject(input) ? input : {}) : { tool: `${HOST}:${tool}`, input: input ?? null };
}
