import { expect, it } from 'vitest';
import type { DiagnosticReport } from '../../../src/core/index.ts';
import { makeSession } from '../testing/make.ts';
import { placeText, problemsText } from './diagnostics.tsx';

const item = (
  code: DiagnosticReport['code'],
  severity: DiagnosticReport['severity'],
  count: number,
): DiagnosticReport => ({
  code,
  severity,
  count,
  text: '',
  examples: [],
});
const session = (...items: readonly DiagnosticReport[]) =>
  makeSession({ diagnostics: { total: 0, ignoredFiles: 0, items } });

it('counts the lines that were not understood, over all sessions, and the rest apart', () => {
  expect(problemsText([session()])).toBe('');
  expect(problemsText([session(item('invalid-json', 'data-loss', 1))])).toBe('1 line not understood');
  expect(problemsText([session(item('unknown-record', 'info', 9)), session(item('nul-bytes', 'data-loss', 3))])).toBe(
    '12 lines not understood',
  );
  expect(problemsText([session(item('missing-transcript', 'data-loss', 2))])).toBe('2 problems');
  expect(problemsText([session(item('invalid-json', 'data-loss', 2), item('missing-parent', 'error', 1))])).toBe(
    '2 lines not understood · 1 other problem',
  );
});

it('a last line without its end is only late, and a comment is nothing', () => {
  expect(problemsText([session(item('torn-line', 'info', 1), item('comment-line', 'info', 1))])).toBe('');
});

it('names the file and the byte', () => {
  expect(placeText({ detail: '', source: '/a.jsonl', offset: 12, length: 3 })).toBe('/a.jsonl at byte 12');
  expect(placeText({ detail: '', source: '/a.jsonl', offset: null, length: null })).toBe('/a.jsonl');
  expect(placeText({ detail: '', source: null, offset: null, length: null })).toBeUndefined();
});
