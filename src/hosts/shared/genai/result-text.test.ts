import { describe, expect, it } from 'vitest';
import { readResult, shownResult } from './tools.ts';

// Results as they stand in recordings, and commands that print the same words.

describe('what a call gave back', () => {
  it.each([
    ['Output: 2\nProcess Group PGID: 15640', { text: '2' }],
    [
      '<untrusted_context>\nOutput: oops\nExit Code: 3\nProcess Group PGID: 20696\n</untrusted_context>',
      { text: 'oops', exitCode: 3 },
    ],
    [
      'Command: wc -l a\nDirectory: (root)\nOutput: 2 a\n4 total\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)',
      { text: '2 a\n4 total' },
    ],
    [
      'Command: cat <<E\nDirectory of it\nE\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 7',
      { text: '', exitCode: 1 },
    ],
    ['Output: Exit Code: 3\nmore\nProcess Group PGID: 7', { text: 'Exit Code: 3\nmore' }],
    ['Successfully created and wrote to new file: /a', { text: 'Successfully created and wrote to new file: /a' }],
    ['', { text: '' }],
  ])('%j', (raw, expected) => {
    expect(readResult(raw)).toEqual(expected);
  });

  it('an exit that was no success stays in sight', () => {
    expect(shownResult('Output: oops\nExit Code: 3\nProcess Group PGID: 7')).toBe('Exit code 3\noops');
  });
});
