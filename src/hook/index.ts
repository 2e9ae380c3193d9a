export * from './failure-script.ts';
export * from './hook-address.ts';
export * from './hook-request.ts';
export * from './hook-stubs.ts';
