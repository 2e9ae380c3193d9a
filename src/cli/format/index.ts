// What the terminal prints: reports as lines of text.
// Entry: `formatTree`, `formatSessions`, `formatTranscript` and others, each a report and options in, lines out.
// May import: lib, core, core/transcript.

export * from './audit-lines.ts';
export * from './guard-lines.ts';
export * from './hooks-lines.ts';
export * from './search-lines.ts';
export * from './session-table.ts';
export * from './spend-lines.ts';
export * from './transcript-lines.ts';
export * from './tree-lines.ts';
