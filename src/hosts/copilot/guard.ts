import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { mainAgentOf, toSessionId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known, parseJson } from '../../lib/json.ts';
import { filesInPatch } from '../../lib/patch-text.ts';
import { readPart } from '../../lib/read-lines.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookEvent } from '../index.ts';
import { EVENTS, lockOf, rootsOf, SESSIONS } from './data-folder.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { isSpawning, subjectOf } from './tools.ts';

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

/** Nothing printed is no opinion: the program's own rules go on. It asks where it is told to and somebody is there; else it refuses. */
export function formatAnswer({ decision, reason, input: given }: HookAnswer): string {
  const input = isObject(given) && TYPED in given ? undefined : given;
  if (decision === 'none' && input === undefined) return '';
  return JSON.stringify({
    ...(decision !== 'none' && { permissionDecision: decision, permissionDecisionReason: reason }),
    ...known({ modifiedArgs: input }),
  });
}

export const copilotGuard = { read: readPayload, callerOf, formatAnswer };

export interface RunningSession {
  readonly id: string;
  /** Sub-agents that its file tells of, by their ids. */
  agents(): ReadonlyMap<string, StartedAgent>;
}

export interface StartedAgent {
  readonly type?: string;
  readonly name?: string;
  /** The main agent where it is null; left out where nobody says. */
  readonly parent?: string | null;
}

/** `caller`: an agent of it, or the session itself. `process`: that called the hook. */
export function findSession(caller: string, process: number | undefined): RunningSession | undefined {
  const folder = path.join(dataFolder(), SESSIONS);
  // Ids come from outside: none of them may lead anywhere else.
  if (/^[\w-]{1,200}$/.test(caller) && existsSync(path.join(folder, caller))) return sessionIn(folder, caller);
  const ids = namesIn(folder);
  const isOpen = (id: string): boolean => existsSync(path.join(folder, id, lockOf(process ?? 0)));
  const [only, ...others] = process === undefined ? [] : ids.filter(isOpen);
  if (only !== undefined && others.length === 0) return sessionIn(folder, only);
  // It is over, or has gone on to another session: who was in it stands in its file by now.
  return newest(folder, ids)
    .map((id) => sessionIn(folder, id))
    .find((session) => session.agents().has(caller));
}

/** A hook is about something that was written lately, or is never written. */
const LOOKED_INTO = 20;

function newest(folder: string, ids: readonly string[]): readonly string[] {
  const writtenAt = (id: string): number =>
    statSync(path.join(folder, id, EVENTS), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ids
    .map((id) => ({ id, at: writtenAt(id) }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, LOOKED_INTO)
    .map(({ id }) => id);
}

/** The environment is the host's own: a hook has it from there. */
function dataFolder(): string {
  const { env } = globalThis.process;
  return rootsOf({ env, home: env['HOME'] ?? '/' })[0] ?? '';
}

/** Of a session that has gone on for long; an agent that was started before that is not found. */
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
    const event = asObject(parseJson(text.slice(begin, end === -1 ? undefined : end)));
    const data = asObject(event?.['data']) ?? {};
    const id = asText(event?.['agentId']) ?? asText(data['toolCallId']);
    if (id !== undefined) agents.set(id, startedIn(data));
  }
  return agents;
}

/** Up to about 1.0.7x the names are the vendor's words for the type, and an agent above is not told of. */
function startedIn(data: JsonObject): StartedAgent {
  const type = asText(data['agentType']);
  if (type === undefined) return known({ type: asText(data['agentName']) });
  return { type, ...known({ name: asText(data['agentDisplayName']) }), parent: asText(data['parentId']) ?? null };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Such an input is not what the tool takes: it cannot be given back. */
export const TYPED = 'is_typed';

type Guarded = Pick<HookCall, 'tool' | 'input'>;
type Rename = (input: JsonObject) => Guarded;

const same =
  (tool: string): Rename =>
  (input) => ({ tool, input });

const ofFile =
  (tool: string): Rename =>
  ({ path, ...rest }) => ({ tool, input: { ...known({ file_path: path }), ...rest } });

/** One tool for all of it, as Claude's models know it: its `command` says what it does. */
const ofEditor: Rename = (input) => {
  const tool = { view: 'Read', create: 'Write' }[asText(input['command']) ?? ''] ?? 'Edit';
  return ofFile(tool)(input);
};

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['bash', same('Bash')],
  ['local_shell', same('Bash')],
  // What is typed into a shell that runs already is a command to it.
  ['write_bash', ({ input }) => ({ tool: 'Bash', input: { command: withoutKeys(input), [TYPED]: true } })],
  ['view', ofFile('Read')],
  ['create', ofFile('Write')],
  ['edit', ofFile('Edit')],
  ['str_replace_editor', ofEditor],
  ['grep', ({ paths, path, ...rest }) => ({ tool: 'Grep', input: { ...known({ path: path ?? paths }), ...rest } })],
  ['rg', ({ paths, path, ...rest }) => ({ tool: 'Grep', input: { ...known({ path: path ?? paths }), ...rest } })],
  ['glob', ({ paths, path, ...rest }) => ({ tool: 'Glob', input: { ...known({ path: path ?? paths }), ...rest } })],
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

/** Names of keys stand in braces: `ls{enter}`. */
function withoutKeys(input: unknown): unknown {
  return typeof input === 'string' ? input.replaceAll('{enter}', '\n') : input;
}

/** Tools of MCP servers are called `server-tool`, as others may be: they are `copilot:server-tool`. */
export function toGuarded(tool: string, input: unknown): Guarded {
  if (tool === 'apply_patch') {
    const fields = asObject(input);
    const patch = asText(input) ?? asText(fields?.['input']) ?? asText(fields?.['patch']) ?? '';
    return { tool: 'Edit', input: { file_paths: filesInPatch(patch), patch } };
  }
  const rename = TOOLS.get(tool);
  return rename ? rename(isObject(input) ? input : {}) : { tool: `${HOST}:${tool}`, input: input ?? null };
}
