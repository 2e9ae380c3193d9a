// What several hosts have in common: hook settings, hook records, message parts, session ids that programs print.
// Entry: each function stands alone; hosts import them from here and never import each other.
// May import: lib, core, hosts, guard/shell.

export * from './data-folders.ts';
export * from './edit-json.ts';
export * from './genai/guarded-tools.ts';
export * from './genai/hook-payload.ts';
export * from './genai/hook-settings.ts';
export * from './genai/parts.ts';
export * from './genai/resume.ts';
export * from './genai/tools.ts';
export * from './hook-records.ts';
export * from './hook-settings.ts';
export * from './line-facts.ts';
export * from './message-places.ts';
export * from './printed-sessions.ts';
export * from './request.ts';
