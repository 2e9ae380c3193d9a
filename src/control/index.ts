export * from './attach.ts';
export * from './requests.ts';
export * from './run.ts';
export * from './run-session.ts';
export * from './session-chunk.ts';
export * from './shadow.ts';
