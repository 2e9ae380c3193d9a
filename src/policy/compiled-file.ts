// STATE/policy/<name>.json: the compiled policy of a project, with what it was compiled from. No YAML here: the hook loads this.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { digestText } from '../base/digest.ts';
import { asObject, isObject } from '../base/json.ts';
import type { Policy } from '../guard/policy.ts';
import type { PolicyProblem } from '../model/policy-check.ts';
import type { PolicyPlace } from './policy-places.ts';

export interface CompiledFile {
  readonly compiler: number;
  /** What `~` stood for. */
  readonly home: string;
  /** Epoch milliseconds: before the first of the sources was read. */
  readonly at: number;
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

/** To be raised whenever the same files come to another policy, or the shape of this file changes: a test holds it. */
export const COMPILER = 2;

export function compiledPath(stateFolder: string, places: readonly PolicyPlace[]): string {
  return path.join(stateFolder, 'policy', `${digestText(JSON.stringify(places.map(({ file }) => file)))}.json`);
}

/** Undefined where there is none; `bad` where it is not what we wrote. */
export function readCompiledFile(file: string): CompiledFile | 'bad' | undefined {
  try {
    const raw = asObject(JSON.parse(readFileSync(file, 'utf8')));
    return raw && isCompiledFile(raw) ? raw : 'bad';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'bad';
  }
}

/** It is ours, and renamed into place when it was whole: a glance is enough to tell it from what somebody else wrote. */
function isCompiledFile(raw: object): raw is CompiledFile {
  const { compiler, home, at, sources, policy, presets, problems } = raw as Partial<
    Record<keyof CompiledFile, unknown>
  >;
  return (
    typeof compiler === 'number' &&
    typeof home === 'string' &&
    typeof at === 'number' &&
    [sources, presets, problems].every(Array.isArray) &&
    isPolicy(policy)
  );
}

const DECISIONS: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', 'none']);

function isPolicy(policy: unknown): boolean {
  if (!isObject(policy) || policy['version'] !== 1 || !Array.isArray(policy['rules'])) return false;
  const { main, subagent, unknown } = asObject(policy['defaults']) ?? {};
  return (
    [main, subagent, unknown, policy['onError']].every((decision) => DECISIONS.has(decision)) &&
    policy['rules'].every((rule) => isObject(rule) && DECISIONS.has(rule['decision']) && Array.isArray(rule['tools']))
  );
}
