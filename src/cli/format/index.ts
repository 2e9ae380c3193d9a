export * from './audit-lines.ts';
export * from './guard-lines.ts';
export * from './hooks-lines.ts';
export * from './session-table.ts';
export * from './transcript-lines.ts';
export * from './tree-lines.ts';
