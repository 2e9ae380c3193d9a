import fc from 'fast-check';
import { type ComponentChild, isValidElement, type VNode } from 'preact';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../../../src/core/transcript/index.ts';
import { CodeBlock, renderRich } from './rich-text.tsx';

const ELEMENTS = new Set(
  'p strong em s code a span ul ol li blockquote hr br div table thead tbody tr th td'.split(' '),
);
const ATTRIBUTES = new Set(
  'children class title target rel href start scope tabIndex role aria-label code language key ref'.split(' '),
);

/** Every element that would come onto the page. Parts of ours without state are looked into; code is a leaf. */
function* elementsIn(child: ComponentChild): Generator<VNode> {
  if (Array.isArray(child)) {
    for (const one of child) yield* elementsIn(one);
  } else if (isValidElement(child)) {
    yield child;
    const { type, props } = child;
    if (typeof type !== 'function') yield* elementsIn(props.children);
    else if (type !== CodeBlock) yield* elementsIn(Reflect.apply(type, undefined, [props]));
  }
}

function check(child: ComponentChild): void {
  for (const { type, props } of elementsIn(child)) {
    if (typeof type === 'function') continue;
    expect(ELEMENTS).toContain(type);
    for (const [name, value] of Object.entries(props)) {
      expect(ATTRIBUTES).toContain(name);
      if (name === 'href') expect(value).toMatch(/^https?:\/\//i);
    }
    if (type === 'a') expect(props).toMatchObject({ rel: 'noreferrer noopener', target: '_blank' });
  }
}

const target = fc.constantFrom(
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  '&#106;avascript:alert(1)',
  'java\tscript:x',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:x',
  'https://good.example/x"onclick="y',
  'https://good.example/',
  'a/b.ts',
  '//evil.example/x',
);
const snippet = fc.oneof(
  target.map((to) => `[a](${to})`),
  target.map((to) => `[**a**](<${to}> "t' onclick='x")`),
  target.map((to) => `![a](${to})`),
  target.map((to) => `<${to}>`),
  target,
  fc.constantFrom(
    '<b onclick=alert(1)>',
    '<svg/onload=x>',
    '</p><script>x</script>',
    '&#x202e;evil',
    '```html\n<x>\n```',
  ),
  fc.constantFrom('# h', '- i', '1. n', '> q', '| a |\n|---|\n| <b> |', '`c`', '**b**', '\n\n', '\n'),
  fc.string({ maxLength: 10 }),
);

describe('Markdown on the page', () => {
  it('is made of a fixed set of elements and attributes, and links to the web only', () => {
    fc.assert(
      fc.property(fc.array(snippet, { maxLength: 20 }), (pieces) => {
        check([...renderRich(parseMarkdown(pieces.join(' ')))]);
      }),
      { numRuns: 1000 },
    );
  });

  it('says where a link that is none would lead', () => {
    const texts = JSON.stringify(renderRich(parseMarkdown('[the plan](docs/plan.md)')));
    expect(texts).toContain('docs/plan.md');
  });
});
