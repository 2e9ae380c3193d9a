// The contract with the coding agents (hosts). `registry.ts` lists them, each in its own folder and loaded only when needed.
// Entry: `SourceAdapter` and the types of its capabilities; other rooms get adapters from `registry.ts`.
// May import: lib, core, hosts/*.

export * from './adapter.ts';
export * from './adapter-stream.ts';
export * from './control.ts';
export * from './hook.ts';
