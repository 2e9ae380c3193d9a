// What was read of sessions before, in a database of the state folder: sessions whose files are unchanged need not be read again.
// Entry: `openHistory`; `createSearch` for their text.
// May import: lib, core, hosts, sessions.

export * from './control.ts';
export * from './history.ts';
export * from './prune.ts';
export * from './search.ts';
