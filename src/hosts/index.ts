export * from './adapter.ts';
export * from './adapter-stream.ts';
export * from './control.ts';
export * from './hook.ts';
