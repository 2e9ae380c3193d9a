import { expect, it } from 'vitest';
import { inputFields } from './call-words.ts';

it('shows texts as they are, with all of their lines, and everything else as JSON', () => {
  expect(inputFields({ command: 'ls\nrm -rf build', timeout: 5, edits: [{ a: 'b' }] })).toEqual([
    { name: 'command', text: 'ls\nrm -rf build' },
    { name: 'timeout', text: '5' },
    { name: 'edits', text: '[\n  {\n    "a": "b"\n  }\n]' },
  ]);
});

it('is never empty', () => {
  for (const [input, text] of [
    [null, 'null'],
    [{}, '{}'],
    ['', ''],
    [[1], '[\n  1\n]'],
  ])
    expect(inputFields(input)).toEqual([{ name: '', text }]);
});
