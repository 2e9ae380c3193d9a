// Where YAML may be loaded: the server and the command line. Keeps what it compiled for the hook.

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { PolicyFileScope } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createFile } from '../../lib/regular-file.ts';
import type { Policy } from '../policy.ts';
import { type Compiled, compilePolicy } from './compile.ts';
import {
  COMPILER,
  type CompiledFile,
  type CompiledPolicyFolders,
  compiledPath,
  formatCompiledFile,
  readCompiled,
} from './compiled-file.ts';
import { lookAtSource, type PolicyPlace, policyPlaces, readNamedSource, readSource } from './sources.ts';

export interface LoadedPolicy extends Compiled {
  /** Those that are there. */
  readonly files: readonly { readonly scope: PolicyFileScope; readonly file: string }[];
  /** Why a hook will not find it; null: it will. */
  readonly unkept: Error | null;
}

/** What holds for the project in that folder. Compiles only what has changed. */
export async function loadPolicy(where: CompiledPolicyFolders): Promise<LoadedPolicy> {
  const before = readCompiled(where);
  if (before.state === 'none') return { policy: before.policy, presets: [], problems: [], files: [], unkept: null };
  if (before.state === 'current') return { ...before.compiled, files: filesOf(before.compiled), unkept: null };
  const at = Date.now();
  const compiled = compileNow(where);
  const file = compiledPath(where.stateFolder, compiled.sources);
  const unkept = (await keep(file, formatCompiledFile(compiled), at)) ?? (await keepOnErrors(file, compiled, at));
  return { ...compiled, files: filesOf(compiled), unkept };
}

function compileNow(where: CompiledPolicyFolders): CompiledFile {
  const read = policyPlaces(where).map((place) => ({ place, found: readSource(place.file) }));
  const sources = read.flatMap(({ place, found }) => (found ? [{ ...place, content: found.content }] : []));
  const { home, configFolder, stateFolder } = where;
  const ownFolders = [configFolder, stateFolder].map(resolveFolder);
  return {
    compiler: COMPILER,
    home,
    sources: read.map(({ place, found }) => (found ? { ...place, state: found.state, digest: found.digest } : place)),
    ...compilePolicy({ sources, home, ownFolders, resolve: resolveFolder }),
  };
}

function filesOf({ sources }: CompiledFile): LoadedPolicy['files'] {
  return sources.flatMap(({ scope, file, digest }) => (digest === undefined ? [] : [{ scope, file }]));
}

/**
 * What is to be said where nobody can read the policy: the stub of the guard reads these, which knows no JSON. One for the
 * person's own file, wherever they work, and one for the project where it has its own: the decision, and the project's folder.
 */
async function keepOnErrors(file: string, { home, sources, policy }: CompiledFile, at: number): Promise<Error | null> {
  const folder = path.dirname(file);
  const [user] = sources;
  const own = user?.digest === undefined ? undefined : readSource(user.file);
  if (user && own) {
    const alone = compilePolicy({ sources: [{ ...user, content: own.content }], home });
    const unkept = await keep(path.join(folder, 'user.on-error'), `${alone.policy.onError}\n\n`, at);
    if (unkept) return unkept;
  }
  const project = sources.find(({ root, digest }) => root !== null && digest !== undefined);
  return project ? keep(`${file}.on-error`, `${policy.onError}\n${project.root}\n`, at) : null;
}

/**
 * Whole or not at all. Of two at once the last stays; if it read the files before the other did, it is stale, and is known to
 * be by the digests in it.
 */
async function keep(file: string, text: string, at: number): Promise<Error | null> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await createFile(draft, text);
    await utimes(draft, at / 1_000, at / 1_000);
    await rename(draft, file);
    return null;
  } catch (error) {
    // A full disk leaves half a file. It may not even let us remove it.
    await rm(draft, { force: true }).catch(() => {});
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The part before the first `*`, as far as it is there, with its links followed. */
function resolveFolder(pattern: string): string {
  const parts = pattern.split(path.sep);
  const fixed = parts.findIndex((part) => part.includes('*'));
  for (let length = fixed === -1 ? parts.length : fixed; length > 1; length--) {
    try {
      return path.join(realpathSync(parts.slice(0, length).join(path.sep)), ...parts.slice(length));
    } catch {
      // Not there (yet): the folder above may be.
    }
  }
  return pattern;
}

/**
 * One file, wherever it lies: in a folder `.troupe` as the project's, held against the person's own; elsewhere as the person's.
 * Nothing is kept. Undefined where there is no such file.
 */
export function checkPolicyFile(
  file: string,
  where: CompiledPolicyFolders,
  /** Read once, so it may be a pipe. */
  isReadOnce = false,
): Omit<LoadedPolicy, 'unkept'> | undefined {
  const scope = scopeOf(file, where);
  const root = scope === 'user' ? null : path.dirname(path.dirname(file));
  const place: PolicyPlace = { scope, file, root };
  const below = scope === 'user' ? [] : policyPlaces(where).filter((other) => other.scope === 'user');
  const sources = [...below, place].flatMap((one) => {
    const found = isReadOnce && one === place ? readNamedSource(file) : readSource(one.file);
    return found ? [{ ...one, content: found.content }] : [];
  });
  if (sources.at(-1)?.file !== file) return undefined;
  const { policy, presets, problems } = compilePolicy({ sources, home: where.home });
  return {
    policy: { ...policy, rules: policy.rules.filter((rule) => rule.scope === scope || rule.scope === 'preset') },
    presets,
    problems: problems.filter((problem) => problem.file === file),
    files: [{ scope, file }],
  };
}

function scopeOf(file: string, { configFolder }: CompiledPolicyFolders): PolicyFileScope {
  if (path.basename(path.dirname(file)) !== '.troupe' || path.dirname(file) === path.resolve(configFolder))
    return 'user';
  return path.basename(file) === 'policy.local.yaml' ? 'local' : 'project';
}

/** Within this time two writes may have left the same times on a file. */
const TICK_MS = 2_000;
const MAX_REMEMBERED = 100;

/** For a process that stays: a policy is loaded again where one of its files has changed, came or went, or may have. */
export function createPolicyCache(clock: Clock): (where: CompiledPolicyFolders) => Promise<Policy> {
  /** `at`: before the files were looked at. */
  const remembered = new Map<string, { readonly policy: Policy; readonly state: string; readonly at: number }>();
  return async (where) => {
    const at = clock();
    const looks = policyPlaces(where).map(({ file }) => ({ file, ...lookAtSource(file) }));
    const state = JSON.stringify(looks.map(({ file, state: seen }) => [file, seen]));
    const known = remembered.get(where.folder);
    const isSettled = looks.every(({ changedAt = 0 }) => known && changedAt < known.at - TICK_MS);
    if (known?.state === state && isSettled) return known.policy;
    const { policy } = await loadPolicy(where);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(where.folder, { policy, state, at });
    return policy;
  };
}
