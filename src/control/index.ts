export * from './attach.ts';
export * from './call-broker.ts';
export * from './create-attach.ts';
export * from './run.ts';
export * from './run-session.ts';
export * from './session-chunk.ts';
export * from './shadow-input.ts';
export * from './shadow-request.ts';
