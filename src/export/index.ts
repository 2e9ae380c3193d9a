// Sessions as pages to share: HTML, Markdown, JSON or one file, redacted.
// Entry: `runExport`; `createServedExport` for downloads from the server.
// May import: lib, core, redact, hosts, sessions, audit, core/transcript.

import type { ExportOutcome, ExportRequest } from './run-export.ts';

export * from './decisions.ts';
export * from './parse-document.ts';
export * from './redact-input.ts';
export type * from './run-export.ts';
export * from './served-export.ts';

/** Loads what draws pages: half of the program, and a server leaves it to another process. */
export async function runExport(request: ExportRequest): Promise<ExportOutcome> {
  return (await import('./run-export.ts')).runExport(request);
}
