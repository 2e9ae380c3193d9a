import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanLine,
  createPaint,
  cutTo,
  formatAge,
  formatCount,
  formatDuration,
  formatTable,
  PLAIN,
  plural,
  widthOf,
} from '../../core/index.ts';
import { formatSessions } from './index.ts';

describe('cleanLine', () => {
  it('removes everything that could move, colour, ring, retitle or reverse the text around it', () => {
    const hostile =
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007bell\u0007 \u202egnp.exe\u2066 line\r\nbreak\ttab \u009b2Jclear \u001bPdcs\u001b\\ \ud83d';
    expect(cleanLine(hostile)).toBe('red bell gnp.exe line break tab clear  \ufffd');
  });

  it('removes control characters from any text, and keeps plain text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cleanLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
    expect(cleanLine('Prüfe «src/app.ts» → 日本語 👍🏽')).toBe('Prüfe «src/app.ts» → 日本語 👍🏽');
  });
});

describe('widths', () => {
  it('count columns, not code units', () => {
    expect(['abc', 'é', 'e\u0301', '日本', '👍🏽', '→'].map(widthOf)).toEqual([3, 1, 1, 4, 2, 1]);
  });

  it('never cut a character in half, and never exceed the columns', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        expect(widthOf(cutTo(text, columns))).toBeLessThanOrEqual(
          Math.max(columns, widthOf(text) <= columns ? widthOf(text) : columns),
        );
      }),
    );
    expect(cutTo('日本語テスト', 6)).toBe('日本…');
  });
});

describe('formatTable', () => {
  const columns = [
    { title: 'name', shrinkTo: 6 },
    { title: 'extra', dropOrder: 1 },
    { title: 'n', align: 'right' as const },
  ];
  const rows = [
    [{ text: 'a very long name' }, { text: 'something' }, { text: '7' }],
    [{ text: 'short' }, { text: 'else' }, { text: '1234' }],
  ];

  it('cuts nothing when the output is not a terminal', () => {
    expect(formatTable(columns, rows, { header: PLAIN.dim })).toEqual([
      'name              extra         n',
      'a very long name  something     7',
      'short             else       1234',
    ]);
  });

  it('shrinks, then drops columns, and never gets wider than the terminal', () => {
    expect(formatTable(columns, rows, { header: PLAIN.dim, width: 24 })).toEqual([
      'name     extra         n',
      'a very…  something     7',
      'short    else       1234',
    ]);
    for (let width = 12; width < 60; width++) {
      for (const line of formatTable(columns, rows, { header: PLAIN.dim, width }))
        expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it('leaves out an empty column', () => {
    const empty = rows.map(([name, , n]) => [name ?? { text: '' }, { text: '' }, n ?? { text: '' }]);
    expect(formatTable(columns, empty, { header: PLAIN.dim })[0]).toBe('name                 n');
  });
});

describe('amounts', () => {
  it('are short and have units', () => {
    expect([0, 999, 1000, 12_345, 999_499, 1_000_000, 23_400_000].map(formatCount)).toEqual([
      '0',
      '999',
      '1k',
      '12.3k',
      '999k',
      '1M',
      '23.4M',
    ]);
    expect([400, 12_000, 180_000, 7_200_000, 432_000_000].map(formatDuration)).toEqual([
      '0.4 s',
      '12 s',
      '3 min',
      '2 h',
      '5 d',
    ]);
    expect(formatAge('2026-11-15T10:00:00.000Z', Date.parse('2026-11-15T10:04:00Z'))).toBe('4 min ago');
    expect(formatAge(null, 0)).toBe('–');
    expect([plural(1, 'agent'), plural(2, 'agent')]).toEqual(['1 agent', '2 agents']);
  });
});

describe('paint', () => {
  it('adds nothing without colours', () => {
    const paint = createPaint('none');
    expect([paint.bold('x'), paint.agent(3, 'x'), paint.red('x')]).toEqual(['x', 'x', 'x']);
  });

  it('keeps the main agent neutral', () => {
    expect(createPaint('24bit').agent(null, 'main')).toBe('main');
    expect(createPaint('24bit').agent(0, 'a')).toBe('\u001b[38;2;86;180;233ma\u001b[39m');
  });
});

describe('formatSessions', () => {
  const report = { sessions: [], total: 40, more: 20, emptySessions: 12, ignoredFiles: 0 };

  it('counts the sessions that are not listed', () => {
    const lines = formatSessions(report, { paint: PLAIN, now: 0 });
    expect(lines).toContain('12 empty sessions not listed: show with --empty');
    expect(lines.join()).toContain('20 other sessions not listed');
  });

  it('does not count empty sessions that are listed', () => {
    const lines = formatSessions(report, { paint: PLAIN, now: 0 }, { isEmptyShown: true });
    expect(lines.join()).not.toContain('empty');
  });
});
