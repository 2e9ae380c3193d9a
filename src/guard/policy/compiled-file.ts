// STATE/policy/<name>.json: the compiled policy of a project, with what it was compiled from. No YAML here: the hook loads this.

import { renameSync, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { PolicyProblem } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asObject, isObject } from '../../lib/json.ts';
import { createFileSync, readTextSync } from '../../lib/regular-file.ts';
import type { AgentSelector, Policy, Rule } from '../policy.ts';
import { packRules } from './pack-rules.ts';
import { type PackedGroup, type RuleGroup, unpackRules } from './packed-rule.ts';
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

/** The first line. Each of those behind it has the rules of one group: a hook reads only those that its call needs. */
interface KeptFile extends Omit<CompiledFile, 'policy'> {
  readonly policy: Omit<Policy, 'rules'>;
  /** Each once. Rules about the same agents get the very same object: who is asked once need not be asked again. */
  readonly agents: readonly AgentSelector[];
  /** Of each group: which of `agents`, -1 for all of them. */
  readonly groups: readonly number[];
  /** Of each group. */
  readonly commands: readonly RuleGroup['command'][];
}

/** A file, and since when it is known that the sources were as it says: before the first of them was read. Epoch milliseconds. */
export interface ReadFile {
  readonly compiled: CompiledFile;
  /** Those of other groups than were wanted at first. Throws where the file is spoilt. */
  rulesOf(isWanted: IsWanted): readonly Rule[];
  readonly at: number;
}

/** To be raised whenever the same files come to another policy, or the shape of this file changes: a test holds it. */
export const COMPILER = 6;

export function compiledPath(stateFolder: string, places: readonly PolicyPlace[]): string {
  return path.join(stateFolder, 'policy', `${digestText(JSON.stringify(places.map(({ file }) => file)))}.json`);
}

/** Which rules matter to a reader. */
export type IsWanted = (agents: RuleGroup['agents'], command: RuleGroup['command']) => boolean;

/**
 * Undefined where there is none; `bad` where it is not what we wrote; `other` where another troupe wrote it. The time is that
 * of the file: a later look may renew it. Only the rules that are wanted are in it.
 */
export function readCompiledFile(
  file: string,
  isWanted: IsWanted = () => true,
): ReadFile | 'bad' | 'other' | undefined {
  try {
    // No exception for what is usual: to make one takes longer than to look.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const lines = readTextSync(file).split('\n');
    const raw = asObject(JSON.parse(lines[0] ?? ''));
    if (typeof raw?.['compiler'] === 'number' && raw['compiler'] !== COMPILER) return 'other';
    return raw && isKeptFile(raw) ? { ...unpack(raw, lines, isWanted), at: stats.mtimeMs } : 'bad';
  } catch {
    return 'bad';
  }
}

export function formatCompiledFile(compiled: CompiledFile): string {
  const { rules, ...policy } = compiled.policy;
  const groups = packRules(rules);
  const selectors = [...new Set(groups.flatMap(({ agents }) => (agents === null ? [] : [JSON.stringify(agents)])))];
  const kept: KeptFile = {
    ...compiled,
    policy,
    agents: selectors.map((selector) => JSON.parse(selector)),
    groups: groups.map(({ agents }) => selectors.indexOf(JSON.stringify(agents))),
    commands: groups.map(({ command }) => command),
  };
  return [kept, ...groups.map((group) => group.rules)].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Whole or not at all. Throws where it cannot be written. */
export function restateSources(file: string, states: readonly ({ readonly state: string } | string)[]): void {
  const [head = '', ...lines] = readTextSync(file).split('\n');
  const kept = JSON.parse(head) as KeptFile;
  const sources = kept.sources.map((source, index) => {
    const now = states[index];
    return typeof now === 'object' ? { ...source, state: now.state } : source;
  });
  const draft = `${file}.${process.pid}`;
  createFileSync(draft, [JSON.stringify({ ...kept, sources }), ...lines].join('\n'));
  try {
    renameSync(draft, file);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

function unpack(kept: KeptFile, lines: readonly string[], isWanted: IsWanted): Omit<ReadFile, 'at'> {
  const files = Object.fromEntries(kept.sources.map(({ scope, file }) => [scope, file]));
  const { agents: selectors, groups, commands, ...compiled } = kept;
  const rulesOf = (isOne: IsWanted): readonly Rule[] => {
    const wanted: PackedGroup[] = [];
    // There may be a thousand, and nothing is warm yet: what iterates over entries takes as long as all the rest.
    for (let index = 0; index < groups.length; index++) {
      const selector = groups[index] as number;
      const agents = selector === -1 ? null : selectors[selector];
      const command = commands[index];
      if (agents === undefined || command === undefined) throw new Error(`no group: ${index}`);
      if (isOne(agents, command)) wanted.push({ agents, command, rules: JSON.parse(lines[index + 1] ?? '') });
    }
    return unpackRules(wanted, files);
  };
  return { compiled: { ...compiled, policy: { ...kept.policy, rules: rulesOf(isWanted) } }, rulesOf };
}

/** It is ours, and renamed into place when it was whole: a glance is enough to tell it from what somebody else wrote. */
function isKeptFile(raw: object): raw is KeptFile {
  const { compiler, home, sources, policy, agents, groups, commands, presets, problems } = raw as Partial<
    Record<keyof KeptFile, unknown>
  >;
  return (
    typeof compiler === 'number' &&
    typeof home === 'string' &&
    [sources, agents, groups, commands, presets, problems].every(Array.isArray) &&
    isPolicy(policy)
  );
}

const DECISIONS: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', 'none']);

function isPolicy(policy: unknown): boolean {
  if (!isObject(policy) || policy['version'] !== 1) return false;
  const { main, subagent, unknown } = asObject(policy['defaults']) ?? {};
  return [main, subagent, unknown, policy['onError']].every((decision) => DECISIONS.has(decision));
}
