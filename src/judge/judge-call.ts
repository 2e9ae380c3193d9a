import { known } from '../base/json.ts';
import type { GuardedCall, Verdict } from '../guard/call.ts';
import { decide } from '../guard/decide.ts';
import type { Decision, Policy } from '../guard/policy.ts';
import { usesOf } from '../guard/tools/uses-of.ts';
import type { CallerChain, HookEvent } from '../model/hook.ts';
import {
  type JudgedHost,
  type Judgement,
  type JudgeOptions,
  judgeAtDoor,
  resolveLinks,
  toCallAtDoor,
} from './at-the-door.ts';
import { identityOf, withIdentity } from './tell-identity.ts';

/**
 * A call as its host tells it → what its hook answers. The same for the server and for the hook that stands alone. Never
 * throws: what goes wrong inside ends in the policy's `on_error`, as an answer.
 */
export function judgeCall(payload: unknown, options: JudgeOptions): Judgement {
  const { host } = options;
  let policy: Policy | undefined;
  try {
    const event = host.read(payload);
    if (!event) {
      policy = options.policyFor(process.cwd());
      throw new Error('what it was told is no call of this host');
    }
    const caller = options.caller ?? host.callerOf(payload);
    policy = options.policyFor(caller.project ?? event.cwd ?? '/');
    const early = judgeAtDoor(payload, { ...options, caller });
    if (early) return early;
    const verdict = decide(policy, toCall(event, caller, options));
    const { decision, rule, reason } = verdict;
    const identity = tellsIdentity(policy, verdict) ? identityOf(event, caller) : undefined;
    const input = identity && withIdentity(event.call?.tool ?? '', event.call?.input, identity);
    if (!input) return answer(host, decision, rule?.id ?? null, reason);
    const told = `${reason} Its commands are told who runs them: ${identity}`;
    return { ...answer(host, decision, rule?.id ?? null, told, input), input };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return answer(host, policy?.onError ?? 'ask', null, `The guard of troupe failed: ${words}`);
  }
}

function answer(host: JudgedHost, decision: Decision, rule: string | null, reason: string, input?: unknown): Judgement {
  return { printed: host.formatAnswer({ decision, reason, ...known({ input }) }), decision, rule, reason };
}

/** A rule that says so is about some part of the call, and nothing denies it. What is decided does not change by it. */
function tellsIdentity({ rules }: Policy, { decision, tried }: Verdict): boolean {
  if (decision === 'deny') return false;
  const matched = new Set(tried.flatMap(({ rule, outcome }) => (outcome === 'matched' ? [rule] : [])));
  return rules.some((rule) => rule.tellsIdentity && matched.has(rule.id));
}

/** Everything that needs the machine is resolved here: `decide` is pure. */
export function toCall(event: HookEvent, caller: CallerChain, options: Pick<JudgeOptions, 'home' | 'at'>): GuardedCall {
  const call = toCallAtDoor(event, caller, options);
  const { tool, input, cwd, home, project } = call;
  return { ...call, uses: usesOf(tool, input, { cwd, home, projectDir: project, resolve: resolveLinks }) };
}
