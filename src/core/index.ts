// Everything of the model in one place, for those outside of it who want a whole (the browser, the library).
export * from './build-tree.ts';
export * from './diagnostic.ts';
export * from './event.ts';
export * from './ids.ts';
export * from './join-trees.ts';
export * from './ledger.ts';
export * from './link.ts';
export * from './ports.ts';
export * from './reduce.ts';
export * from './select.ts';
export * from './snapshot.ts';
export * from './transcript.ts';
export * from './tree.ts';
export * from './usage.ts';
