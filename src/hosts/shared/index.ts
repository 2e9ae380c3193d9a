export * from './genai/guarded-tools.ts';
export * from './genai/parts.ts';
export * from './genai/resume.ts';
export * from './genai/tools.ts';
export * from './hook-records.ts';
export * from './hook-settings.ts';
export * from './message-places.ts';
export * from './printed-sessions.ts';
