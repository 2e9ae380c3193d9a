import { type DiagnosticCode, type DiagnosticReport, plural, type SessionDetail } from '../../../src/core/index.ts';

/** A line that was there and could not be made use of. A torn last line is only late; a comment is none. */
const LINES: readonly DiagnosticCode[] = [
  'unknown-record',
  'invalid-json',
  'not-a-record',
  'glued-lines',
  'nul-bytes',
  'line-too-long',
];

/** 12 lines not understood · 1 other problem. Empty where there is none. */
export function problemsText(sessions: readonly SessionDetail[]): string {
  const items = sessions.flatMap(({ diagnostics }) => diagnostics.items);
  const lines = countOf(items.filter(({ code }) => LINES.includes(code)));
  const others = countOf(items.filter(({ code, severity }) => !LINES.includes(code) && severity !== 'info'));
  return [
    ...(lines > 0 ? [`${plural(lines, 'line')} not understood`] : []),
    ...(others > 0 ? [plural(others, lines > 0 ? 'other problem' : 'problem')] : []),
  ].join(' · ');
}

function countOf(items: readonly DiagnosticReport[]): number {
  return items.reduce((sum, { count }) => sum + count, 0);
}

/** The file, and the byte at which it begins. */
export function placeText({ source, offset }: DiagnosticReport['examples'][number]): string | undefined {
  if (source === null) return undefined;
  return offset === null ? source : `${source} at byte ${offset}`;
}
