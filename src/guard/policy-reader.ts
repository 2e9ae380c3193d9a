import path from 'node:path';
import { checkPolicyFile } from './policy/check-file.ts';
import { type LoadedPolicy, loadPolicy } from './policy/load-policy.ts';
import { policyPlaces } from './policy/policy-places.ts';
import { noSuchFile } from './policy-control.ts';

export interface PolicyInForce extends Pick<LoadedPolicy, 'policy' | 'problems'> {
  /** Where the person's own rules go. */
  readonly ownFile: string | null;
}

/** What holds for the project in a folder, or what one file says. Throws a `UserError` where there is no such file. */
export type PolicyReader = (folder: string, file?: string) => Promise<PolicyInForce>;

export function createPolicyReader(where: {
  readonly home: string;
  readonly configFolder: string;
  readonly stateFolder: string;
}): PolicyReader {
  return async (folder, file) => {
    if (file === undefined) {
      const own = policyPlaces({ ...where, folder }).find(({ scope }) => scope === 'user');
      return { ...(await loadPolicy({ ...where, folder })), ownFile: own?.file ?? null };
    }
    const ownFile = path.resolve(file);
    return { ...(checkPolicyFile(ownFile, { ...where, folder }) ?? noSuchFile(file, 'Name a policy.')), ownFile };
  };
}
