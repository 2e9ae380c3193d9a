// The audit log: hook events wait in the queue (STATE/spool) until they are drained into a chained log (STATE/audit).
// Entry: `createGuardLog` reads, verifies and drains; `startDraining` drains while a server runs.
// May import: lib, core, redact, hosts, sessions.

export * from './drain.ts';
export * from './entry.ts';
export * from './guard-log.ts';
export * from './hook-lines.ts';
export * from './log-files.ts';
export * from './queue.ts';
export * from './read-log.ts';
