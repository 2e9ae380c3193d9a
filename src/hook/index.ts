// The small program that hosts call before each tool call, and the shell stubs that start it.
// Entry: `writeHookStubs`. Three programs are built from here: `hook.ts`, `hosts.ts`, `judge.ts`.
// May import: lib, hosts, audit, guard.

export * from './hook-stubs.ts';
export * from './server-link.ts';
