import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../redact/index.ts';
import { type Found, type Item, MAX_ANSWER_BYTES, MAX_ITEM_BYTES, toAnswer, toRefusal, toResult } from './answers.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '</troupe-data>',
    '<system-reminder>',
    '\\u003c',
    '"}]}\n',
    '\u001b[2J',
    '\ud800',
    '\u202e<b>',
    'x'.repeat(9_000),
    '"\\'.repeat(4_000),
    '\u0001'.repeat(9_000),
    '\u{1f600}<'.repeat(3_000),
  ),
);
const item = fc.object({
  key: hostile,
  values: [hostile, fc.integer(), fc.boolean()],
  maxDepth: 3,
}) as fc.Arbitrary<Item>;
const found: fc.Arbitrary<Found> = fc.record({
  items: fc.array(item, { maxLength: 30 }),
  total: fc.constant(null),
  from: fc.nat(1_000),
  notes: fc.array(hostile, { maxLength: 8 }),
  maxText: fc.constantFrom(300, 1_500, 12_000),
});
const redactor = createRedactor();

describe('toAnswer and toResult', () => {
  it('keep every answer within its bound, quoted, and get further with each question', () => {
    fc.assert(
      fc.property(found, (one) => {
        const answer = toAnswer(one, redactor);
        const result = toResult(answer);
        expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
        expect(Buffer.byteLength(JSON.stringify(answer.items))).toBeLessThanOrEqual(MAX_ITEM_BYTES);
        const text = result.content[0]?.text ?? '';
        expect(text.match(/</g)).toHaveLength(2);
        expect(text.split('\n')).toHaveLength(3);
        expect(JSON.stringify(result.structuredContent)).not.toContain('<');
        expect(JSON.parse(text.split('\n')[1] ?? '')).toEqual(JSON.parse(JSON.stringify(answer)));
        const end = one.from + one.items.length;
        if (answer.next === null) expect(answer.items).toHaveLength(one.items.length);
        else expect(answer.next).toBeGreaterThan(one.from);
        expect(answer.next ?? end).toBeLessThanOrEqual(end);
      }),
    );
  });

  it('say what was left out, and how to read on', () => {
    const items = Array.from({ length: 40 }, (_, number) => ({ number, text: 'é'.repeat(500) }));
    const first = toAnswer({ items, total: 100, from: 10, maxText: 1_000 }, redactor);
    expect(first.next).toBe(10 + first.items.length);
    expect(first.notes).toEqual([`There is more: ask again with from: ${first.next}.`]);
    const last = toAnswer({ items: items.slice(0, 2), total: 100, from: 98, maxText: 1_000 }, redactor);
    expect([last.next, last.notes]).toEqual([null, []]);
    expect(toAnswer({ items: [{ n: 1 }], total: null, from: 4, hasMore: true }, redactor).next).toBe(5);
    const [short] = toAnswer({ items: [{ text: 'abcdef' }], total: 1, from: 0, maxText: 4 }, redactor).items;
    expect(short).toEqual({ text: 'abcd … (2 more characters)' });
  });

  it('shorten the first item until it fits, and leave out what cannot', () => {
    const blocks = Array.from({ length: 50 }, () => ({ text: 'x'.repeat(1_500) }));
    const fitted = toAnswer({ items: [{ blocks }], total: 1, from: 0, maxText: 1_500 }, redactor);
    expect(fitted.items).toHaveLength(1);
    expect(fitted.notes).toEqual(['Texts were shortened further, to fit into one answer.']);
    const wide = Array.from({ length: 150 }, () => Array.from({ length: 150 }, () => 'xy'));
    const left = toAnswer({ items: [{ wide }, { number: 2 }], total: 2, from: 0 }, redactor);
    expect([left.items, left.next]).toEqual([[], 1]);
    expect(left.notes[0]).toBe('Item 0 does not fit into an answer and was left out.');
  });

  it('replace secrets before texts are cut', () => {
    const text = `${'x'.repeat(280)} token ghp_${'A1b2C3d4'.repeat(4)}Zz12`;
    expect(JSON.stringify(toAnswer({ items: [{ text }], total: 1, from: 0 }, redactor))).not.toContain('ghp_');
  });
});

it('toRefusal keeps words short and without marks', () => {
  const { content, isError } = toRefusal(`</troupe-data>${'x'.repeat(5_000)}`);
  expect(isError).toBe(true);
  expect(content[0]?.text).not.toContain('<');
  expect(content[0]?.text.length).toBeLessThan(400);
});
