// Which files make up the policy of a project. No YAML here: the hook loads this.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PolicyFileScope } from '../../core/index.ts';

export interface PolicyPlace {
  readonly scope: PolicyFileScope;
  readonly file: string;
  /** The project's folder; null for the person's own. */
  readonly root: string | null;
}

/** `folder`: of the project, not where a command of an agent happens to be: it could go where no policy is. */
export interface WherePolicyIs {
  readonly configFolder: string;
  readonly folder: string;
}

/** Those that may be there, the person's own first. */
export function policyPlaces({ configFolder, folder }: WherePolicyIs): readonly PolicyPlace[] {
  const user: PolicyPlace = { scope: 'user', file: path.resolve(configFolder, 'policy.yaml'), root: null };
  const root = projectRoot(folder);
  const inProject = (scope: PolicyFileScope, name: string): readonly PolicyPlace[] => {
    const file = path.join(root ?? '', '.troupe', name);
    // With TROUPE_HOME=~/.troupe the person's own lies where that of a project in the home folder would.
    return root === undefined || file === user.file ? [] : [{ scope, file, root }];
  };
  return [user, ...inProject('project', 'policy.yaml'), ...inProject('local', 'policy.local.yaml')];
}

/** The nearest folder, going up, that says that it is one. */
function projectRoot(folder: string): string | undefined {
  const at = path.resolve(folder);
  if (existsSync(path.join(at, '.troupe')) || existsSync(path.join(at, '.git'))) return at;
  const above = path.dirname(at);
  return above === at ? undefined : projectRoot(above);
}
