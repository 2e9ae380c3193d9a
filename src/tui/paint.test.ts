import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../core/index.ts';
import { createScreenPainter } from './paint.ts';
import { createEmulator } from './testing/emulator.ts';

const paint = createPaint('24bit');
const size = { columns: 20, rows: 4 };

/** Text as bad as it gets: sequences, controls, wide, combining, turning, broken. */
const hostile = fc
  .array(
    fc.constantFrom(
      'a',
      'word ',
      '日本',
      '👍🏽',
      'e\u0301',
      '\u202e',
      '\u061c',
      '\u200d',
      '\ufe0f',
      '\u00ad',
      '\r',
      '\u0007',
      '\ud800',
      '●',
      '├─ ',
      'ﷺ',
      '가',
      '🇩🇪',
      '\u001b[2J',
    ),
    { maxLength: 15 },
  )
  .map((parts) => parts.join(''));
const line = fc.oneof(
  hostile,
  hostile.map((text) => paint.agent(3, text)),
  fc.constant(''),
);
const frame = fc.array(line, { minLength: size.rows, maxLength: size.rows });

describe('painting', () => {
  it('writes only changed cells, positioned, in one synchronized write', () => {
    const writes: string[] = [];
    const painter = createScreenPainter((text) => writes.push(text));
    painter.paint(['one', 'two', 'three', 'four'], size);
    painter.paint(['one', 'TWO', 'three', 'four'], size);
    expect(writes[1]).toBe('\u001b[?2026h\u001b[2;1H\u001b[0mTWO\u001b[0m\u001b[K\u001b[?2026l');
  });

  it('writes nothing when nothing changed, and everything after a reset', () => {
    const writes: string[] = [];
    const painter = createScreenPainter((text) => writes.push(text));
    const lines = ['one', 'two', 'three', 'four'];
    painter.paint(lines, size);
    painter.paint([...lines], size);
    expect(writes).toHaveLength(1);
    painter.forget();
    painter.paint(lines, size);
    expect(writes[1]).toBe(writes[0]);
  });

  it('keeps the last character of a full line', () => {
    const terminal = createEmulator(size);
    createScreenPainter(terminal.write).paint(['x'.repeat(20), 'y'.repeat(30), '', ''], size);
    expect(terminal.lines().slice(0, 2)).toEqual(['x'.repeat(20), 'y'.repeat(20)]);
  });

  it('leaves the same screen as a full repaint, never too wide, without control characters of texts', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
        const step = createEmulator(size);
        const painter = createScreenPainter(step.write);
        for (const lines of frames) painter.paint(lines, size);
        const whole = createEmulator(size);
        createScreenPainter(whole.write).paint(frames.at(-1)!, size);
        expect(step.lines()).toEqual(whole.lines());
        expect(step.overflows() + whole.overflows()).toBe(0);
      }),
    );
  });

  it.each([
    ['narrower', 1],
    ['wider', 2],
  ])('a terminal that finds characters %s than we do keeps the columns behind them in place', (_name, width) => {
    const terminal = createEmulator(size, (grapheme) => (/^[ -~]$/.test(grapheme) ? 1 : width));
    const painter = createScreenPainter(terminal.write);
    painter.paint(['old old old old old ', '', '', ''], size);
    painter.paint(['● 日本 👍🏽 |x', '├─ ok  |x', '', ''], size);
    expect(terminal.cells(0).indexOf('|')).toBe(10);
    expect(terminal.cells(1).indexOf('|')).toBe(7);
    expect(terminal.lines()[0]).not.toContain('o');
  });
});
