import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { examineState } from './examine-state.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
let state: string;
beforeEach(() => {
  state = makeTemporaryFolder('state');
});

const at = (...names: string[]): string => path.join(state, ...names);

async function found(folder = state): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for await (const finding of examineState(folder, () => NOW)) all.push(finding);
  return all;
}
const codes = async (folder?: string) => (await found(folder)).map(({ level, code }) => `${level} ${code}`);

describe('our own files', () => {
  it('are good, missing, or readable by others', async () => {
    mkdirSync(at('spool'));
    expect(await codes()).toEqual(['good state-own', 'good spool-empty']);
    expect(await codes(at('none'))).toEqual(['note state-none']);
    chmodSync(state, 0o755);
    expect(await codes()).toContain('warning state-open');
  });

  it('are reported when they are in place of folders', async () => {
    writeFileSync(at('audit'), '');
    writeFileSync(at('spool'), '');
    expect(await codes()).toEqual(['good state-own', 'problem state-unusable', 'problem spool-unusable']);
    expect(await codes(at('audit'))).toEqual(['problem state-unusable']);
    rmSync(at('spool'));
    mkdirSync(at('spool'));
    writeFileSync(at('spool', 'bad'), '');
    expect(await codes()).toEqual([
      'good state-own',
      'problem state-unusable',
      'good spool-empty',
      'problem state-unusable',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('are reported when troupe may not use them', async () => {
    mkdirSync(at('audit'));
    chmodSync(at('audit'), 0o500);
    expect(await codes()).toContain('problem state-unusable');
    chmodSync(state, 0o000);
    expect(await codes()).toEqual(['problem state-unusable']);
    chmodSync(state, 0o700);
  });

  it('are counted as queued, unfinished and unreadable events', async () => {
    mkdirSync(at('spool', 'bad'), { recursive: true });
    for (const name of ['a.1.0.json', '.new-a.1.1', '.new-a.1.2', 'bad/a.1.3.json@1', 'bad-a.1.4.json@1'])
      writeFileSync(at('spool', name), '');
    utimesSync(at('spool', '.new-a.1.1'), new Date(NOW), new Date(NOW));
    utimesSync(at('spool', '.new-a.1.2'), new Date(0), new Date(0));
    const texts = (await found()).map(({ text }) => text);
    expect(texts).toContain(`Waiting in the spool: 1 event of hooks (${at('spool')})`);
    expect(texts).toContain('Never finished, because their programs were ended in the middle: 1 event');
    expect(texts).toContain(`Not understood, and kept in ${at('spool', 'bad')}: 1 event`);
    expect(texts).toContain(`Not understood, and kept in ${at('spool', 'bad-*')}: 1 event`);
  });

  it.each([
    ['Sun Nov 15 16:08:01 UTC 2026 /s/bin/guard claude-code: nobody could be asked\n', 'nobody could be asked'],
    ['', 'there was not even room to say why'],
  ])('show that a hook failed (%j)', async (text, words) => {
    writeFileSync(at('hook-failure'), text);
    utimesSync(at('hook-failure'), new Date(NOW), new Date(NOW));
    const failure = (await found()).find(({ code }) => code === 'hook-failure');
    expect(failure).toMatchObject({ level: 'warning', remedy: expect.stringContaining(at('hook-failure')) });
    expect(failure?.text).toContain('last on 2026-11-15T12:00:00.000Z');
    expect(failure?.text).toContain(words);
  });

  it('show the last mistake of a hook', async () => {
    writeFileSync(at('hook-errors.log'), '2026-11-14T00:00:00.000Z first\n    at x\n2026-11-15T00:00:00.000Z last\n');
    expect((await found()).at(-1)).toMatchObject({ code: 'hook-errors', text: expect.stringContaining('Z last') });
  });
});
