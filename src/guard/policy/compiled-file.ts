// STATE/policy/<name>.json: the compiled policy of a project, with what it was compiled from. No YAML here: the hook loads this.

import { renameSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { PolicyProblem } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asObject, isObject } from '../../lib/json.ts';
import { createFileSync, readTextSync } from '../../lib/regular-file.ts';
import { DECISIONS, NO_POLICY, type Policy, withCaution } from '../policy.ts';
import { lookAtSource, type PolicyFolders, type PolicyPlace, policyPlaces, readSource } from './sources.ts';

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

interface CompiledSource extends PolicyPlace {
  readonly state?: string;
  readonly digest?: string;
}

/** A file, and since when it is known that the sources were as it says: before the first of them was read. Epoch milliseconds. */
interface ReadFile {
  readonly compiled: CompiledFile;
  readonly at: number;
}

/** To be raised whenever the same files come to another policy, or the shape of this file changes: a test holds it. */
export const COMPILER = 10;

export function compiledPath(stateFolder: string, places: readonly PolicyPlace[]): string {
  return path.join(stateFolder, 'policy', `${digestText(JSON.stringify(places.map(({ file }) => file)))}.json`);
}

/**
 * Undefined where there is none; `bad` where it is not what we wrote; `other` where another troupe wrote it. The time is that
 * of the file: a later look may renew it.
 */
function readCompiledFile(file: string): ReadFile | 'bad' | 'other' | undefined {
  try {
    // No exception for what is usual: to make one takes longer than to look.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const raw = asObject(JSON.parse(readTextSync(file)));
    if (typeof raw?.['compiler'] === 'number' && raw['compiler'] !== COMPILER) return 'other';
    return raw && isCompiledFile(raw) ? { compiled: raw, at: stats.mtimeMs } : 'bad';
  } catch {
    return 'bad';
  }
}

export function formatCompiledFile(compiled: CompiledFile): string {
  return `${JSON.stringify(compiled)}\n`;
}

/** Whole or not at all. Throws where it cannot be written. */
function restateSources(file: string, states: readonly ({ readonly state: string } | string)[]): void {
  const kept = JSON.parse(readTextSync(file)) as CompiledFile;
  const sources = kept.sources.map((source, index) => {
    const now = states[index];
    return typeof now === 'object' ? { ...source, state: now.state } : source;
  });
  const draft = `${file}.${process.pid}`;
  createFileSync(draft, formatCompiledFile({ ...kept, sources }));
  try {
    renameSync(draft, file);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

/** It is ours, and renamed into place when it was whole: a glance is enough to tell it from what somebody else wrote. */
function isCompiledFile(raw: object): raw is CompiledFile {
  const { compiler, home, sources, policy, presets, problems } = raw as Partial<Record<keyof CompiledFile, unknown>>;
  return (
    typeof compiler === 'number' &&
    typeof home === 'string' &&
    [sources, presets, problems].every(Array.isArray) &&
    isPolicy(policy)
  );
}

function isPolicy(policy: unknown): boolean {
  if (!isObject(policy) || policy['version'] !== 1 || !Array.isArray(policy['rules'])) return false;
  const { main, subagent, unknown } = asObject(policy['defaults']) ?? {};
  const decisions = [
    main,
    subagent,
    unknown,
    policy['onError'],
    policy['opaque'],
    ...policy['rules'].map((rule) => rule?.decision),
  ];
  return decisions.every((decision) => DECISIONS.includes(decision));
}

export interface CompiledPolicyFolders extends PolicyFolders {
  readonly stateFolder: string;
  readonly home: string;
}

/**
 * `current`: it is that of the files. `stale`: a file has changed, came or went since, or none was compiled yet. `bad`: what
 * was compiled cannot be read. `none`: there is no policy. In each case `policy` can be used as it is: of a stale or bad one
 * it denies what was denied, and asks about all the rest.
 */
export type ReadCompiled =
  | {
      readonly state: 'current';
      readonly policy: Policy;
      readonly compiled: CompiledFile;
    }
  | { readonly state: 'stale' | 'bad'; readonly policy: Policy; readonly reason: string }
  | { readonly state: 'none'; readonly policy: Policy };

/** Never throws. */
export function readCompiled(where: CompiledPolicyFolders): ReadCompiled {
  const places = policyPlaces(where);
  const file = compiledPath(where.stateFolder, places);
  const read = readCompiledFile(file);
  if (read === 'bad') return distrusted('bad', places[0], 'what was compiled of it cannot be read');
  if (read === 'other') return distrusted('stale', places[0], 'it was compiled by another troupe');
  if (read === undefined) {
    const there = places.find(({ file }) => lookAtSource(file) !== undefined);
    return there ? distrusted('stale', there, 'it was not compiled yet') : { state: 'none', policy: NO_POLICY };
  }
  const { compiled, at } = read;
  const distrustedNow = (place: PolicyPlace | undefined, why: string): ReadCompiled =>
    distrusted('stale', place, why, compiled.policy);
  if (compiled.home !== where.home) return distrustedNow(places[0], 'it was compiled for another home folder');
  const now = Date.now();
  const looks = places.map((place, index) => lookForChange(place, compiled.sources[index], at));
  const changed = places[looks.indexOf('changed')];
  if (changed) return distrustedNow(changed, 'it has changed and was not compiled yet');
  if (looks.some((look) => look !== 'same')) renew(file, now, looks);
  return { state: 'current', policy: compiled.policy, compiled };
}

/** The next need not read the sources again. Whether it can be said does not matter. */
function renew(file: string, at: number, looks: readonly Look[]): void {
  try {
    // Files that were written again as they were: a checkout does that.
    if (looks.some((look) => typeof look === 'object')) restateSources(file, looks);
    utimesSync(file, at / 1_000, at / 1_000);
  } catch {
    // Not ours, or a disk that takes nothing.
  }
}

/** Within this time two writes may have left the same times on a file. */
const TICK_MS = 2_000;

/** `read again`: it is as it was, and could only be told by its text. With a state: that is another now. */
type Look = 'same' | 'read again' | 'changed' | { readonly state: string };

function lookForChange({ file }: PolicyPlace, before: CompiledSource | undefined, knownAt: number): Look {
  if (before?.file !== file) return 'changed';
  const now = lookAtSource(file);
  if (now === undefined || before.state === undefined) return now?.state === before.state ? 'same' : 'changed';
  if (now.state === before.state && now.changedAt < knownAt - TICK_MS) return 'same';
  const read = readSource(file);
  if (read === undefined || read.digest !== before.digest) return 'changed';
  return read.state === before.state ? 'read again' : { state: read.state };
}

/** Before anything was compiled nobody knows what the files say, `on_error` included. */
const UNREAD: Policy = { ...NO_POLICY, onError: 'ask' };

function distrusted(
  state: 'stale' | 'bad',
  place: PolicyPlace | undefined,
  why: string,
  policy: Policy = UNREAD,
): ReadCompiled {
  const { file, scope } = place ?? { file: 'policy.yaml', scope: 'user' };
  const reason = `${path.basename(file)} cannot be followed: ${why}. Run: troupe guard check`;
  return {
    state,
    reason,
    policy: withCaution(policy, { id: `${scope}:${state}`, place: { file, line: 1 }, reason }),
  };
}
