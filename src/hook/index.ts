// The small program that hosts call, and the shell stubs that call it. Three bundles: hook.ts, hosts.ts, judge.ts.
export * from './hook-stubs.ts';
export * from './server-link.ts';
