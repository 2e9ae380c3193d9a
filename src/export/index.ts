// Sessions as pages to share: HTML, Markdown, JSON or one file, redacted.
// Entry: `runExport`; `createServedExport` for downloads from the server.
// May import: lib, core, redact, hosts, sessions, audit, core/transcript.

export * from './decisions.ts';
export * from './parse-document.ts';
export * from './redact-input.ts';
export * from './run-export.ts';
export * from './served-export.ts';
