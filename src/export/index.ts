export * from './export-types.ts';
export * from './run-export.ts';
export * from './served-export.ts';
