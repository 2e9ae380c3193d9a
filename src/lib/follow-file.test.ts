import { appendFileSync, chmodSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDocumentCursor, createLineCursor } from './follow-file.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const work = makeTemporaryFolder('follow');

function following(name: string, text: string, create = createLineCursor) {
  const file = path.join(work, name);
  writeFileSync(file, text);
  const cursor = create(file);
  const lines: string[] = [];
  const look = () =>
    cursor.look(({ bytes, torn }) => lines.push(`${Buffer.from(bytes).toString()}${torn ? ' (torn)' : ''}`));
  return { file, lines, look };
}

describe('followFile', () => {
  afterEach(() => vi.restoreAllMocks());

  it('passes on new lines, and a torn last line again when it has grown', async () => {
    const { file, lines, look } = following('grows', 'one\ntw');
    expect(await look()).toBe('news');
    appendFileSync(file, 'o\n');
    expect(await look()).toBe('news');
    expect(lines).toEqual(['one', 'tw (torn)', 'two']);
  });

  it('reads the file again when a torn line was replaced, even the first', async () => {
    for (const [name, before] of [
      ['torn-first', ''],
      ['torn-last', 'one\n'],
    ] as const) {
      const { file, look } = following(name, `${before}{"type":"user"`);
      expect(await look()).toBe('news');
      appendFileSync(file, ',"more"');
      expect(await look()).toBe('news');
      writeFileSync(file, `${before}{"agentType":"x","isBuilt":"and longer than it was"`);
      expect(await look()).toBe('replaced');
    }
  });

  it.each([
    ['a few lines', 1],
    ['more than is read at once', 4_000],
  ])('reads the file again when %s were added and its beginning has changed', async (_, count) => {
    const rest = `${'x'.repeat(200)}\n`;
    const { file, look } = following(`beginning-${count}`, `first\n${rest}`);
    expect(await look()).toBe('news');
    appendFileSync(file, rest);
    expect(await look()).toBe('news');
    writeFileSync(file, `other\n${rest.repeat(2 + count)}`);
    expect(await look()).toBe('replaced');
  });

  it('reads the file again when it was edited in place without a change of size', async () => {
    const { file, look } = following('edited', `first\n${'x'.repeat(200)}\n`);
    await look();
    utimesSync(file, 1, 1);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30);
    expect(await look()).toBe('replaced');
  });

  it('reads the file again when it was edited during the read', async () => {
    const { file, lines, look } = following('moment', '{"a":1}', createDocumentCursor);
    await look();
    writeFileSync(file, '{"a":2}');
    expect(await look()).toBe('news');
    expect(lines).toEqual(['{"a":1}', '{"a":2}']);
  });

  it('does not read the file again when only its permissions change', async () => {
    const { file, look } = following('rights', 'one\n');
    await look();
    chmodSync(file, 0o600);
    expect(await look()).toBe('nothing');
  });

  it('reads the file when its last line is very long', async () => {
    const { file, lines, look } = following('long', 'x'.repeat(1_100_000));
    await look();
    appendFileSync(file, 'y');
    expect(await look()).toBe('news');
    appendFileSync(file, '\n');
    expect(await look()).toBe('later');
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_050);
    expect(await look()).toBe('news');
    expect(lines.at(-1)).toBe(`${'x'.repeat(1_100_000)}y`);
  });
});
