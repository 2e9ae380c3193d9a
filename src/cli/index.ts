// The command line: commands, help, doctor, installing hooks. `context.ts` says what each service may change.
// Entry: `runCli`; `Services` is what main.ts hands in.
// May import: lib, core, hosts, sessions, audit, guard, control, export, notify, hook, server, tui, cli/format.

export * from './context.ts';
export * from './run-cli.ts';
