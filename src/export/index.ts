export * from './run-export.ts';
export * from './served-export.ts';
