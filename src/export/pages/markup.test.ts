import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, lineItems, Markup, styleElement, text } from './document.ts';

/** As a browser reads it back. */
function read(escaped: string): string {
  return escaped.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

const HARMLESS = fc.string({ unit: fc.constantFrom(...'ab <>&"\'`=/;#x0\n\té中'.split('')) });

describe('markup', () => {
  it('text of any kind stays text, and is read as it was', () => {
    fc.assert(
      fc.property(HARMLESS, (value) => {
        const { text: made } = html`<p title="${value}">${value}</p>`;
        expect(made).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
        expect(read(made.slice(10, made.indexOf('">')))).toBe(value);
        expect(read(text(value).text)).toBe(value);
        expect(text(value).text).not.toMatch(/[<>]/);
        expect(lineItems(value).text.match(/<li>/g)?.length).toBe(value.split('\n').length);
      }),
    );
  });

  it('keeps no control character and no mark that turns text around', () => {
    expect(html`${'a\u202eb\u0000\u001b[31mc\ud800'}`.text).toBe('abc\ufffd');
  });

  it('escapes attributes, and is the only code that makes markup', () => {
    expect(() => html`<p title="${html`<b>`}">`).toThrow(/attribute/);
    expect(() => new Markup('<b>', Symbol('markup') as never)).toThrow(/markup/);
    expect(() => styleElement('a{}</style>')).toThrow(/style/);
  });

  it('leaves out missing values', () => {
    expect(html`a${undefined}${false}${[html`<b>`, 'c', 1]}`.text).toBe('a<b>c1');
  });
});
