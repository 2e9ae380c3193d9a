// The guard: decides about tool calls by policy, and holds approval requests. `policy/` loads, `match/` compares, `shell/` analyses.
// Entry: `judgeCall`, `createPolicyControl`, `createGuardQueries`, `createPendingApprovals` (approvals).
// May import: lib, core, redact, hosts, sessions, audit, guard/shell.

export * from './approvals/approval-key.ts';
export * from './approvals/approvals.ts';
export * from './approvals/ask-at-terminal.ts';
export * from './approvals/host-questions.ts';
export * from './budget-judge.ts';
export { type BudgetNote, type BudgetVerdict, measureRun, type Raised } from './budgets.ts';
export * from './callers.ts';
export * from './described-call.ts';
export * from './guard-queries.ts';
export * from './identity.ts';
export * from './judge-call.ts';
export { midnightBefore } from './measured-usage.ts';
export * from './policy/load-policy.ts';
export * from './policy/read-results-file.ts';
export { projectRoot } from './policy/sources.ts';
export { BUDGET_LIMITS, type Budget, type BudgetLimit, type McpPolicy, type Policy } from './policy.ts';
export * from './policy-control.ts';
export * from './pre-check.ts';
