import { describe, expect, it } from 'vitest';
import { changesIn, changesOfCall } from './message-blocks.ts';

describe('lines that a call changed', () => {
  it('by the patch that the host wrote', () => {
    const structuredPatch = [
      { oldStart: 1, lines: [' a', '-b', '+c', '+d'] },
      { oldStart: 9, lines: ['-e', '\\ No newline at end of file'] },
    ];
    expect(changesIn({ filePath: '/f', structuredPatch })).toEqual([{ path: '/f', added: 2, removed: 2 }]);
    expect(changesIn({ type: 'create', filePath: '/f', content: 'a\nb\n', structuredPatch: [] })).toEqual([
      { path: '/f', added: 2, removed: 0 },
    ]);
    expect(changesIn({ stdout: 'x' })).toEqual([]);
    expect(changesIn({ filePath: '/f', structuredPatch: [null, { lines: 'odd' }, { lines: [1, null] }] })).toEqual([
      { path: '/f', added: 0, removed: 0 },
    ]);
  });

  it('by what the call was given', () => {
    const edit = { file_path: '/f', old_string: 'a\nb\nc', new_string: 'a\nB\nc\nd' };
    expect(changesOfCall('Edit', edit, 'ok')).toEqual([{ path: '/f', added: 2, removed: 1 }]);
    expect(changesOfCall('Edit', { ...edit, replace_all: true }, 'ok')).toEqual([
      { path: '/f', added: null, removed: null },
    ]);
    const edits = [
      { old_string: '', new_string: 'new\nfile\n' },
      { old_string: 'x', new_string: 'y' },
    ];
    expect(changesOfCall('MultiEdit', { file_path: '/f', edits }, 'ok')).toEqual([
      { path: '/f', added: 3, removed: 1 },
    ]);
    const write = { file_path: '/f', content: 'a\nb' };
    expect(changesOfCall('Write', write, 'File created successfully at: /f')).toEqual([
      { path: '/f', added: 2, removed: 0 },
    ]);
    expect(changesOfCall('Write', write, 'The file /f has been updated.')).toEqual([
      { path: '/f', added: null, removed: null },
    ]);
    const cell = { notebook_path: '/n.ipynb', new_source: 'a\n', edit_mode: 'insert' };
    expect(changesOfCall('NotebookEdit', cell, 'Inserted cell')).toEqual([{ path: '/n.ipynb', added: 1, removed: 0 }]);
    expect(changesOfCall('Bash', { command: 'rm x' }, '')).toEqual([]);
  });
});
