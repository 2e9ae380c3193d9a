import type { GuardedCall } from '../guard/call.ts';
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
    const { decision, rule, reason } = decide(policy, toCall(event, caller, options));
    return answer(host, decision, rule?.id ?? null, reason);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return answer(host, policy?.onError ?? 'ask', null, `The guard of troupe failed: ${words}`);
  }
}

function answer(host: JudgedHost, decision: Decision, rule: string | null, reason: string): Judgement {
  return { printed: host.formatAnswer({ decision, reason }), decision, rule, reason };
}

/** Everything that needs the machine is resolved here: `decide` is pure. */
export function toCall(event: HookEvent, caller: CallerChain, options: Pick<JudgeOptions, 'home' | 'at'>): GuardedCall {
  const call = toCallAtDoor(event, caller, options);
  const { tool, input, cwd, home, project } = call;
  return { ...call, uses: usesOf(tool, input, { cwd, home, projectDir: project, resolve: resolveLinks }) };
}
