import { readLog } from '../audit/index.ts';
import type { AuditEntry, GuardExplanation, SessionTree } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { isMaskedOrCut } from '../redact/index.ts';
import { pastCall } from './past-call.ts';
import { explainCall, unjudged } from './policy/explain-call.ts';
import type { PolicyReader } from './policy-reader.ts';

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
  const { call, isSpoilt, caveats } = pastCall(entry, { home, tree, isChanged: isMaskedOrCut });
  const { policy, ownFile } = await policyIn(call.project ?? '/', policyFile);
  const told = isSpoilt ? unjudged(call) : explainCall(policy, call, ownFile);
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
