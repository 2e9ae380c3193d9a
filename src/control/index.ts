// Acts on agents: runs programs, intercepts their tool calls, resumes, messages and stops agents.
// Entry: `runShadowed`, `shadowInput`, `attachTo`, `startSession`.
// May import: lib, core, redact, hosts, sessions, audit, guard, export, cli/format, core/transcript.

export * from './attach.ts';
export * from './requests.ts';
export * from './run.ts';
export * from './run-session.ts';
export * from './session-chunk.ts';
export * from './shadow.ts';
