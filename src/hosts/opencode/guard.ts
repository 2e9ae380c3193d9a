// The part of OpenCode's hooks that runs in front of every tool call: the payload of our plugin (`hooks/plugin-text.ts`), its caller, its tools,
// and the answer to it.

import path from 'node:path';
import { type ApprovalAnswer, toToolCallId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import { filesInPatch } from '../../lib/patch-text.ts';
import type { CallerChain, CallingAgent, HookAnswer, HookCall, HookEvent } from '../index.ts';
import { agentIdOf, HOST, heardAs, sessionIdOf } from './record.ts';
import { isShell, isTask, subjectOf } from './tools.ts';

/** Before a tool call. */
export const BEFORE_CALL = 'tool.execute.before';

/** The program asks the user for a permission. */
export const ASKED = 'permission.asked';

export const REPLIED = 'permission.replied';

/** The same as an approval request to troupe, whose answer goes to the program. */
export const QUESTION = 'permission.question';

export const opencodeGuard = { read: readPayload, callerOf, formatAnswer, formatReply, cannotAsk: true } as const;

/** A session in the chain of the caller. */
interface ChainRecord {
  readonly id: string;
  readonly parent?: string;
  readonly agent?: string;
  readonly title?: string;
  readonly directory?: string;
}

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook']);
  const session = asText(payload['session']);
  if (name === undefined || session === undefined) return undefined;
  const call = name === BEFORE_CALL || name === QUESTION ? callIn(payload, session) : undefined;
  // A call of which nobody can say what it is must not pass for no call.
  if (name === BEFORE_CALL && !call) return undefined;
  const chain = chainIn(payload, session);
  const [own] = chain;
  const main = chain.at(-1)?.id ?? session;
  return {
    host: HOST,
    name,
    session: sessionIdOf(main),
    caller:
      session === main && own?.parent === undefined
        ? { named: 'nobody' }
        : { named: 'agent', agent: agentIdOf(session), ...known({ type: own?.agent, path: pathIn(chain) }) },
    ...known({
      cwd: folderOf(payload),
      call,
      question: name === QUESTION ? questionIn(payload) : undefined,
      questionId: name === QUESTION ? asText(asObject(payload['permission'])?.['id']) : undefined,
    }),
  };
}

export function callerOf(payload: unknown): CallerChain {
  const session = isObject(payload) ? asText(payload['session']) : undefined;
  if (!isObject(payload) || session === undefined)
    return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const chain = chainIn(payload, session);
  const isWhole = chain.length > 0 && chain.at(-1)?.parent === undefined;
  const project = (isWhole ? chain.at(-1)?.directory : undefined) ?? asText(payload['directory']);
  const place = known({ project });
  if (chain.length === 0)
    return { agent: null, ancestors: [], reason: 'the program does not know its own session', ...place };
  const [agent = null, ...above] = chain.map((record, at) => toAgent(record, isWhole ? chain.length - 1 - at : null));
  const reason = isWhole ? undefined : 'not all agents above it are known';
  return { agent, ancestors: above.reverse(), ...known({ reason }), ...place };
}

function toAgent({ id, agent, parent }: ChainRecord, depth: number | null): CallingAgent {
  const isMain = parent === undefined;
  return { id, kind: isMain ? 'main' : 'task', type: isMain ? null : (agent ?? null), name: null, depth };
}

/** In titles of OpenCode 1, behind the description. */
const OF_SUBAGENT = / \(@(\S+) subagent\)$/;

/** Undefined if not all agents above it are known. */
function pathIn(chain: readonly ChainRecord[]): readonly string[] | undefined {
  const [main, ...below] = chain.toReversed();
  if (!main || main.parent !== undefined) return undefined;
  const labels = below.map(({ id, title, agent }) => (title?.replace(OF_SUBAGENT, '').trim() || agent) ?? id);
  return ['main', ...labels];
}

/** The session first, the main one last, as far as they are known. */
function chainIn(payload: JsonObject, session: string): readonly ChainRecord[] {
  const given = Array.isArray(payload['line']) ? payload['line'] : [];
  const chain: ChainRecord[] = [];
  let wanted: string | undefined = session;
  for (const raw of given.map(asObject)) {
    if (!raw || wanted === undefined || raw['id'] !== wanted) break;
    const parent = asText(raw['parent']);
    const agent = asText(raw['agent']) ?? OF_SUBAGENT.exec(asText(raw['title']) ?? '')?.[1];
    const [title, directory] = [asText(raw['title']), asText(raw['directory'])];
    chain.push({ id: wanted, ...known({ parent, agent, title, directory }) });
    wanted = chain.some(({ id }) => id === parent) ? undefined : parent;
  }
  return chain;
}

/** `bash` may run elsewhere. */
function folderOf(payload: JsonObject): string | undefined {
  const folder = asText(payload['directory']);
  const other = isShell(payload['tool']) ? asText(asObject(payload['args'])?.['workdir']) : undefined;
  return folder === undefined || other === undefined ? folder : path.resolve(folder, other);
}

function callIn(payload: JsonObject, session: string): HookCall | undefined {
  const tool = asText(payload['tool']);
  if (tool === undefined) return undefined;
  const servers = Array.isArray(payload['servers']) ? payload['servers'].flatMap((name) => asText(name) ?? []) : [];
  const args = payload['args'];
  const call = asText(payload['call']);
  return {
    ...toGuarded(tool, args, servers),
    spawns: isTask(tool),
    ...known({
      subject: subjectOf(tool, asObject(args)),
      id: call === undefined ? undefined : toToolCallId(heardAs(session, call)),
    }),
  };
}

function questionIn(payload: JsonObject): string {
  const asked = asObject(payload['permission']);
  const patterns = Array.isArray(asked?.['patterns']) ? asked['patterns'].flatMap((one) => asText(one) ?? []) : [];
  const what = [asText(asked?.['permission']) ?? 'a permission', ...patterns].join(' ');
  return `OpenCode asks for a permission: ${what}`;
}

/** Printing nothing leaves the decision to the program's own permissions. */
export function formatAnswer({ decision, reason, input, note }: HookAnswer): string {
  if (decision === 'none' && input === undefined && note === undefined) return '';
  // The program cannot ask for us, so a call that needs an approval does not run.
  const words = decision === 'ask' ? `${reason} OpenCode cannot ask about it, so it was stopped.` : reason;
  const command = asText(asObject(input)?.['command']);
  return JSON.stringify({
    decision,
    reason: words,
    ...(command !== undefined && { args: { command } }),
    ...known({ note }),
  });
}

/** The answer to a permission request. `reply` is used nowhere else, so no other answer can be taken for it. */
export function formatReply(answer: ApprovalAnswer, reason: string): string {
  return JSON.stringify(answer === 'allow' ? { reply: 'once' } : { reply: 'reject', message: reason });
}

/** Between the name of a server and that of its tool: a point in code of OpenCode 2. */
const SEPARATOR = /^[_./:]$/;

type GuardedTool = Pick<HookCall, 'tool' | 'input'>;

type Rename = (args: JsonObject) => GuardedTool;

/** `path` since 2.0. */
function ofFile(tool: string, { filePath, path: own, ...rest }: JsonObject): GuardedTool {
  return { tool, input: { ...known({ file_path: filePath ?? own }), ...rest } };
}

const ofPatch: Rename = ({ patchText, patch, ...rest }) => {
  const text = asText(patchText) ?? asText(patch) ?? '';
  return { tool: 'Edit', input: { file_paths: filesInPatch(text), patch: text, ...rest } };
};

const TOOLS: ReadonlyMap<string, Rename> = new Map<string, Rename>([
  ['bash', (input) => ({ tool: 'Bash', input })],
  ['shell', (input) => ({ tool: 'Bash', input })],
  ['read', (input) => ofFile('Read', input)],
  ['write', (input) => ofFile('Write', input)],
  ['edit', (input) => ofFile('Edit', input)],
  ['multiedit', (input) => ofFile('MultiEdit', input)],
  ['apply_patch', ofPatch],
  ['patch', ofPatch],
  ['list', ({ path, ...rest }) => ({ tool: 'LS', input: { path: path ?? '.', ...rest } })],
  ['glob', (input) => ({ tool: 'Glob', input })],
  ['grep', ({ include, ...rest }) => ({ tool: 'Grep', input: { ...rest, ...known({ glob: include }) } })],
  ['webfetch', (input) => ({ tool: 'WebFetch', input })],
  ['websearch', (input) => ({ tool: 'WebSearch', input })],
  ['task', (input) => ({ tool: 'Agent', input })],
  ['subagent', ({ agent, ...rest }) => ({ tool: 'Agent', input: { ...known({ subagent_type: agent }), ...rest } })],
  ['skill', ({ name, id, ...rest }) => ({ tool: 'Skill', input: { ...known({ skill: name ?? id }), ...rest } })],
  ['lsp', (input) => ({ tool: 'LSP', input })],
  ['question', (input) => ({ tool: 'AskUserQuestion', input })],
  ['todowrite', (input) => ({ tool: 'TodoWrite', input })],
  ['todoread', (input) => ({ tool: 'TodoRead', input })],
]);

/**
 * Tools by the names and inputs of policies; others are `opencode:name`. `servers`: the configured names of MCP servers; their tools are
 * called `server_tool`, and nothing else tells them apart.
 */
export function toGuarded(tool: string, args: unknown, servers: readonly string[]): GuardedTool {
  const rename = TOOLS.get(tool);
  if (rename) return rename(isObject(args) ? args : {});
  const input = args ?? null;
  // `git` and `git_hub` may both be servers: the longer name wins.
  const server = servers
    .map((name) => name.replace(/[^\w-]/g, '_'))
    .toSorted((a, b) => b.length - a.length)
    .find((name) => tool.startsWith(name) && SEPARATOR.test(tool.charAt(name.length)));
  if (server === undefined) return { tool: `${HOST}:${tool}`, input };
  return { tool: `mcp__${server}__${tool.slice(server.length + 1)}`, input };
}
