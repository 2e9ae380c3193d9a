import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { cleanBlock } from '../../core/index.ts';
import { fence, folded, inlineCode, lineText, linkTo, writeProse } from './markdown-text.ts';

/** A viewer that lets everything through: raw HTML, bare addresses. */
const viewer = new MarkdownIt({ html: true, linkify: false });

const nasty = fc.string({ unit: fc.constantFrom(...'ab1 .)#+-=*_~`<>[]()!|\\&;:/$"\n\t'.split('')), maxLength: 60 });
const lines = fc
  .array(
    fc.oneof(
      nasty,
      fc.constantFrom(
        '<script>x</script>',
        '</details>',
        '# h',
        '- a',
        '1. a',
        '> q',
        '```',
        '~~~',
        '| a | b |',
        '---',
        '&lt;',
        '[a](javascript:x)',
      ),
    ),
  )
  .map((all) => all.join('\n'));

function plainOf(tokens: ReturnType<typeof viewer.parse>): string {
  return tokens
    .map((token) => (token.children ? plainOf(token.children) : token.type === 'softbreak' ? '\n' : token.content))
    .join('');
}

describe('text in Markdown', () => {
  it('is read as the text that it is, and never as a sign of form', () => {
    fc.assert(
      fc.property(nasty, (value) => {
        const tokens = viewer.parse(`before\n\n${lineText(value)}\n\nbehind`, {});
        expect(new Set(tokens.map(({ type }) => type))).toEqual(
          new Set(['paragraph_open', 'inline', 'paragraph_close']),
        );
        const inline = tokens.flatMap(({ children }) => children ?? []);
        expect(inline.every(({ type }) => type === 'text' || type === 'text_special')).toBe(true);
        expect(plainOf(tokens)).toBe(`before${value.replace(/\s+/g, ' ').trim()}behind`);
      }),
      { numRuns: 1000 },
    );
  });

  it('in a fence nothing ends the fence', () => {
    fc.assert(
      fc.property(lines, (value) => {
        const tokens = viewer.parse(`${fence(value, 'a`b c')}\n\nbehind`, {});
        expect(tokens.map(({ type }) => type)).toEqual(['fence', 'paragraph_open', 'inline', 'paragraph_close']);
        expect(tokens[0]?.content).toBe(`${cleanBlock(value).replace(/\n$/, '')}\n`);
      }),
    );
  });

  it('in a fold nothing ends the fold', () => {
    fc.assert(
      fc.property(lines, (value) => {
        const tokens = viewer.parse(`${folded(value, fence(value))}\n\nbehind`, {});
        expect(tokens.map(({ type }) => type)).toEqual([
          'html_block',
          'fence',
          'html_block',
          'paragraph_open',
          'inline',
          'paragraph_close',
        ]);
        expect(tokens[0]?.content.match(/</g)?.length).toBe(3);
      }),
    );
  });

  it('as code it is the code', () => {
    fc.assert(
      fc.property(nasty, (value) => {
        const code = value.replace(/\s+/g, ' ');
        if (code.trim() === '') return;
        const [, inline] = viewer.parse(`x ${inlineCode(value)} y`, {});
        const found = inline?.children?.find(({ type }) => type === 'code_inline');
        expect(found?.content).toBe(code);
      }),
    );
  });

  it('what people wrote keeps its form and brings no HTML', () => {
    fc.assert(
      fc.property(lines, (value) => {
        const tokens = viewer.parse(writeProse(value), {});
        const all = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
        const raw = all
          .filter(({ type }) => type === 'html_block' || type === 'html_inline')
          .map(({ content }) => content);
        expect(raw.filter((one) => one !== '<br>')).toEqual([]);
        for (const token of all)
          if (token.type === 'link_open') expect(String(token.attrGet('href'))).toMatch(/^https?:/);
      }),
      { numRuns: 500 },
    );
    const text =
      '# Head\n\nA **bold** word, `code`, [a link](https://example.com/a_(b)).\n\n1. one\n2. two\n   - inner\n\n> quote\n\n| a | b |\n| - | - |\n| 1 | `x|y` |\n\n```ts\nlet a;\n```';
    expect(writeProse(text)).toMatchInlineSnapshot(`
      "#### Head

      A **bold** word, \`code\`, [a link](<https://example.com/a_(b)>).

      1. one
      2. two

         - inner

      > quote

      | a | b |
      | --- | --- |
      | 1 | \\\`x |

      \`\`\`ts
      let a;
      \`\`\`"
    `);
  });

  it('addresses cannot leave their brackets', () => {
    const [, inline] = viewer.parse(linkTo('https://example.com/a>b<c d', 'x'), {});
    expect(inline?.children?.map(({ type }) => type)).toEqual(['link_open', 'text', 'link_close']);
  });
});
