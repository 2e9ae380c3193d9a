// For the server and the command line: the policy of a project, and what the stub of the guard says if nobody can read it.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PolicyFileScope } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { digestText } from '../../lib/digest.ts';
import { createFile, readText } from '../../lib/regular-file.ts';
import type { Policy } from '../policy.ts';
import { type Compiled, type CompiledSources, compilePolicy, compileSources } from './compile.ts';
import { readYaml } from './read-yaml.ts';
import {
  type CompiledPolicyFolders,
  lookAtSource,
  type PolicyPlace,
  policyPlaces,
  readNamedSource,
  readSource,
} from './sources.ts';

export interface LoadedPolicy extends Compiled {
  /** Those that are there. */
  readonly files: readonly { readonly scope: PolicyFileScope; readonly file: string }[];
  /** Why the stub will not find what `on_error` says; null: it will. */
  readonly unkept: Error | null;
}

/** What holds for the project in that folder, compiled from its files now. */
export async function loadPolicy(where: CompiledPolicyFolders): Promise<LoadedPolicy> {
  const { sources, ...compiled } = compileSources(where, readYaml);
  const files = sources.map(({ scope, file }) => ({ scope, file }));
  if (sources.length === 0) return { ...compiled, files, unkept: null };
  return { ...compiled, files, unkept: await keepOnErrors(where, { sources, ...compiled }) };
}

/**
 * What is to be said where nobody can read the policy: the stub of the guard reads these, which knows no JSON. One for the
 * person's own file, wherever they work, and one for the project where it has its own: the decision, and the project's folder.
 */
async function keepOnErrors(
  { stateFolder, home }: CompiledPolicyFolders,
  { sources, policy }: CompiledSources,
): Promise<Error | null> {
  const folder = path.join(stateFolder, 'policy');
  const user = sources.find(({ scope }) => scope === 'user');
  if (user) {
    const alone = compilePolicy({ sources: [user], home, readYaml });
    const unkept = await keep(path.join(folder, 'user.on-error'), `${alone.policy.onError}\n\n`);
    if (unkept) return unkept;
  }
  await removeCompiled(folder);
  const project = sources.find(({ root }) => root !== null);
  if (!project) return null;
  const file = path.join(folder, `${digestText(String(project.root))}.on-error`);
  return keep(file, `${policy.onError}\n${project.root}\n`);
}

/** Versions before 0.2 kept whole policies there, and believed them. */
async function removeCompiled(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (/\.json(?:\.on-error)?$/.test(name)) await rm(path.join(folder, name), { force: true });
}

/** Whole or not at all. What is there already is not written again. */
async function keep(file: string, text: string): Promise<Error | null> {
  if ((await readText(file).catch(() => undefined)) === text) return null;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await createFile(draft, text);
    await rename(draft, file);
    return null;
  } catch (error) {
    // A full disk leaves half a file. It may not even let us remove it.
    await rm(draft, { force: true }).catch(() => {});
    return error instanceof Error ? error : new Error(String(error));
  }
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
  const { policy, presets, problems } = compilePolicy({ sources, home: where.home, readYaml });
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
