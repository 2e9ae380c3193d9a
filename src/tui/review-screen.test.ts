import { describe, expect, it } from 'vitest';
import { type Review, type ReviewItem, widthOf } from '../core/index.ts';
import type { Key } from './keys.ts';
import { createWatchPaint, withoutColours } from './paint.ts';
import { ReviewList } from './review-screen.ts';

const SIZE = { columns: 100, rows: 24 };

function itemOf(number: number, more: Partial<ReviewItem> = {}): ReviewItem {
  return {
    placeholder: `[redacted:password#${number}]`,
    kind: 'password',
    what: 'password in a setting',
    why: 'The name in front of it says that it is secret.',
    value: `value-${number}`,
    key: 'DB_PASSWORD',
    before: 'export DB_PASSWORD=',
    match: `value-${number}`,
    after: ' && run',
    count: number,
    places: ['agent a, message m'],
    digests: [`digest-${number}`],
    choice: 'redact',
    ...more,
  };
}

const ITEMS = [
  itemOf(1),
  itemOf(2),
  itemOf(3, { kind: 'github-token', what: 'token of GitHub', value: 'other\u001b[31m', key: null }),
];

const listOf = (cannotKeep: string | null = null, items: Review['items'] = ITEMS): ReviewList =>
  new ReviewList({ items }, createWatchPaint('none'), cannotKeep);

const NAMED: ReadonlySet<string> = new Set(['down', 'up', 'enter', 'escape', 'ctrl-c', 'end', 'home', 'backspace']);

function press(list: ReviewList, ...keys: readonly string[]) {
  let end: 'write' | 'quit' | undefined;
  for (const key of keys)
    end = list.press((NAMED.has(key) ? { kind: 'named', name: key } : { kind: 'typed', text: key }) as Key, SIZE);
  return end;
}

const choicesOf = (list: ReviewList): readonly string[] => [...list.choices().values()];
const textOf = (list: ReviewList, size = SIZE): string => list.frame(size).map(withoutColours).join('\n');

describe('the review of an export', () => {
  it('redacts everything until the person chooses, and moves on with each choice', () => {
    const list = listOf();
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'redact']);
    press(list, 's', 'e', 'a');
    expect(choicesOf(list)).toEqual(['show', 'everywhere', 'always-show']);
  });

  it('undoes one choice at a time, those for a whole kind too', () => {
    const list = listOf();
    press(list, 's', 'k', '*');
    expect(choicesOf(list)).toEqual(['show', 'show', 'redact']);
    press(list, 'u');
    expect(choicesOf(list)).toEqual(['show', 'redact', 'redact']);
    press(list, 'u', 'u');
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'redact']);
    expect(textOf(list)).toContain('There is nothing to undo.');
  });

  it('saves no decision when that is not possible, and says why', () => {
    const list = listOf('Only a person can do this.', [...ITEMS, itemOf(4, { choice: 'always-show' })]);
    press(list, 'a', 'x');
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'redact', 'always-show']);
    expect(textOf(list)).toContain('Only a person can do this.');
    press(list, 'end', '*');
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'redact', 'always-show']);
  });

  it('searches by value, name, kind and context, and applies choices to the matches', () => {
    const list = listOf();
    press(list, '/', ...'GITHUB', 'enter');
    expect(textOf(list)).toContain('1 of 1 for “GITHUB”');
    press(list, 's', 'escape');
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'show']);
    press(list, '/', ...'wsq');
    expect(textOf(list)).toContain('Nothing matches.');
    expect(choicesOf(list)).toEqual(['redact', 'redact', 'show']);
  });

  it('writes with w, and quits with q and ctrl-c at any time', () => {
    expect(press(listOf(), 'w')).toBe('write');
    expect(press(listOf(), 'q')).toBe('quit');
    expect(press(listOf(), '/', 'q')).toBeUndefined();
    expect(press(listOf(), '/', 'ctrl-c')).toBe('quit');
    expect(press(listOf(), '?', 'ctrl-c')).toBe('quit');
    const pasted = listOf();
    expect(pasted.press({ kind: 'pasted', text: 'w' }, SIZE)).toBeUndefined();
  });

  it('fits every screen size, with the value in sight and no cursor movement in texts', () => {
    const long = itemOf(9, { before: 'x '.repeat(200), match: 'needle', after: ' y'.repeat(200), value: 'needle' });
    const many = [long, ...ITEMS, ...Array.from({ length: 50 }, (_, at) => itemOf(at + 10))];
    for (const columns of [20, 40, 60, 80, 100, 200])
      for (const rows of [1, 3, 8, 10, 14, 24, 60]) {
        const list = listOf(null, many);
        const lines = list.frame({ columns, rows }).map(withoutColours);
        expect(lines).toHaveLength(rows);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        if (rows >= 9 && columns >= 60) expect(lines.slice(-6).join('')).toContain('needle');
        expect(lines.join('')).not.toContain('\u001b');
        press(list, '?');
        expect(list.frame({ columns, rows })).toHaveLength(rows);
      }
  });

  it('says why a value is redacted, its locations and how often it occurs', () => {
    const text = textOf(listOf());
    expect(text).toContain('The name in front of it says that it is secret.');
    expect(text).toContain('export DB_PASSWORD=value-1 && run');
    expect(text).toContain('1 place; first: agent a, message m');
  });
});
