import path from 'node:path';
import { ADAPTERS } from '../adapters/registry.ts';
import { readLog } from '../audit/read-log.ts';
import { systemClock } from '../base/clock.ts';
import { UserError } from '../base/user-error.ts';
import { configFolder } from '../config/config-folder.ts';
import { stateFolder } from '../daemon/state-folder.ts';
import type { GuardQuestions, Where } from '../faces/face.ts';
import { imagineCall } from '../judge/imagine-call.ts';
import { pastCall } from '../judge/past-call.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { GuardMismatch } from '../model/guard-test.ts';
import type { PolicyProblem } from '../model/policy-check.ts';
import type { SessionTree } from '../model/tree.ts';
import { checkPolicyFile } from '../policy/check-file.ts';
import { explainCall, unjudged } from '../policy/explain-call.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import { readCases } from '../policy/read-cases.ts';
import { readSource } from '../policy/read-source.ts';
import { mismatchOf } from '../policy/test-cases.ts';
import { createSessions } from '../tracker/sessions.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { isMaskedOrCut } from '../transforms/mask-secrets.ts';
import { createGuardLog } from './guard.ts';
import { placesOf } from './places.ts';
import { noSuchFile } from './policy.ts';
import { suggestPolicyFor } from './suggest-policy.ts';

export function createGuardQuestions(): GuardQuestions {
  const machine = thisMachine();
  const { env, home } = machine;
  const folder = process.cwd();
  const state = stateFolder(machine);
  const policyIn = policyReader({ home, configFolder: configFolder(env, home), stateFolder: state });
  const host = ADAPTERS[0]?.host ?? '';
  return {
    async explain(imagined, policyFile) {
      const call = imagineCall(imagined, { home, folder, host, at: Date.now() });
      const { policy } = await policyIn(call.project ?? folder, policyFile);
      return explainCall(policy, call);
    },
    async explainPast(where, wanted, policyFile) {
      await createGuardLog(where).drain();
      const entry = await findEntry(state, wanted);
      const tree = await treeOf(where, entry);
      const { call, isSpoilt, caveats } = pastCall(entry, { home, tree, isChanged: isMaskedOrCut });
      const { policy } = await policyIn(call.project ?? '/', policyFile);
      const told = isSpoilt ? unjudged(call) : explainCall(policy, call);
      const { n, session, decision, rule, reason } = entry;
      return { ...told, caveats, recorded: { n, call: entry.call, session, decision, rule, reason } };
    },
    async test(file, policyFile) {
      const source =
        readSource(path.resolve(file)) ?? noSuchFile(file, 'Name a table of calls and expected decisions.');
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

/** What holds for the project in a folder, or what one file says. */
function policyReader(where: { home: string; configFolder: string; stateFolder: string }) {
  return async (folder: string, file?: string): Promise<Pick<LoadedPolicy, 'policy' | 'problems'>> => {
    if (file === undefined) return loadPolicy({ ...where, folder });
    return checkPolicyFile(path.resolve(file), { ...where, folder }) ?? noSuchFile(file, 'Name a policy.');
  };
}

async function findEntry(folder: string, wanted: string): Promise<AuditEntry> {
  const isWanted = /^\d+$/.test(wanted)
    ? ({ n }: AuditEntry) => n === Number(wanted)
    : ({ call }: AuditEntry) => call === wanted;
  for await (const entry of readLog(folder)) if (isWanted(entry)) return entry;
  throw new UserError(
    'no-call',
    `There is no call ${wanted} in the audit.`,
    'See the numbers with: troupe guard log --json; or describe a call with --command, or with --tool and --input.',
  );
}

/** Undefined where its files are gone. */
async function treeOf(where: Where, { session }: AuditEntry): Promise<SessionTree | undefined> {
  if (session === null) return undefined;
  try {
    return (await createSessions(placesOf(where), { clock: systemClock }).open(session)).tree;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
