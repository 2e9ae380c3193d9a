import type { ExplainedCall, ExplainedPath, ExplainedUses, GuardExplanation } from '../../core/index.ts';
import { explain } from '../decide.ts';
import type { GuardedCall } from '../guarded-call.ts';
import type { Policy } from '../policy.ts';
import type { CallUses, UsedPath } from '../shell/index.ts';
import { toExplainedRule } from './explained-rule.ts';
import { suggestAllow } from './suggest-allow.ts';

/** What the guard says to a call, and how it comes to it. `ownFile`: the person's own policy. */
export function explainCall(policy: Policy, call: GuardedCall, ownFile: string | null = null): GuardExplanation {
  const { decision, rule, reason, ancestor, tried } = explain(policy, call);
  const rules = new Map(policy.rules.map((one) => [one.id, toExplainedRule(one)]));
  return {
    call: toExplainedCall(call),
    decision,
    rule: rule && toExplainedRule(rule),
    reason,
    ancestor,
    recorded: null,
    caveats: [],
    uses: toExplainedUses(call.uses),
    tried: tried.flatMap(({ rule: id, ...trial }) => {
      const told = rules.get(id);
      return told ? [{ rule: told, ...trial }] : [];
    }),
    suggestion: decision === 'deny' || decision === 'ask' ? suggestAllow(policy, call, ownFile) : null,
  };
}

/** For a call of which too little is known. */
export function unjudged(call: GuardedCall): GuardExplanation {
  return {
    call: toExplainedCall(call),
    decision: null,
    rule: null,
    reason: null,
    ancestor: null,
    recorded: null,
    caveats: [],
    uses: null,
    tried: [],
    suggestion: null,
  };
}

function toExplainedCall({ agent, ancestors, host, project, cwd, tool, input, at }: GuardedCall): ExplainedCall {
  return { agent, ancestors, host, project, cwd, tool, input, at: new Date(at).toISOString() };
}

function toExplainedUses({ commands, reads, writes, hosts, unknown, unproven }: CallUses): ExplainedUses {
  return {
    commands: commands.map(({ text, isDynamic, wrappers }) => ({ text, isDynamic, wrappers })),
    reads: reads.map(toExplainedPath),
    writes: writes.map(toExplainedPath),
    hosts,
    unknown: unknown ?? unproven,
  };
}

/** What is meant below a path is kept with marks that nobody can read. */
function toExplainedPath({ path, below, via }: UsedPath): ExplainedPath {
  return { path, isFolder: below !== null, via };
}
