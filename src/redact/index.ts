export * from './create-redactor.ts';
export * from './custom-patterns.ts';
export * from './finding.ts';
export * from './mask-secrets.ts';
export * from './walk-strings.ts';
