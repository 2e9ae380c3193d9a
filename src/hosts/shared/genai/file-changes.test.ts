import { describe, expect, it } from 'vitest';
import { changesOf } from './tools.ts';

describe('lines that a call changed', () => {
  it('by what the host shows of it', () => {
    const display = { filePath: '/p/a', diffStat: { model_added_lines: 2, model_removed_lines: 1 } };
    expect(changesOf('replace', { file_path: 'a' }, display, '')).toEqual([{ path: '/p/a', added: 2, removed: 1 }]);
  });

  it('else by what it was given', () => {
    const edit = { file_path: 'a', old_string: 'one\ntwo', new_string: 'one\nthree\nfour' };
    expect(changesOf('edit', edit, undefined, '')).toEqual([{ path: 'a', added: 2, removed: 1 }]);
    expect(changesOf('edit', { ...edit, replace_all: true }, undefined, '')).toEqual([
      { path: 'a', added: null, removed: null },
    ]);
    const written = { file_path: 'b', content: 'x\ny\n' };
    expect(changesOf('write_file', written, undefined, 'Successfully created and wrote to new file: b')).toEqual([
      { path: 'b', added: 2, removed: 0 },
    ]);
    expect(changesOf('write_file', written, undefined, 'Successfully overwrote file')).toEqual([
      { path: 'b', added: null, removed: null },
    ]);
    expect(changesOf('run_shell_command', { command: 'rm b' }, undefined, '')).toEqual([]);
  });
});
