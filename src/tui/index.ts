export * from './run-watch.ts';
