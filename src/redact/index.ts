// Finds and masks secrets and personal data in everything that leaves the machine. Pure: no Node modules.
// Entry: `createRedactor` for exports, `maskValue` and `maskText` for single values.
// May import: lib, core.

export * from './create-redactor.ts';
export * from './custom-patterns.ts';
export * from './finding.ts';
export * from './mask-secrets.ts';
export type { ValueDecision } from './review.ts';
export * from './walk-strings.ts';
