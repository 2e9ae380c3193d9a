import { groupBy } from '../lib/group.ts';
import type { EventOrigin } from './event.ts';

/** info: nothing is lost. error: something is wrong and was worked around. data-loss: something could not be read. */
export type Severity = 'info' | 'error' | 'data-loss';

/** Persisted and shown: never rename one. */
export const DIAGNOSTICS = {
  'unknown-record': { severity: 'info', text: 'a kind of line that troupe does not know' },
  'torn-line': { severity: 'info', text: 'a last line without its end' },
  'invalid-json': { severity: 'data-loss', text: 'a line that is not JSON' },
  'not-a-record': { severity: 'data-loss', text: 'a line that is JSON, but no record' },
  'glued-lines': { severity: 'error', text: 'a damaged line from which whole records were saved' },
  'comment-line': { severity: 'info', text: 'a comment' },
  'nul-bytes': { severity: 'data-loss', text: 'a line of zeroes, as a crash of the machine leaves it' },
  'line-too-long': { severity: 'data-loss', text: 'a line over the size limit' },
  'unreadable-file': { severity: 'data-loss', text: 'a file that could not be read' },
  'reader-failed': { severity: 'data-loss', text: 'a file at which troupe itself failed; the others were read' },
  'missing-transcript': { severity: 'data-loss', text: 'an agent whose transcript is not there' },
  'missing-parent': { severity: 'error', text: 'an agent whose parent was never seen' },
  'ambiguous-link': { severity: 'error', text: 'an agent that several calls may have made' },
  'link-cycle': { severity: 'error', text: 'a link that would make an agent its own ancestor' },
} as const satisfies Record<string, { severity: Severity; text: string }>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** What exactly: the unknown type, the error's text, the id that is missing. */
  readonly detail: string;
  readonly origin?: EventOrigin;
}

/** How often, and the first places: a million bad lines must not fill the memory. */
export interface DiagnosticCount {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly count: number;
  readonly examples: readonly Diagnostic[];
}

export const MAX_EXAMPLES = 5;

/** Adds up by code; the examples are the first places, in the order of files and lines. */
export function countDiagnostics(
  found: Iterable<{ readonly count: number; readonly examples: readonly Diagnostic[] }>,
): readonly DiagnosticCount[] {
  return [...groupBy(found, ({ examples }) => examples[0]?.code)]
    .flatMap(([code, list]) => (code === undefined ? [] : [{ code, list }]))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, list }) => ({
      code,
      severity: DIAGNOSTICS[code].severity,
      count: list.reduce((sum, { count }) => sum + count, 0),
      examples: list
        .flatMap(({ examples }) => examples)
        .sort(byPlace)
        .slice(0, MAX_EXAMPLES),
    }));
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const left = a.origin?.source ?? '';
  const right = b.origin?.source ?? '';
  if (left !== right) return left < right ? -1 : 1;
  if (a.origin?.offset !== b.origin?.offset) return (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0);
  return a.detail < b.detail ? -1 : a.detail > b.detail ? 1 : 0;
}
