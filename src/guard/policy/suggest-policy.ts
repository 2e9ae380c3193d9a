// The smallest policy under which calls would have run: what `suggestPatterns` says of each, by agent and tool.

import { createGuardLog, readLog } from '../../audit/index.ts';
import { type AuditEntry, type CallLeft, hostOf, nativeId, type PolicySuggestion } from '../../core/index.ts';
import { loadHost } from '../../hosts/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { groupBy } from '../../lib/group.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { UserError } from '../../lib/user-error.ts';
import { maskText } from '../../redact/index.ts';
import { createSessions, dataFoldersFor, readCalls, type SessionScope, thisMachine } from '../../sessions/index.ts';
import { decide } from '../decide.ts';
import { pastCall, writtenCall } from '../described-call.ts';
import {
  type AgentSelector,
  type GuardedAgent,
  type GuardedCall,
  NO_POLICY,
  type Policy,
  toToolPattern,
} from '../policy.ts';
import { type AllowRule, canBeWritten, selectorFor, suggestPatterns, UNNAMEABLE, writeRules } from '../suggest-rule.ts';
import { toRule } from './explain-call.ts';

interface SeenCall {
  readonly call: GuardedCall;
  /** Why it cannot be judged; left out: it can. */
  readonly trouble?: string;
}

/** The calls of agents that a rule can tell apart by no more than this. */
interface AgentGroup {
  readonly agents: AgentSelector;
  readonly label: string;
  readonly needs: Need[];
}

interface Need {
  readonly call: GuardedCall;
  /** Enough to allow it. */
  readonly patterns: readonly string[];
}

/** `head`: the first lines of the file, as comments. */
export function suggestPolicy(
  seen: readonly SeenCall[],
  head: readonly string[],
): Pick<PolicySuggestion, 'yaml' | 'rules' | 'left'> {
  const groups = new Map<string, AgentGroup>();
  const left = new Map<string, CallLeft>();
  const known = new Set<string>();
  for (const { call, trouble } of seen) {
    const key = JSON.stringify([call.agent, call.tool, call.input, call.cwd]);
    if (known.has(key)) continue;
    known.add(key);
    const agents = selectorFor(call.agent);
    const patterns = trouble ?? (agents ? patternsFor(call, agents) : 'nobody knows which agent made it');
    if (agents === undefined || typeof patterns === 'string') {
      const one = { agent: labelOf(call.agent), tool: call.tool, what: whatOf(call), reason: String(patterns) };
      left.set(JSON.stringify(one), one);
      continue;
    }
    const group = groups.get(JSON.stringify(agents)) ?? { agents, label: labelOf(call.agent), needs: [] };
    groups.set(JSON.stringify(agents), group);
    group.needs.push({ call, patterns });
  }
  const rules = [...groups.values()].flatMap(rulesOf);
  return { yaml: writePolicy(rules, [...left.values()], head), rules: rules.length, left: [...left.values()] };
}

/** Or why there are none. */
function patternsFor(call: GuardedCall, agents: AgentSelector) {
  const suggested = suggestPatterns(call);
  if (typeof suggested === 'string') return suggested;
  const tools = suggested.patterns;
  if (tools.some((tool) => maskText(tool).text !== tool)) return 'a secret is in it';
  if (!canBeWritten({ agents, tools })) return UNNAMEABLE;
  return tools;
}

/** One for each tool, in the order in which they were used first. */
function rulesOf({ agents, label, needs }: AgentGroup): readonly AllowRule[] {
  const byTool = groupBy(needed(agents, needs), (pattern) => toToolPattern(pattern).tool);
  return [...byTool].map(([tool, tools]) => ({ name: `${label}: ${tool}`, agents, tools }));
}

/** Without those that others make needless: `Bash(cat a)` beside `Bash(cat *)`. */
function needed(agents: AgentSelector, needs: readonly Need[]): readonly string[] {
  const needsOf = new Map<string, Need[]>();
  for (const need of needs)
    for (const pattern of need.patterns) needsOf.set(pattern, [...(needsOf.get(pattern) ?? []), need]);
  const kept = new Set(needsOf.keys());
  const wide = [...kept].filter((pattern) => pattern.includes('*'));
  // What is wide itself stays: two of them may each stand for the other.
  for (const [pattern, these] of needsOf) {
    if (wide.length === 0 || wide.includes(pattern)) continue;
    const others = [...wide, ...these.flatMap(({ patterns }) => patterns)];
    const policy = policyOf([{ agents, tools: [...new Set(others)].filter((other) => other !== pattern) }]);
    if (these.every(({ call }) => decide(policy, call).decision === 'allow')) kept.delete(pattern);
  }
  const all = policyOf([{ agents, tools: [...kept] }]);
  for (const { call, patterns } of needs)
    if (decide(all, call).decision !== 'allow') for (const pattern of patterns) kept.add(pattern);
  return [...needsOf.keys()].filter((pattern) => kept.has(pattern));
}

const ASKS = { main: 'ask', subagent: 'ask' } as const;

function policyOf(rules: readonly AllowRule[]): Policy {
  return { ...NO_POLICY, defaults: { ...ASKS, unknown: 'ask' }, rules: rules.map((rule) => toRule(rule)) };
}

function writePolicy(rules: readonly AllowRule[], left: readonly CallLeft[], head: readonly string[]): string {
  const lines = [
    ...head.map((line) => `# ${line}`),
    'version: 1',
    `defaults: { main: ${ASKS.main}, subagent: ${ASKS.subagent} }`,
    ...(rules.length > 0 ? ['rules:', `  ${writeRules(rules).trimEnd().replaceAll('\n', '\n  ')}`] : []),
    ...(left.length > 0 ? ['# Not turned into a rule, and asked about:'] : []),
    ...left.map(({ agent, tool, what, reason }) => `#   ${oneLine(`${agent}, ${tool}: ${what} (${reason})`)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function labelOf(agent: GuardedAgent | null): string {
  if (agent === null) return 'unknown';
  return oneLine(agent.kind === 'main' ? 'main' : (agent.type ?? agent.kind));
}

const MAX_WHAT = 120;

function whatOf({ input }: GuardedCall): string {
  const { command } = (input ?? {}) as { readonly command?: unknown };
  const text = oneLine(maskText(typeof command === 'string' ? command : (JSON.stringify(input) ?? '')).text);
  return text.length > MAX_WHAT ? `${text.slice(0, MAX_WHAT - 1)}…` : text;
}

/** For a comment: nothing in it may end the line, or be unseen. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
}

export async function suggestPolicyFor(where: SessionScope, prefix?: string): Promise<PolicySuggestion> {
  const { session, from, calls } = await readSeen(where, prefix);
  const head = [
    `Under this policy session ${session.slice(0, 8)} would have run as it did, by what its ${SOURCES[from]}.`,
    'Whatever else agents do is asked about. Read it before you use it, and make patterns wider where they should be.',
  ];
  const { yaml, rules, left } = suggestPolicy(calls, head);
  return { session, from, calls: calls.length, rules, yaml, left };
}

const SOURCES = { transcripts: 'transcripts say', audit: 'hooks told' } as const;

type Seen = Pick<PolicySuggestion, 'session' | 'from'> & { readonly calls: readonly SeenCall[] };

/** Transcripts have every call whole; the audit stays where they are gone, and knows the folder of each call. */
async function readSeen(where: SessionScope, prefix: string | undefined): Promise<Seen> {
  const { home } = thisMachine();
  await createGuardLog(where).drain();
  const places = dataFoldersFor(where);
  const opened = await createSessions(places, { clock: systemClock, named: where.roots.length > 0 })
    .open(prefix)
    .catch((error: unknown) => {
      if (error instanceof UserError && error.code !== 'session-ambiguous') return error;
      throw error;
    });
  if (opened instanceof UserError) return seenByHooks(prefix, home, opened);
  const { tree } = opened;
  const session = nativeId(tree.id);
  const folders = await foldersOfCalls(session);
  const hooks = (await loadHost(hostOf(tree.id)))?.hooks;
  const calls = (await readCalls(places, opened)).map(({ agent, id, tool, input }) => {
    const cwd = folders.get(id) ?? agent.cwd ?? tree.cwd;
    const named = hooks?.toCall?.(tool, input) ?? { tool, input };
    return { call: writtenCall({ agent, ...named, cwd }, tree, home) };
  });
  return { session, from: 'transcripts', calls };
}

async function foldersOfCalls(session: string): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for await (const { call, cwd } of readLog(stateFolder(thisMachine()), { session }))
    if (call !== null && cwd !== null) folders.set(call, cwd);
  return folders;
}

async function seenByHooks(prefix: string | undefined, home: string, notFound: UserError): Promise<Seen> {
  const entries: AuditEntry[] = [];
  let session: string | undefined;
  const options = prefix === undefined ? {} : { session: prefix };
  for await (const entry of readLog(stateFolder(thisMachine()), options)) {
    session ??= entry.session ?? undefined;
    if (entry.session === session) entries.unshift(entry);
  }
  if (session === undefined) throw notFound;
  const calls = entries.map((entry) => {
    const { call, isRedacted } = pastCall(entry, home, undefined);
    return { call, ...(isRedacted ? { trouble: 'in the audit it is masked or cut' } : {}) };
  });
  return { session, from: 'audit', calls };
}
