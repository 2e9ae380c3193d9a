// The domain: facts, ledger, tree, reports, and texts that all UIs share. Pure: no Node modules, runs in the browser.
// Entry: `reduce` and `buildTree` turn facts into a tree; `computeTree` and its siblings turn a tree into reports.
// May import: lib.

export * from './approval.ts';
export * from './build-tree.ts';
export * from './events.ts';
export * from './ids.ts';
export * from './join-trees.ts';
export * from './ledger.ts';
export * from './ledger-index.ts';
export * from './lifecycle.ts';
export * from './link.ts';
export * from './ports.ts';
export * from './query.ts';
export * from './reduce.ts';
export * from './reports/audit.ts';
export * from './reports/explanation.ts';
export * from './reports/export.ts';
export * from './reports/guard.ts';
export * from './reports/hooks.ts';
export * from './reports/identity.ts';
export * from './reports/live.ts';
export * from './reports/prices.ts';
export * from './reports/shapes.ts';
export * from './reports/timeline.ts';
export * from './reports/tree.ts';
export * from './resume.ts';
export * from './settle.ts';
export * from './text/agent-texts.ts';
export * from './text/clean-text.ts';
export * from './text/format.ts';
export * from './text/guard-texts.ts';
export * from './text/layout.ts';
export * from './text/view.ts';
export * from './transcript.ts';
export * from './tree.ts';
export * from './usage.ts';
