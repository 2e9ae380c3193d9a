import path from 'node:path';
import { createGuardLog } from '../audit/index.ts';
import type {
  GuardExplanation,
  GuardMismatch,
  GuardTestReport,
  PolicyProblem,
  PolicySuggestion,
  SessionTree,
} from '../core/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { createSessions, placesOf, thisMachine, type Where } from '../sessions/index.ts';
import { explainPast } from './explain-past.ts';
import { imagineCall } from './imagine-call.ts';
import type { ImaginedCall } from './imagined-call.ts';
import { explainCall } from './policy/explain-call.ts';
import { readCases } from './policy/read-cases.ts';
import { readNamedSource } from './policy/read-source.ts';
import { mismatchOf } from './policy/test-cases.ts';
import { noSuchFile } from './policy-control.ts';
import { createPolicyReader } from './policy-reader.ts';
import { suggestPolicyFor } from './suggest-from-session.ts';

export function createGuardQuestions(): GuardQuestions {
  const machine = thisMachine();
  const { env, home } = machine;
  const folder = process.cwd();
  const state = stateFolder(machine);
  const policyIn = createPolicyReader({ home, configFolder: configFolder(env, home), stateFolder: state });
  const host = ADAPTERS[0]?.host ?? '';
  return {
    async explain(imagined, policyFile) {
      const call = imagineCall(imagined, { home, folder, host, at: Date.now() });
      const { policy, ownFile } = await policyIn(call.project ?? folder, policyFile);
      return explainCall(policy, call, ownFile);
    },
    async explainPast(where, wanted, policyFile) {
      await createGuardLog(where).drain();
      const options = { folder: state, home, policyIn, treeOf: (session: string) => treeOf(where, session) };
      return explainPast(wanted, options, policyFile);
    },
    async test(file, policyFile) {
      const source =
        readNamedSource(path.resolve(file)) ?? noSuchFile(file, 'Name a table of calls and expected decisions.');
      const { cases, problems } = readCases(file, source.content);
      const policyProblems = new Map<string, PolicyProblem>();
      const mismatches: GuardMismatch[] = [];
      for (const one of cases) {
        const call = imagineCall(one.call, { home, folder, host, at: Date.now() });
        const loaded = await policyIn(call.project ?? folder, policyFile);
        for (const problem of loaded.problems)
          policyProblems.set(`${problem.file}:${problem.line}:${problem.column}:${problem.message}`, problem);
        const mismatch = mismatchOf(one, loaded.policy, call);
        if (mismatch) mismatches.push(mismatch);
      }
      const all = [...problems, ...policyProblems.values()];
      const ok = mismatches.length === 0 && all.every(({ severity }) => severity !== 'error');
      return { ok, file, calls: cases.length, mismatches, problems: all };
    },
    suggest: suggestPolicyFor,
  };
}

/** Undefined where its files are gone. */
async function treeOf(where: Where, session: string): Promise<SessionTree | undefined> {
  try {
    return (await createSessions(placesOf(where), { clock: systemClock }).open(session)).tree;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * What the guard would say, and why. By the policy of the project in question, or by one file, where one is named. Each throws
 * a `UserError` where there is no such file, call or session.
 */
export interface GuardQuestions {
  explain(call: ImaginedCall, policyFile?: string): Promise<GuardExplanation>;
  /** `call`: its number in the audit, or the host's id of it. */
  explainPast(where: Where, call: string, policyFile?: string): Promise<GuardExplanation>;
  /** Holds a table of calls and expected decisions against the policy. */
  test(file: string, policyFile?: string): Promise<GuardTestReport>;
  /** The smallest policy under which a session would have run: by the beginning of its id, or the newest. */
  suggest(where: Where, session?: string): Promise<PolicySuggestion>;
}
