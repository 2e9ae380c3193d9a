// STATE/policy/<name>.json: the compiled policy of a project, with what it was compiled from. No YAML here: the hook loads this.
import { readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digestText } from '../base/digest.ts';
import { asObject, isObject } from '../base/json.ts';
import type { AgentSelector, Policy } from '../guard/policy.ts';
import type { PolicyProblem } from '../model/policy-check.ts';
import { type PackedGroup, packRules, unpackRules } from './packed-rule.ts';
import type { PolicyPlace } from './policy-places.ts';

export interface CompiledFile {
  readonly compiler: number;
  /** What `~` stood for. */
  readonly home: string;
  /** Every place that was looked at; without state and digest where there was no file. */
  readonly sources: readonly CompiledSource[];
  readonly policy: Policy;
  readonly presets: readonly string[];
  readonly problems: readonly PolicyProblem[];
}

export interface CompiledSource extends PolicyPlace {
  readonly state?: string;
  readonly digest?: string;
}

/** The first line. Each of those behind it has the rules about one of `agents`: a hook reads only those about its caller. */
interface KeptFile extends Omit<CompiledFile, 'policy'> {
  readonly policy: Omit<Policy, 'rules'>;
  readonly agents: readonly PackedGroup['agents'][];
}

/** A file, and since when it is known that the sources were as it says: before the first of them was read. Epoch milliseconds. */
export interface ReadFile {
  readonly compiled: CompiledFile;
  readonly at: number;
}

/** To be raised whenever the same files come to another policy, or the shape of this file changes: a test holds it. */
export const COMPILER = 5;

export function compiledPath(stateFolder: string, places: readonly PolicyPlace[]): string {
  return path.join(stateFolder, 'policy', `${digestText(JSON.stringify(places.map(({ file }) => file)))}.json`);
}

/** Which rules matter to a reader, by the agents that they are about. Null: about all. */
export type IsWanted = (agents: AgentSelector | null) => boolean;

/**
 * Undefined where there is none; `bad` where it is not what we wrote; `other` where another troupe wrote it. The time is that
 * of the file: a later look may renew it. Only the rules that are wanted are in it.
 */
export function readCompiledFile(file: string, isWanted?: IsWanted): ReadFile | 'bad' | 'other' | undefined {
  try {
    // No exception for what is usual: to make one takes longer than to look.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const lines = readFileSync(file, 'utf8').split('\n');
    const raw = asObject(JSON.parse(lines[0] ?? ''));
    if (typeof raw?.['compiler'] === 'number' && raw['compiler'] !== COMPILER) return 'other';
    return raw && isKeptFile(raw) ? { compiled: unpack(raw, lines, isWanted), at: stats.mtimeMs } : 'bad';
  } catch {
    return 'bad';
  }
}

export function formatCompiledFile(compiled: CompiledFile): string {
  const { rules, ...policy } = compiled.policy;
  const groups = packRules(rules);
  const kept: KeptFile = { ...compiled, policy, agents: groups.map(({ agents }) => agents) };
  return [kept, ...groups.map((group) => group.rules)].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Whole or not at all. Throws where it cannot be written. */
export function restateSources(file: string, states: readonly ({ readonly state: string } | string)[]): void {
  const [head = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const kept = JSON.parse(head) as KeptFile;
  const sources = kept.sources.map((source, index) => {
    const now = states[index];
    return typeof now === 'object' ? { ...source, state: now.state } : source;
  });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, [JSON.stringify({ ...kept, sources }), ...lines].join('\n'), { mode: 0o600, flag: 'wx' });
  try {
    renameSync(draft, file);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

function unpack(kept: KeptFile, lines: readonly string[], isWanted: IsWanted = () => true): CompiledFile {
  const files = Object.fromEntries(kept.sources.map(({ scope, file }) => [scope, file]));
  const { agents: all, ...compiled } = kept;
  const groups = all.flatMap((agents, index): PackedGroup[] =>
    isWanted(agents) ? [{ agents, rules: JSON.parse(lines[index + 1] ?? '') }] : [],
  );
  return { ...compiled, policy: { ...kept.policy, rules: unpackRules(groups, files) } };
}

/** It is ours, and renamed into place when it was whole: a glance is enough to tell it from what somebody else wrote. */
function isKeptFile(raw: object): raw is KeptFile {
  const { compiler, home, sources, policy, agents, presets, problems } = raw as Partial<
    Record<keyof KeptFile, unknown>
  >;
  return (
    typeof compiler === 'number' &&
    typeof home === 'string' &&
    [sources, agents, presets, problems].every(Array.isArray) &&
    isPolicy(policy)
  );
}

const DECISIONS: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', 'none']);

function isPolicy(policy: unknown): boolean {
  if (!isObject(policy) || policy['version'] !== 1) return false;
  const { main, subagent, unknown } = asObject(policy['defaults']) ?? {};
  return [main, subagent, unknown, policy['onError']].every((decision) => DECISIONS.has(decision));
}
