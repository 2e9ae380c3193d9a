import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPendingOf, MAX_QUEUED_BYTES, parseQueued, queuePending } from '../audit/index.ts';
import { type BudgetAlert, nativeId, type SessionId } from '../core/index.ts';
import {
  type ApprovalContext,
  auditFieldsOf,
  type BudgetJudge,
  CallerRecords,
  createPendingApprovals,
  createPolicyCache,
  foldersFor,
  holdCall,
  holdHostApproval,
  isHandsOff,
  isSilent,
  type Judgement,
  judgeCall,
  limitsIn,
  type PendingApprovals,
  type Policy,
  type SettledCaller,
} from '../guard/index.ts';
import type { HookKeys } from '../hook/index.ts';
import { type CallerChain, type HookEvent, type HooksCapability, TRIAL_SESSION } from '../hosts/index.ts';
import { loadHost } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { readRegularSync } from '../lib/regular-file.ts';
import { configFolder } from '../lib/state-folder.ts';
import { thisMachine, waitForCaller } from '../sessions/index.ts';
import type { HookCallNotice, HookIntake } from './server-control.ts';

/**
 * Calls of hooks: judged by the policy of their project, and kept in the spool of this folder with what was decided. Where
 * that is for a person to say, the call is held until one does.
 */
export function createHookIntake(
  folder: string,
  keys: HookKeys,
  asking: ApprovalContext,
  budgets?: ServedBudgets,
): HookIntake {
  const { env, home } = thisMachine();
  const where = { home, configFolder: configFolder(env, home), stateFolder: folder };
  const policyFor = createPolicyCache(systemClock);
  const records = new CallerRecords(folder, new Map());
  const judge = async (host: HooksCapability, call: HookCallNotice): Promise<Judged | undefined> => {
    const { draft, ppid } = call;
    // At once: a host waits, and each turn through the event loop takes longer than the file.
    const bytes = readIfThere(path.join(folder, 'spool', draft));
    if (!bytes) return undefined;
    const payload = parseQueued(bytes)?.payload;
    const event = host.read(payload, ppid);
    // Node knows the folder at least, and with it the policy.
    if (!event) return undefined;
    const look = (): CallerChain => host.callerOf(payload, ppid);
    const sourcesOf = (caller: CallerChain) => ({ event, process: ppid, told: call.above, caller });
    const findPolicies = async ({ caller, alsoIn }: SettledCaller): Promise<ReadonlyMap<string, Policy>> => {
      const folders = foldersFor({ cwd: event?.cwd ?? '/' }, { caller, alsoIn, home });
      const found = await Promise.all(folders.map((place) => policyFor({ ...where, folder: place })));
      return new Map(found.map((policy, index) => [folders[index] ?? '/', policy]));
    };
    let sources = sourcesOf(look());
    let settled = records.settle(sources);
    let policies = await findPolicies(settled);
    if ((!sources.caller.agent || sources.caller.isLate) && ![...policies.values()].every(isSilent)) {
      sources = sourcesOf(await waitForCaller(look, sources.caller));
      settled = records.settle(sources);
      policies = await findPolicies(settled);
    }
    const { caller, above, alsoIn } = settled;
    const at = Date.now();
    const [own] = policies.values();
    const options = {
      host,
      caller,
      above,
      alsoIn,
      policyFor: (place: string) => policies.get(place) ?? (own as Policy),
      home,
      at,
    };
    const limited = {
      event,
      readings: [caller, ...(caller.otherwise ?? [])],
      project: caller.project,
      policies: [...policies.values()].map(limitsIn),
      at,
    };
    const budget = event.question === undefined ? await budgets?.judge.judge(limited) : undefined;
    const untold = budget && {
      ...budget,
      notes: budget.notes.filter((note) => note.state === 'grace' || budgets?.judge.isNews(limited, note)),
    };
    const judgement = judgeCall(event, { ...options, budget: untold });
    if (budget) {
      const notes = budgets?.judge.settle(limited, budget, judgement.decision !== 'deny') ?? [];
      const agentId = caller.agent?.id ?? null;
      const iso = new Date(at).toISOString();
      const alerts = notes.map(({ budget: id, holder, state, text }) => ({
        id: `${id}:${holder}:${state}`,
        state,
        at: iso,
        agentId,
        text,
      }));
      if (alerts.length > 0) budgets?.onNotes(event.session, alerts);
    }
    const writeDown = records.remember(sources, settled, judgement.decision !== 'deny', at);
    setImmediate(() => {
      try {
        writeDown();
      } catch (error) {
        asking.onError(error);
      }
    });
    const needsProof = [...policies.values()].some(isHandsOff);
    return { judgement, event, caller, at, needsProof, audited: auditFieldsOf(settled) };
  };
  return {
    ...keys,
    async take(call) {
      const { host: name, draft, ppid, since, parent, asks } = call;
      const hooks = (await loadHost(name))?.hooks;
      if (!hooks || !isPendingOf(name, draft)) return undefined;
      const host: HooksCapability = asks ? { ...hooks, cannotAsk: true } : hooks;
      const judging = judge(host, call);
      judging.catch(() => undefined);
      const judged = await Promise.race([judging, sleep(JUDGED_WITHIN_MS, undefined, { ref: false })]);
      if (!judged) return undefined;
      const { event, caller, at, audited, needsProof } = judged;
      const judgement = asks === 'always' ? askedInAnyCase(judged.judgement) : judged.judgement;
      const settle = (decided: object): boolean =>
        queuePending(
          folder,
          draft,
          { ppid, ...known({ parent }), ...audited, ...decided, ...(asks && { via: 'intercept' }) },
          since,
        );
      const isTrial = event && nativeId(event.session).startsWith(TRIAL_SESSION);
      if (event?.questionId !== undefined) asking.turns?.take(event.questionId);
      if (event?.call && !isTrial) {
        const held = { event, call: event.call, caller, at, needsProof, settle };
        if (event.question !== undefined) return holdHostApproval({ ...held, host, question: event.question }, asking);
        if (judgement.wait) return holdCall(held, host, { ...judgement, wait: judgement.wait }, asking);
      }
      const { printed, wait: _, given: _given, note: _note, ...decided } = judgement;
      return settle(decided) ? printed : undefined;
    },
  };
}

/** What the server knows of budgets. */
export interface ServedBudgets {
  readonly judge: BudgetJudge;
  /** For people, once each. */
  onNotes(session: SessionId, alerts: readonly BudgetAlert[]): void;
}

/** Holds tool calls until a person answers, for this process. */
export function createServerApprovals(): PendingApprovals {
  const later = (ms: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  };
  return createPendingApprovals({ clock: systemClock, createId: () => randomBytes(16).toString('hex'), later });
}

function readIfThere(draft: string): Buffer | undefined {
  try {
    return readRegularSync(draft, MAX_QUEUED_BYTES);
  } catch {
    return undefined;
  }
}

/** The host would ask its person, who is to be asked here. */
function askedInAnyCase(judgement: Judgement): Judgement {
  if (judgement.decision !== 'none') return judgement;
  const reason = 'No rule is about this call, and the program asks before it.';
  return { ...judgement, decision: 'ask', reason, wait: { ms: ASKED_MS, otherwise: 'deny', why: reason } };
}

const ASKED_MS = 600_000;

interface Judged {
  readonly judgement: Judgement;
  readonly event: HookEvent | undefined;
  readonly caller: CallerChain;
  readonly audited: ReturnType<typeof auditFieldsOf>;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly needsProof: boolean;
}

/** A hook gives up on us after two seconds: before that it is told to go and ask elsewhere, and nothing is settled here. */
const JUDGED_WITHIN_MS = 1_500;
