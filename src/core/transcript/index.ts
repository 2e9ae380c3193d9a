// How transcripts are shown: Markdown, diffs, folding, search, what a tool call is shown as. Pure, shared by all UIs.
// Entry: `cleanMessage`, `partsOf`, `describeCall`, `parseMarkdown`.
// May import: lib, core.

export * from './describe-call.ts';
export * from './diff-rows.ts';
export * from './folding.ts';
export type { CodePiece } from './highlight-code.ts';
export * from './markdown.ts';
export * from './messages.ts';
export * from './search.ts';
