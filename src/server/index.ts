export * from './call-broker.ts';
export * from './control.ts';
export * from './follow.ts';
export * from './request-server.ts';
export * from './serve.ts';
export * from './served-feed.ts';
export * from './server-control.ts';
