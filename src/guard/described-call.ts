import path from 'node:path';
import {
  type AgentKind,
  type AgentNode,
  type AuditEntry,
  doubtsText,
  type HostName,
  hostOf,
  mainAgentOf,
  pathText,
  type SessionTree,
  selectPath,
  toAgentId,
  toSessionId,
} from '../core/index.ts';
import type { CallerChain, CallingAgent } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { isObject, known } from '../lib/json.ts';
import { isMaskedOrCut } from '../redact/index.ts';
import { toCall } from './judge-call.ts';
import { type GuardedCall, SUB_AGENT_KINDS } from './policy.ts';
import type { JudgeOptions } from './pre-check.ts';
import { JUDGED_FIELDS } from './uses-of.ts';

interface PastCall {
  readonly call: GuardedCall;
  /** What the guard looks at is masked or cut in the audit: the call cannot be judged again. */
  readonly isRedacted: boolean;
  readonly caveats: readonly string[];
}

/** A line of the audit → what the guard is to judge, with what is not known of it any more. `tree`: undefined if its files are gone. */
export function pastCall(entry: AuditEntry, home: string, tree: SessionTree | undefined): PastCall {
  const caller = callerIn(entry, tree);
  const { host, tool, input, cwd } = entry;
  const call = toGuardedCall(
    { host, tool: tool ?? '', input, cwd: cwd ?? undefined },
    { caller, home, at: Date.parse(entry.at) },
  );
  const spoilt = redactedFields(input);
  return {
    call,
    isRedacted: spoilt.length > 0,
    caveats: [
      ...(spoilt.length > 0
        ? [`In the audit, ${spoilt.join(', ')} is masked or cut: the call cannot be judged again from it.`]
        : []),
      ...(caller.reason === undefined ? [] : [caller.reason]),
      ...(entry.doubts === undefined ? [] : [doubtsText(entry.doubts)]),
      ...(entry.startedBy === undefined
        ? []
        : [
            `An agent started its session (${pathText(entry.startedBy.path)}): what that one may not do is not looked at here.`,
          ]),
    ],
  };
}

/** A call that stands in a transcript. */
export function writtenCall(
  { agent, ...call }: ToolUse & { readonly agent: AgentNode },
  tree: SessionTree,
  home: string,
): GuardedCall {
  const ancestors = selectPath(tree, agent.id).slice(0, -1).map(toCallingAgent);
  const caller = { agent: toCallingAgent(agent), ancestors, ...known({ project: tree.cwd }) };
  return toGuardedCall({ host: hostOf(tree.id), ...call }, { caller, home, at: tree.lastActivityAt ?? 0 });
}

interface ToolUse {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string | undefined;
}

/** As if a hook had delivered it: session, event and ids do not matter to the guard. */
function toGuardedCall(
  { host, tool, input, cwd }: ToolUse & { readonly host: HostName },
  options: Pick<JudgeOptions, 'caller' | 'home' | 'at'>,
): GuardedCall {
  const call = { tool, input, spawns: false };
  const event = { host, name: 'described', session: toSessionId(host, ''), caller: { named: 'nobody' }, call } as const;
  return toCall({ ...event, ...known({ cwd }) }, options);
}

/** Who made it, with all above it. */
function callerIn({ host, session, agent }: AuditEntry, tree: SessionTree | undefined): CallerChain {
  const project = tree?.cwd === undefined ? {} : { project: tree.cwd };
  if (agent.who === 'unknown' || agent.evidence === 'guess') {
    const reason = `Nobody knows for sure which agent made the call${agent.reason === null ? '' : `: ${agent.reason}`}.`;
    return { agent: null, ancestors: [], reason, ...project };
  }
  const id = agent.who === 'main' ? mainAgentOf(toSessionId(host, session ?? '')) : toAgentId(host, agent.id ?? '');
  const nodes = tree ? selectPath(tree, id).map(toCallingAgent) : [];
  const found = nodes.at(-1);
  if (found) return { agent: { ...found, type: found.type ?? agent.type }, ancestors: nodes.slice(0, -1), ...project };
  const { kind, type, name, depth } = agent;
  const own: CallingAgent = { id: agent.id ?? '', kind: kind ?? 'task', type, name, depth };
  if (own.kind === 'main') return { agent: own, ancestors: [], ...project };
  const reason = 'Its session is not on the disk any more: which agents stood above it is not known.';
  return { agent: own, ancestors: [], reason, ...project };
}

function toCallingAgent({ id, kind, type, name, depth }: AgentNode): CallingAgent {
  return { id, kind, type: type ?? null, name: name ?? null, depth: depth ?? null };
}

function redactedFields(input: unknown): readonly string[] {
  if (!isObject(input)) return typeof input === 'string' ? ['the input'] : [];
  const isRedacted = (value: unknown): boolean =>
    typeof value === 'string' ? isMaskedOrCut(value) : Array.isArray(value) && value.some(isRedacted);
  // Of very many fields the last are left out of the audit.
  const isShort = Object.hasOwn(input, '…') ? ['a part of the input'] : [];
  return [...JUDGED_FIELDS.filter((field) => isRedacted(input[field])), ...isShort];
}

/** A call that nobody made, as a person describes it to ask what the guard would say. */
export interface DescribedCall {
  /** Null: a call whose agent nobody can name. */
  readonly agent: ImaginedAgent | null;
  /** By the name it has in rules. */
  readonly tool: string;
  readonly input: unknown;
  /** Left out: the folder at hand. */
  readonly cwd?: string;
  /** The folder in which the session began. Left out: `cwd`. */
  readonly project?: string;
  /** Left out: the first that troupe knows. */
  readonly host?: string;
  /** Epoch milliseconds. Left out: now. */
  readonly at?: number;
}

export interface ImaginedAgent {
  /** Left out: main where nothing else is said, `task` otherwise. */
  readonly kind?: AgentKind;
  readonly type?: string;
  readonly name?: string;
  /** Left out: right below those of `under`. */
  readonly depth?: number;
  /** The types of the agents between main and it, the topmost first. */
  readonly under?: readonly string[];
}

export const AGENT_KINDS = ['main', ...SUB_AGENT_KINDS] as const;

export function kindOf({ kind, type, name, depth = 0, under = [] }: ImaginedAgent): AgentKind {
  if (kind !== undefined) return kind;
  return type === undefined && name === undefined && depth === 0 && under.length === 0 ? 'main' : 'task';
}

/** What cannot be true of one agent at once; undefined: such an agent there may be. */
export function findContradiction(agent: ImaginedAgent): string | undefined {
  const { depth, under = [] } = agent;
  if (kindOf(agent) === 'main') {
    if (under.length > 0) return 'Nobody is above the main agent.';
    return depth === undefined || depth === 0 ? undefined : 'The main agent is at depth 0.';
  }
  if (depth === 0) return 'Only the main agent is at depth 0.';
  if (depth === undefined || depth > under.length) return undefined;
  return `Below main and ${under.join(', ')} it is at depth ${under.length + 1} at least.`;
}

/** What the guard would be given to judge. `folder`: what a call without a folder is made in, and what relative ones stand on. */
export function imagineCall(imagined: DescribedCall, home: string, folder: string): GuardedCall {
  const { host = ADAPTERS[0]?.host ?? '', tool, input, at = Date.now() } = imagined;
  const cwd = path.resolve(folder, imagined.cwd ?? '.');
  const project = path.resolve(folder, imagined.project ?? cwd);
  return toGuardedCall({ host, tool, input, cwd }, { caller: { ...chainOf(imagined.agent), project }, home, at });
}

function chainOf(imagined: ImaginedAgent | null): CallerChain {
  if (imagined === null) return { agent: null, ancestors: [] };
  const { type = null, name = null, under = [] } = imagined;
  const kind = kindOf(imagined);
  if (kind === 'main') return { agent: { ...MAIN, type, name }, ancestors: [] };
  const above = under.map((one, index): CallingAgent => ({ ...MAIN, kind: 'task', type: one, depth: index + 1 }));
  return {
    agent: { id: '', kind, type, name, depth: imagined.depth ?? under.length + 1 },
    ancestors: [MAIN, ...above],
  };
}

const MAIN: CallingAgent = { id: '', kind: 'main', type: null, name: null, depth: 0 };
