import path from 'node:path';
import type { PolicyFileScope } from '../../core/index.ts';
import { compilePolicy } from './compile.ts';
import type { LoadedPolicy } from './load-policy.ts';
import { type PolicyPlace, policyPlaces } from './policy-places.ts';
import type { WhereCompiledIs } from './read-compiled.ts';
import { readNamedSource, readSource } from './read-source.ts';

/**
 * One file, wherever it lies: in a folder `.troupe` as the project's, held against the person's own; elsewhere as the person's.
 * Nothing is kept. Undefined where there is no such file.
 */
export function checkPolicyFile(
  file: string,
  where: WhereCompiledIs,
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

function scopeOf(file: string, { configFolder }: WhereCompiledIs): PolicyFileScope {
  if (path.basename(path.dirname(file)) !== '.troupe' || path.dirname(file) === path.resolve(configFolder))
    return 'user';
  return path.basename(file) === 'policy.local.yaml' ? 'local' : 'project';
}
