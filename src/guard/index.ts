// The guard: what a policy says to a tool call, and the approval requests that follow. `policy/` reads and compiles policies,
// `match/` holds patterns against calls, `shell/` says what a command does (a room of its own, without Node).
export * from './approvals/approvals.ts';
export * from './approvals/ask-at-terminal.ts';
export * from './approvals/host-questions.ts';
export * from './described-call.ts';
export * from './guard-queries.ts';
export * from './identity.ts';
export * from './judge-call.ts';
export * from './policy/load-policy.ts';
export * from './policy/read-results-file.ts';
export * from './policy-control.ts';
export * from './pre-check.ts';
