import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWebLink, parseMarkdown, RICH_TAGS, type RichNode, splitLinks } from './markdown.ts';

const target = fc.constantFrom(
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java&#x0A;script:alert(1)',
  'data:text/html,<script>1</script>',
  'data:image/png;base64,AAAA',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  'https://good.example/a?b=1',
  'http://x',
  'src/a.ts',
  '#top',
  'mailto:a@b.c',
  'https://a"onmouseover=x',
);
const snippet = fc.oneof(
  target,
  target.map((to) => `[text](${to})`),
  target.map((to) => `[text](<${to}> "title")`),
  target.map((to) => `![pic](${to})`),
  target.map((to) => `<${to}>`),
  target.map((to) => `[ref]: ${to}\n\n[ref]`),
  fc.constantFrom(
    '<script>x</script>',
    '<img src=x onerror=y>',
    '&#x202e;',
    '&lt;b&gt;',
    '**b**',
    '`c`',
    '\n\n',
    '> ',
    '- ',
    '1. ',
  ),
  fc.constantFrom('# ', '```html\n<b>\n```\n', '| a | b |\n|---|---|\n| c | d |\n', '    code', '---\n', '~~s~~', '\\'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const markdown = fc.array(snippet, { maxLength: 25 }).map((pieces) => pieces.join(' '));

function check(nodes: readonly RichNode[]): void {
  for (const node of nodes) {
    if (typeof node === 'string') {
      expect(node).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]/);
      continue;
    }
    expect(RICH_TAGS).toContain(node.tag);
    expect(
      Object.keys(node).every((key) => ['tag', 'children', 'target', 'level', 'start', 'language'].includes(key)),
    ).toBe(true);
    if (node.tag === 'link') expect(node.target).toMatch(/^https?:\/\/[^\s"'<>]+$/i);
    if (node.language !== undefined) expect(node.language).toMatch(/^[\w+#.-]{1,24}$/);
    check(node.children);
  }
}

describe('Markdown', () => {
  it('produces only the fixed elements, and links to the web', () => {
    fc.assert(
      fc.property(markdown, (text) => check(parseMarkdown(text))),
      { numRuns: 1000 },
    );
  });

  it('keeps all plain words', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, (all) => {
        expect(plain(parseMarkdown(all.join(' ')))).toBe(all.join(' '));
      }),
    );
  });

  it('reads Markdown as people write it', () => {
    expect(parseMarkdown('one\ntwo **b** [a](src/x.ts) https://e.x/y.')).toEqual([
      {
        tag: 'paragraph',
        children: [
          'one',
          { tag: 'break', children: [] },
          'two ',
          { tag: 'strong', children: ['b'] },
          ' ',
          { tag: 'reference', target: 'src/x.ts', children: ['a'] },
          ' ',
          { tag: 'link', target: 'https://e.x/y', children: ['https://e.x/y'] },
          '.',
        ],
      },
    ]);
    expect(parseMarkdown('- a\n- b')).toEqual([
      {
        tag: 'bullets',
        children: [
          { tag: 'item', children: ['a'] },
          { tag: 'item', children: ['b'] },
        ],
      },
    ]);
    expect(parseMarkdown('```TS title="x"\n<b>\n```')).toEqual([
      { tag: 'code-block', language: 'ts', children: ['<b>\n'] },
    ]);
    expect(parseMarkdown('![x](https://e.x/beacon.png)')).toEqual([
      { tag: 'paragraph', children: [{ tag: 'picture', target: 'https://e.x/beacon.png', children: ['x'] }] },
    ]);
    expect(parseMarkdown('[click](javascript:alert(1))')).toEqual([
      { tag: 'paragraph', children: ['[click](javascript:alert(1))'] },
    ]);
  });
});

describe('links', () => {
  it('lead to the web only', () => {
    expect(['https://a.b/c', 'HTTP://a'].every(isWebLink)).toBe(true);
    expect(['javascript:1', ' https://a', 'https://a b', 'data:x', '//a', 'https://"', ''].some(isWebLink)).toBe(false);
  });

  it('are found in plain text, which keeps every character', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const pieces = splitLinks(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        for (const { href } of pieces) if (href !== undefined) expect(isWebLink(href)).toBe(true);
      }),
    );
    expect(splitLinks('(see https://a.b/c).')).toEqual([
      { text: '(see ' },
      { text: 'https://a.b/c', href: 'https://a.b/c' },
      { text: ').' },
    ]);
  });
});

function plain(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : plain(node.children))).join('');
}
