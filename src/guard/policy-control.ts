import path from 'node:path';
import { computeSpend, hostOf, type PolicyCheck, type PolicyPreset, type PolicyProblem } from '../core/index.ts';
import { loadHost } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { createSessions, dataFoldersFor, thisMachine, withOwnPrices } from '../sessions/index.ts';
import { checkPolicyFile, type LoadedPolicy, loadPolicy } from './policy/load-policy.ts';
import { listPresets } from './policy/presets.ts';
import { type CompiledPolicyFolders, policyPlaces } from './policy/sources.ts';
import { type Budget, DEFAULT_MCP, type McpPolicy } from './policy.ts';

export function createPolicyControl(): PolicyControl {
  const { env, home } = thisMachine();
  const folders = { configFolder: configFolder(env, home), stateFolder: stateFolder({ env, home }) };
  const where = { home, folder: process.cwd(), ...folders };
  return {
    async check(file) {
      if (file !== undefined)
        return toCheck(checkPolicyFile(path.resolve(file), where, true) ?? noSuchFile(file, OR_NONE));
      const loaded = await loadPolicy(where);
      const { budgets = [] } = loaded.policy;
      if (!loaded.unkept)
        return toCheck({ ...loaded, problems: [...loaded.problems, ...(await findUncountable(budgets))] });
      throw new UserError(
        'state-folder',
        `What the policy says for failures could not be kept in ${where.stateFolder}, where the hooks look for it: ${loaded.unkept.message}`,
        'Make it a folder of your own with room on its disk, or name another with TROUPE_HOME.',
        { cause: loaded.unkept },
      );
    },
    presets: async () => listPresets(),
  };
}

function toCheck({ policy, presets, problems, files }: Omit<LoadedPolicy, 'unkept'>): PolicyCheck {
  const ok = problems.every(({ severity }) => severity !== 'error');
  const rules = policy.rules.filter(({ id }) => !id.endsWith(':error')).length;
  return { ok, files, rules, budgets: policy.budgets?.length ?? 0, presets, problems };
}

/** The newest sessions show which models and hosts are used here. */
const LOOKED_AT = 20;

/** Budgets that cannot be computed for what was used lately: `on_error` will decide. */
async function findUncountable(budgets: readonly Budget[]): Promise<readonly PolicyProblem[]> {
  if (budgets.length === 0) return [];
  const sessions = withOwnPrices(createSessions(dataFoldersFor({ roots: [] }), { clock: systemClock }));
  const { trees } = await sessions.list({ limit: LOOKED_AT });
  const unpriced = computeSpend(trees, { by: 'model', now: systemClock() }).unpriced.map(({ model }) => model);
  const hosts = new Map(trees.map((tree) => [hostOf(tree.id), tree.hostTitle ?? hostOf(tree.id)]));
  const nameless: string[] = [];
  for (const [host, title] of hosts) if ((await loadHost(host))?.hooks?.namesNobody) nameless.push(title);
  const warn = ({ name, place }: Budget, why: string, remedy: string): PolicyProblem => ({
    ...{ severity: 'warning', code: 'suspicious', file: place.file, line: place.line, column: 1, remedy, source: '' },
    message: `Budget "${name}" cannot be computed here: ${why}. Then \`on_error\` decides.`,
  });
  return budgets.flatMap((budget) => {
    const isOfAgents = budget.per === 'agent' || budget.per === 'subtree' || budget.agents !== null;
    return [
      ...(budget.limits.usd !== undefined && unpriced.length > 0
        ? [
            warn(
              budget,
              `no price is known for ${unpriced.join(', ')}`,
              'Add prices in config.json (cost.prices), or limit tokens.',
            ),
          ]
        : []),
      ...(isOfAgents && nameless.length > 0
        ? [
            warn(
              budget,
              `${nameless.join(' and ')} does not say which agent calls`,
              'Use `per: session` without `agents`.',
            ),
          ]
        : []),
    ];
  });
}

const OR_NONE = 'Name a policy, or none for those that hold in this folder.';

export function noSuchFile(file: string, remedy: string): never {
  throw new UserError('no-policy', `There is no file ${file}.`, remedy);
}

/** What each agent may do, as the person wrote it. */
export interface PolicyControl {
  /**
   * Of one file; without one of all that count in the folder at hand, which are kept for the hooks as they are now. Throws a
   * `UserError` where there is no such file.
   */
  check(file?: string): Promise<PolicyCheck>;
  presets(): Promise<readonly PolicyPreset[]>;
}

/**
 * What holds for the project in a folder, or what one file says; `ownFile`: where the person's own rules go. Throws a `UserError`
 * where there is no such file.
 */
export type PolicyReader = (
  folder: string,
  file?: string,
) => Promise<Pick<LoadedPolicy, 'policy' | 'problems'> & { readonly ownFile: string | null }>;

export function createPolicyReader(where: Omit<CompiledPolicyFolders, 'folder'>): PolicyReader {
  return async (folder, file) => {
    if (file === undefined) {
      const own = policyPlaces({ ...where, folder }).find(({ scope }) => scope === 'user');
      return { ...(await loadPolicy({ ...where, folder })), ownFile: own?.file ?? null };
    }
    const ownFile = path.resolve(file);
    return { ...(checkPolicyFile(ownFile, { ...where, folder }) ?? noSuchFile(file, 'Name a policy.')), ownFile };
  };
}

/** What agents of the project in a folder may do through `troupe mcp`. */
export async function readMcpPolicy(folder: string): Promise<McpPolicy> {
  const { env, home } = thisMachine();
  const where = { home, folder, configFolder: configFolder(env, home), stateFolder: stateFolder({ env, home }) };
  return (await loadPolicy(where)).policy.mcp ?? DEFAULT_MCP;
}
