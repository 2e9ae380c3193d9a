import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { editText } from './edit-file.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeTemporaryFolder('edit');
  file = path.join(folder, 'settings.json');
});

describe('editFile', () => {
  /** Somebody writes `times` times, each time between our look and our writing. */
  async function editAgainst(
    times: number,
  ): Promise<{ readonly kept: readonly string[]; readonly edit: Promise<unknown> }> {
    writeFileSync(file, '0');
    const kept: string[] = [];
    let count = 0;
    const edit = editText(file, {
      change: (text = '') => (text.endsWith('+ours') ? text : `${text}+ours`),
      keep: async ({ before = '' }) => {
        kept.push(before);
        if (count < times) writeFileSync(file, `${++count}`);
        return async () => {
          kept.splice(kept.indexOf(before), 1);
        };
      },
    });
    await edit.catch(() => undefined);
    return { kept, edit };
  }

  it('applies the edit again when another program changed the file meanwhile', async () => {
    const { kept, edit } = await editAgainst(5);
    expect(await edit).toEqual({ before: '5', after: '5+ours' });
    expect(kept).toEqual(['5']);
    expect(readFileSync(file, 'utf8')).toBe('5+ours');
  });

  it('fails and changes nothing when the file keeps changing', async () => {
    const { kept, edit } = await editAgainst(Number.POSITIVE_INFINITY);
    await expect(edit).rejects.toMatchObject({ code: 'settings-busy' });
    expect(kept).toEqual([]);
  });
});
