export * from './context.ts';
export * from './run-cli.ts';
