// What a hook loads in front of a call: it reads the payload, finds out who calls, and answers. Payloads have Claude Code's names;
// recorded: 0.118.0 to 0.166.0. Up to 0.13x `session_id` is the thread that calls and nothing else names it; from 0.137 on it is the
// thread at the top, and `agent_id` the one that calls.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { mainAgentOf, toSessionId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { filesInPatch } from '../../lib/patch-text.ts';
import { readPart } from '../../lib/read-lines.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookCaller, HookEvent } from '../index.ts';
import { agentIdOf, HOST } from './line-context.ts';
import { HEAD_BYTES, headOf, type ThreadHead } from './thread-head.ts';
import { callIn, isSpawning, subjectOf } from './tools.ts';

/** In front of a tool call; the only one that can stop it. */
export const BEFORE_CALL = 'PreToolUse';
export const ASKS = 'PermissionRequest';
export const ENDS = 'SessionEnd';

function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  const call = name === BEFORE_CALL ? hookCallIn(payload) : undefined;
  // A call of which nobody can say what it is must not pass for no call.
  if (name === BEFORE_CALL && !call) return undefined;
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
      call,
    }),
  };
}

function callerIn(payload: JsonObject, own: ThreadHead | undefined, main: string): HookCaller {
  const named = asText(payload['agent_id']);
  if (named !== undefined)
    return { named: 'agent', agent: agentIdOf(named), ...known({ type: asText(payload['agent_type']) }) };
  if (!own) return { named: 'nobody' };
  return own.isSubAgent
    ? { named: 'agent', agent: agentIdOf(own.id), ...known({ type: own.role }) }
    : { named: 'agent', agent: mainAgentOf(toSessionId(HOST, main)) };
}

/** By what stands in the rollouts: of the thread that calls, and of those above it. */
function callerOf(payload: unknown): CallerChain {
  if (!isObject(payload)) return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const session = asText(payload['session_id']) ?? '';
  const rollout = asText(payload['transcript_path']);
  const named = asText(payload['agent_id']);
  const place = known({ project: asText(payload['cwd']) });
  const first = threadIn(rollout);
  const own = named === undefined || first?.id === named ? first : threadIn(rollout && rolloutOf(named, rollout));
  if (!own || rollout === undefined) {
    if (named === undefined) return { agent: null, ancestors: [], reason: 'its rollout cannot be read', ...place };
    const type = asText(payload['agent_type']) ?? null;
    const agent: CallingAgent = { id: named, kind: 'task', type, name: null, depth: null };
    return { agent, ancestors: [{ ...MAIN, id: session }], reason: NOT_ALL_KNOWN, ...place };
  }
  const { threads, isWhole } = lineOf(own, rollout);
  const agents = threads.map(toAgent);
  const [agent = null, ...above] = isWhole ? agents : [...agents, { ...MAIN, id: own.root ?? session }];
  const project = (isWhole ? threads.at(-1)?.cwd : undefined) ?? asText(payload['cwd']);
  const ancestors = above.reverse();
  const reason = isWhole ? undefined : NOT_ALL_KNOWN;
  const doubts = doubtsAbout(payload, own, agent);
  // The payload is the host's own word; any agent may write to a rollout.
  const type = asText(payload['agent_type']);
  const told = {
    id: named ?? own.id,
    kind: 'task',
    type: type ?? null,
    name: agent?.name ?? null,
    depth: agent?.depth ?? null,
  };
  const otherwise = [
    { agent: told, ancestors: ancestors.length > 0 ? ancestors : [{ ...MAIN, id: session }], reason: NOT_ALL_KNOWN },
  ];
  const doubted = doubts.length > 0 ? { otherwise, contradictions: doubts } : {};
  return { agent, ancestors, ...known({ reason, project }), ...doubted };
}

/** A thread without a role is of this type. */
const NO_ROLE = 'default';

function doubtsAbout(payload: JsonObject, own: ThreadHead, agent: CallingAgent | null): readonly string[] {
  const [named, type] = [asText(payload['agent_id']), asText(payload['agent_type'])];
  const inFile = own.role ?? own.purpose;
  return [
    ...(named !== undefined && !own.isSubAgent
      ? [`the hook names sub-agent ${named}, its rollout says that it is a main agent`]
      : []),
    ...(named !== undefined && type !== undefined && (inFile ?? NO_ROLE) !== type && agent?.kind !== 'internal'
      ? [`the hook says that its type is ${type}, its rollout says ${inFile ?? 'none'}`]
      : []),
  ];
}

const NOT_ALL_KNOWN = 'not all agents above it are known';
const MAIN: CallingAgent = { id: '', kind: 'main', type: null, name: null, depth: 0 };

function toAgent({ id, isSubAgent, purpose, role, agentPath, depth }: ThreadHead): CallingAgent {
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

function hookCallIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const id = asText(payload['tool_use_id']);
  const own = withoutNamespace(tool);
  return {
    ...toGuarded(tool, input),
    spawns: isSpawning(own),
    ...known({ subject: subjectOf(own, input), id: id === undefined ? undefined : toToolCallId(id) }),
  };
}

/**
 * It knows a no, and (from about 0.13x on) a yes with another input. To anything else, an ask or a plain yes, it says that the
 * hook failed, and runs the call: so a call that somebody would have to be asked about is stopped.
 */
function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'deny') return deny(reason);
  if (decision === 'ask') return deny(`${reason} Codex cannot ask about it, so it was stopped.`);
  return input === undefined ? '' : say({ permissionDecision: 'allow', updatedInput: input });
}

function deny(reason: string): string {
  return say({ permissionDecision: 'deny', permissionDecisionReason: reason });
}

function say(decided: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decided } });
}

export const codexGuard = { read: readPayload, callerOf, formatAnswer, cannotAsk: true } as const;

// The tools of Codex by the names and inputs that rules are written in. What has none is `codex:name`. Hooks call every shell
// tool `Bash`; in rollouts they have their own names.

type Guarded = Pick<HookCall, 'tool' | 'input'>;
type Rename = (input: unknown) => Guarded;

const ofFields =
  (rename: (fields: JsonObject) => Guarded): Rename =>
  (input) =>
    rename(isObject(input) ? input : {});

const ofShell = ofFields(({ command, cmd, ...rest }) => ({
  tool: 'Bash',
  input: { ...known({ command: commandIn(command ?? cmd) }), ...rest },
}));

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['Bash', ofShell],
  ['exec_command', ofShell],
  ['shell', ofShell],
  ['shell_command', ofShell],
  ['local_shell', ofShell],
  // What is typed into a running shell is a command; without characters it only looks.
  [
    'write_stdin',
    ofFields(({ chars, ...rest }) =>
      asText(chars)?.trim()
        ? { tool: 'Bash', input: { command: typedLines(String(chars)), is_typed: true, ...rest } }
        : { tool: 'BashOutput', input: { chars, ...rest } },
    ),
  ],
  ['read_mcp_resource', (input) => ({ tool: 'ReadMcpResource', input })],
  [
    'apply_patch',
    (input) => {
      const fields = asObject(input);
      const patch = asText(input) ?? asText(fields?.['command']) ?? asText(fields?.['input']) ?? '';
      return { tool: 'Edit', input: { file_paths: filesInPatch(patch), patch } };
    },
  ],
  [
    'view_image',
    ofFields(({ path, ...rest }) => ({ tool: 'Read', input: { ...known({ file_path: path }), ...rest } })),
  ],
  [
    'spawn_agent',
    ofFields(({ agent_type, message, ...rest }) => ({
      tool: 'Agent',
      input: { ...known({ subagent_type: agent_type, prompt: message }), ...rest },
    })),
  ],
  ['update_plan', (input) => ({ tool: 'TodoWrite', input })],
  ['web_search', (input) => ({ tool: 'WebSearch', input })],
]);

export function toGuarded(tool: string, input: unknown): Guarded {
  const own = withoutNamespace(tool);
  const rename = TOOLS.get(own);
  if (rename) return rename(input);
  return { tool: own.startsWith('mcp__') ? own : `${HOST}:${own}`, input: input ?? null };
}

/** Agent tools are told with their namespace in front, and nothing between: `multi_agent_v1wait_agent`. */
function withoutNamespace(tool: string): string {
  return tool.replace(/^(?:multi_agent_v\d+|collaboration)\.?_*(?=[a-z])/, '');
}

/** Without keys like Ctrl-C. */
function typedLines(chars: string): string {
  return chars
    .replaceAll('\r', '\n')
    .replace(/\u001b\[[\d;]*[A-Za-z~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}

/** A command may come as its words. */
function commandIn(command: unknown): unknown {
  return Array.isArray(command) ? command.map((word) => quoted(String(word))).join(' ') : command;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// Who a rollout belongs to and who is above it, by the first lines of rollouts: a hook names the rollout of the thread that calls.

function threadIn(rollout: string | undefined): ThreadHead | undefined {
  if (rollout === undefined) return undefined;
  for (const bytes of HEAD_BYTES) {
    const head = readPart(rollout, 'head', bytes);
    const end = head?.indexOf('\n') ?? -1;
    if (head === undefined || (end === -1 && head.length < bytes)) return undefined;
    const { type, payload } = (end === -1 ? undefined : parseObject(head.slice(0, end))) ?? {};
    const thread = type === 'session_meta' && isObject(payload) ? headOf(payload) : undefined;
    if (thread) return thread;
  }
  return undefined;
}

/** Deeper than any configuration lets agents nest. */
const MAX_DEPTH = 50;

/** The thread first, main last, where all are known. */
function lineOf(thread: ThreadHead, rollout: string) {
  const threads = [thread];
  let last = thread;
  while (last.isSubAgent && last.parent !== undefined && threads.length < MAX_DEPTH) {
    const { parent } = last;
    const above = threads.some(({ id }) => id === parent) ? undefined : threadIn(rolloutOf(parent, rollout));
    if (above?.id !== parent) break;
    threads.push(above);
    last = above;
  }
  return { threads, isWhole: !last.isSubAgent };
}

/** Of another thread: in the same folder, or in that of the day on which it began. */
function rolloutOf(thread: string, beside: string): string | undefined {
  const own = path.dirname(beside);
  const folders = [own, ...daysAround(thread, path.resolve(own, '..', '..', '..'))];
  const found = [...new Set(folders)].flatMap((folder) =>
    namesIn(folder).flatMap((name) => (name.endsWith(`-${thread}.jsonl`) ? [path.join(folder, name)] : [])),
  );
  // The host writes one. Of two, nobody knows which is the host's.
  return found.length === 1 ? found[0] : undefined;
}

const DAY_MS = 86_400_000;

/** Ids of threads are UUIDs of version 7, which begin with their time. Folders go by the day of the place where the host is. */
function daysAround(thread: string, sessions: string): readonly string[] {
  const at = Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16);
  if (!Number.isFinite(at)) return [];
  return [0, -DAY_MS, DAY_MS].map((shift) =>
    path.join(sessions, ...new Date(at + shift).toISOString().slice(0, 10).split('-')),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// Where a command is to run. Up to 0.15x the hook says in which folder the thread is, and not that a call asks for another; later
// it says the call's. The rollout has the whole call by then (seen in every version that has hooks), and the thread's folder.

const TAIL_BYTES = 1024 * 1024;

/** `cwd`: what the hook says. Undefined where the call cannot be seen: then nobody knows the folder. */
function workdirOf(call: string, rollout: string, cwd: string): string | undefined {
  const lines = readPart(rollout, 'tail', TAIL_BYTES)?.split('\n').reverse() ?? [];
  for (const line of lines) {
    if (!line.includes(call)) continue;
    const made = callIn(asObject(parseObject(line)?.['payload']) ?? {});
    if (made?.id !== call) continue;
    const fields = asObject(made.input);
    const named = asText(fields?.['workdir']) ?? asText(fields?.['working_directory']);
    if (named === undefined) return cwd;
    const from = folderOfTurn(lines) ?? threadIn(rollout)?.cwd;
    return from === undefined && !path.isAbsolute(named) ? undefined : path.resolve(from ?? '/', named);
  }
  return undefined;
}

function folderOfTurn(lines: readonly string[]): string | undefined {
  const turn = lines.find((line) => line.includes('"type":"turn_context"'));
  return asText(asObject(parseObject(turn)?.['payload'])?.['cwd']);
}
