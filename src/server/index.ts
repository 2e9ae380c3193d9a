export * from './approval-control.ts';
export * from './call-broker.ts';
export * from './control.ts';
export * from './follow.ts';
export * from './serve.ts';
export * from './serve-feed.ts';
export * from './served-feed.ts';
export * from './server-control.ts';
