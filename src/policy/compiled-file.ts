// STATE/policy/<name>.json: the compiled policy of a project, with what it was compiled from. No YAML here: the hook loads this.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { digestText } from '../base/digest.ts';
import { asObject, isObject } from '../base/json.ts';
import type { Policy } from '../guard/policy.ts';
import type { PolicyProblem } from '../model/policy-check.ts';
import { type PackedRules, packRules, unpackRules } from './packed-rule.ts';
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

/** As it lies on the disk. */
interface KeptFile extends Omit<CompiledFile, 'policy'> {
  readonly policy: Omit<Policy, 'rules'> & PackedRules;
}

/** A file, and since when it is known that the sources were as it says: before the first of them was read. Epoch milliseconds. */
export interface ReadFile {
  readonly compiled: CompiledFile;
  readonly at: number;
}

/** To be raised whenever the same files come to another policy, or the shape of this file changes: a test holds it. */
export const COMPILER = 4;

export function compiledPath(stateFolder: string, places: readonly PolicyPlace[]): string {
  return path.join(stateFolder, 'policy', `${digestText(JSON.stringify(places.map(({ file }) => file)))}.json`);
}

/**
 * Undefined where there is none; `bad` where it is not what we wrote; `other` where another troupe wrote it. The time is that
 * of the file: a later look may renew it.
 */
export function readCompiledFile(file: string): ReadFile | 'bad' | 'other' | undefined {
  try {
    // No exception for what is usual: to make one takes longer than to look.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const raw = asObject(JSON.parse(readFileSync(file, 'utf8')));
    if (typeof raw?.['compiler'] === 'number' && raw['compiler'] !== COMPILER) return 'other';
    return raw && isKeptFile(raw) ? { compiled: unpack(raw), at: stats.mtimeMs } : 'bad';
  } catch {
    return 'bad';
  }
}

export function formatCompiledFile(compiled: CompiledFile): string {
  const { policy } = compiled;
  const kept: KeptFile = { ...compiled, policy: { ...policy, ...packRules(policy.rules) } };
  return `${JSON.stringify(kept)}\n`;
}

function unpack(kept: KeptFile): CompiledFile {
  const files = Object.fromEntries(kept.sources.map(({ scope, file }) => [scope, file]));
  const { selectors, rules, ...policy } = kept.policy;
  return { ...kept, policy: { ...policy, rules: unpackRules({ selectors, rules }, files) } };
}

/** It is ours, and renamed into place when it was whole: a glance is enough to tell it from what somebody else wrote. */
function isKeptFile(raw: object): raw is KeptFile {
  const { compiler, home, sources, policy, presets, problems } = raw as Partial<Record<keyof KeptFile, unknown>>;
  return (
    typeof compiler === 'number' &&
    typeof home === 'string' &&
    [sources, presets, problems].every(Array.isArray) &&
    isPolicy(policy)
  );
}

const DECISIONS: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', 'none']);

function isPolicy(policy: unknown): boolean {
  if (!isObject(policy) || policy['version'] !== 1) return false;
  const { main, subagent, unknown } = asObject(policy['defaults']) ?? {};
  return (
    [main, subagent, unknown, policy['onError']].every((decision) => DECISIONS.has(decision)) &&
    [policy['rules'], policy['selectors']].every(Array.isArray)
  );
}
