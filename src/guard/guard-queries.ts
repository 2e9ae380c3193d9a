import path from 'node:path';
import { createGuardLog, readLog } from '../audit/index.ts';
import type {
  AuditEntry,
  GuardExplanation,
  GuardMismatch,
  GuardTestReport,
  PolicyProblem,
  PolicySuggestion,
  SessionTree,
} from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { createSessions, dataFoldersFor, type SessionScope, thisMachine } from '../sessions/index.ts';
import { type DescribedCall, imagineCall, pastCall } from './described-call.ts';
import { explainCall, unjudged } from './policy/explain-call.ts';
import { mismatchOf, readCases } from './policy/read-cases.ts';
import { readNamedSource } from './policy/sources.ts';
import { suggestPolicyFor } from './policy/suggest-policy.ts';
import { createPolicyReader, noSuchFile, type PolicyReader } from './policy-control.ts';

export function createGuardQueries(): GuardQueries {
  const machine = thisMachine();
  const { env, home } = machine;
  const folder = process.cwd();
  const state = stateFolder(machine);
  const policyIn = createPolicyReader({ home, configFolder: configFolder(env, home), stateFolder: state });
  return {
    async explain(imagined, policyFile) {
      const call = imagineCall(imagined, home, folder);
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
        const call = imagineCall(one.call, home, folder);
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
async function treeOf(where: SessionScope, session: string): Promise<SessionTree | undefined> {
  try {
    return (await createSessions(dataFoldersFor(where), { clock: systemClock }).open(session)).tree;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * What the guard would say, and why. By the policy of the project in question, or by one file, where one is named. Each throws
 * a `UserError` where there is no such file, call or session.
 */
export interface GuardQueries {
  explain(call: DescribedCall, policyFile?: string): Promise<GuardExplanation>;
  /** `call`: its number in the audit, or the host's id of it. */
  explainPast(where: SessionScope, call: string, policyFile?: string): Promise<GuardExplanation>;
  /** Holds a table of calls and expected decisions against the policy. */
  test(file: string, policyFile?: string): Promise<GuardTestReport>;
  /** The smallest policy under which a session would have run: by the beginning of its id, or the newest. */
  suggest(where: SessionScope, session?: string): Promise<PolicySuggestion>;
}

export interface ExplainPastOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly home: string;
  readonly policyIn: PolicyReader;
  /** Undefined where the session's files are gone. */
  readonly treeOf: (session: string) => Promise<SessionTree | undefined>;
}

/** A call of the audit, by its number or the host's id of it, judged by the policy of now and the clock of then. */
export async function explainPast(
  wanted: string,
  { folder, home, policyIn, treeOf }: ExplainPastOptions,
  policyFile?: string,
): Promise<GuardExplanation> {
  const entry = await findEntry(folder, wanted);
  const tree = entry.session === null ? undefined : await treeOf(entry.session);
  const { call, isRedacted, caveats } = pastCall(entry, home, tree);
  const { policy, ownFile } = await policyIn(call.project ?? '/', policyFile);
  const told = isRedacted ? unjudged(call) : explainCall(policy, call, ownFile);
  const { n, session, decision, rule, reason } = entry;
  return { ...told, caveats, recorded: { n, call: entry.call, session, decision, rule, reason } };
}

async function findEntry(folder: string, wanted: string): Promise<AuditEntry> {
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  for await (const entry of readLog(folder)) {
    if (number === undefined ? entry.call === wanted : entry.n === number) return entry;
    // Numbers only grow: what is older has smaller ones.
    if (number !== undefined && entry.n < number) break;
  }
  throw new UserError(
    'call-not-found',
    `There is no call ${wanted} in the audit.`,
    'See the numbers with: troupe guard log --json; or describe a call with --command, or with --tool and --input.',
  );
}
