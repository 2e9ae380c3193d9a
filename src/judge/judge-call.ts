import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { HooksCapability } from '../adapters/adapter.ts';
import type { GuardedAgent, GuardedCall } from '../guard/call.ts';
import { decide } from '../guard/decide.ts';
import type { Decision, Policy, Rule } from '../guard/policy.ts';
import { usesOf } from '../guard/tools/uses-of.ts';
import type { CallerChain, CallingAgent, HookEvent } from '../model/hook.ts';

/** The part of a host that a judgement needs. */
export type JudgedHost = Pick<HooksCapability, 'read' | 'callerOf' | 'formatAnswer'>;

export interface JudgeOptions {
  readonly host: JudgedHost;
  /** Which policy holds in a project. Whatever goes wrong there is in the policy: it never throws. */
  readonly policyFor: (folder: string) => Policy;
  /** Where it was looked up before. */
  readonly caller?: CallerChain;
  readonly home: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface AskWait extends NonNullable<Rule['wait']> {
  /** For the person: what the rule says of itself. */
  readonly why: string;
}

export interface Judgement {
  /** What the hook is to print. */
  readonly printed: string;
  readonly decision: Decision;
  /** The rule that won. */
  readonly rule: string | null;
  readonly reason: string;
  /** Of an ask: troupe itself waits for an answer (`answer-ask.ts`). Left out: the host asks. */
  readonly wait?: AskWait;
}

/**
 * A call as its host tells it → what its hook answers. The same for the server and for the hook that stands alone. Never
 * throws: what goes wrong inside ends in the policy's `on_error`, as an answer.
 */
export function judgeCall(payload: unknown, options: JudgeOptions): Judgement {
  const { host } = options;
  let policy: Policy | undefined;
  try {
    const event = host.read(payload);
    if (event && !event.call) return NO_OPINION;
    if (!event) {
      policy = options.policyFor(process.cwd());
      throw new Error('what it was told is no call of this host');
    }
    const caller = options.caller ?? host.callerOf(payload);
    policy = options.policyFor(caller.project ?? event.cwd ?? '/');
    if (isSilent(policy)) return NO_OPINION;
    const { decision, rule, reason, wait } = decide(policy, toCall(event, caller, options));
    return {
      ...answer(host, decision, rule?.id ?? null, reason),
      ...(wait && { wait: { ...wait, why: whyOf(rule, reason) } }),
    };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return answer(host, policy?.onError ?? 'ask', null, `The guard of troupe failed: ${words}`);
  }
}

const NO_OPINION: Judgement = { printed: '', decision: 'none', rule: null, reason: 'no rule is about it' };

/** No need to take a command apart for it. */
export function isSilent({ rules, defaults }: Policy): boolean {
  return rules.length === 0 && Object.values(defaults).every((decision) => decision === 'none');
}

function answer(host: JudgedHost, decision: Decision, rule: string | null, reason: string): Judgement {
  return { printed: host.formatAnswer({ decision, reason }), decision, rule, reason };
}

/** Who is asked sees the call: what matters is why one asks. */
function whyOf(rule: Rule | null, reason: string): string {
  return [rule?.name, rule?.reason].filter((text) => text).join(': ') || reason;
}

/** Everything that needs the machine is resolved here: `decide` is pure. */
export function toCall(
  event: HookEvent,
  { agent, ancestors, project: began }: CallerChain,
  { home, at }: Pick<JudgeOptions, 'home' | 'at'>,
): GuardedCall {
  const { call, cwd = null, host } = event;
  const tool = call?.tool ?? '';
  const input = call?.input ?? null;
  const folder = began ?? cwd;
  const project = folder === null ? null : resolveLinks(folder);
  return {
    agent: agent && toAgent(agent),
    ancestors: ancestors.map(toAgent),
    host,
    project,
    cwd,
    home,
    tool,
    input,
    uses: usesOf(tool, input, { cwd, home, projectDir: project, resolve: resolveLinks }),
    at,
    offsetMinutes: -new Date(at).getTimezoneOffset(),
  };
}

function toAgent({ kind, type, name, depth }: CallingAgent): GuardedAgent {
  return { kind, type, name, depth };
}

/** As far as it exists: a file that is about to be made lies where its folder really is. */
export function resolveLinks(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(resolveLinks(above), path.basename(place));
  }
}
