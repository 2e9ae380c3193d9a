import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeyReader, type Key } from './keys.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function readAll(chunks: readonly string[], waitMs = 1000): readonly string[] {
  const keys: Key[] = [];
  const reader = createKeyReader((key) => keys.push(key));
  for (const chunk of chunks) reader.read(chunk);
  vi.advanceTimersByTime(waitMs);
  return keys.map(sayKey);
}

const sayKey = (key: Key): string =>
  key.kind === 'named' ? key.name : `${key.kind === 'typed' ? '' : 'paste:'}«${key.text}»`;

describe('parsing keys', () => {
  it.each([
    ['arrows', '\u001b[A\u001b[B\u001b[C\u001b[D', ['up', 'down', 'right', 'left']],
    [
      'arrows of the application mode',
      '\u001bOA\u001bOB\u001bOC\u001bOD\u001bOH\u001bOF\u001bOM',
      ['up', 'down', 'right', 'left', 'home', 'end', 'enter'],
    ],
    [
      'the block above them',
      '\u001b[5~\u001b[6~\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[7~\u001b[8~',
      ['pageup', 'pagedown', 'home', 'end', 'home', 'end', 'home', 'end'],
    ],
    ['with shift or control held', '\u001b[1;5A\u001b[5;2~', ['up', 'pageup']],
    [
      'named control characters',
      '\r\n\t\u007f\b\u0003\u000c\u001a',
      ['enter', 'enter', 'tab', 'backspace', 'backspace', 'ctrl-c', 'ctrl-l', 'ctrl-z'],
    ],
    ['what nobody asked for', '\u001b[2~\u001b[15~\u001b[<0;3;4M\u0000\u0007', []],
    ['characters as people count them', 'aé日👍🏽e\u0301', ['«a»', '«é»', '«日»', '«👍🏽»', '«e\u0301»']],
    ['escape, then a letter', '\u001bq', ['escape', '«q»']],
    ['escape twice', '\u001b\u001b', ['escape', 'escape']],
    ['escape before an arrow', '\u001b\u001b[A', ['escape', 'up']],
  ])('%s', (_name, input, expected) => {
    expect(readAll([input])).toEqual(expected);
  });

  it('recognises a lone escape after a moment', () => {
    expect(readAll(['\u001b'], 20)).toEqual([]);
    expect(readAll(['\u001b'], 60)).toEqual(['escape']);
  });

  it('keeps the rest of a torn sequence with it', () => {
    expect(readAll(['\u001b', '[', 'A'])).toEqual(['up']);
    expect(readAll(['\u001b[1;', '5', 'B', 'x'])).toEqual(['down', '«x»']);
  });

  it('does not wait for the end of a sequence that never comes', () => {
    const keys: Key[] = [];
    const reader = createKeyReader((key) => keys.push(key));
    reader.read('\u001b[1;');
    vi.advanceTimersByTime(1000);
    reader.read('q');
    expect(keys.map(sayKey)).toEqual(['«q»']);
  });

  it('treats pasted text as one key, whatever it contains', () => {
    expect(readAll(['\u001b[200~q\u0003\u001b[A rm -rf\r\u001b[201~j'])).toEqual([
      'paste:«q\u0003\u001b[A rm -rf\r»',
      '«j»',
    ]);
    expect(readAll(['\u001b[200', '~a', 'b\u001b[20', '1~'])).toEqual(['paste:«ab»']);
  });

  it('limits a paste without end, and still finds its end', () => {
    const keys = readAll([
      '\u001b[200~',
      ...Array.from({ length: 200 }, () => 'x'.repeat(997)),
      '\u001b[20',
      '1~',
      'q',
    ]);
    expect(keys).toHaveLength(2);
    expect(keys[0]!.length).toBeLessThan(12_000);
    expect(keys[1]).toBe('«q»');
  });

  it('gives the same keys wherever the bytes are split', () => {
    const pieces = ['\u001b[A', '\u001b[6~', '\u001bOB', 'a', '日', '\u001b[200~x y\u001b[201~', '\r', '\u001b[1;2C'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 5 })),
        (parts, cuts) => {
          const whole = parts.join('');
          const chunks: string[] = [];
          let rest = whole;
          for (const cut of cuts) {
            chunks.push(rest.slice(0, cut));
            rest = rest.slice(cut);
          }
          expect(readAll([...chunks.filter((chunk) => chunk !== ''), rest])).toEqual(readAll([whole]));
        },
      ),
    );
  });

  it('reports nothing after it was closed', () => {
    const keys: Key[] = [];
    const reader = createKeyReader((key) => keys.push(key));
    reader.read('\u001b');
    reader.close();
    vi.advanceTimersByTime(1000);
    expect(keys).toEqual([]);
  });
});
