import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from 'yaml';
import { runsOf } from '../../lib/testing/seed.ts';
import { isMap, isScalar, isSeq, readPlainYaml } from './plain-yaml.ts';
import { PRESET_NAMES, presetText } from './presets.ts';
import { readYaml } from './read-yaml.ts';
import { rule, settings } from './testing/generate.ts';
import { printPolicy } from './testing/print-policy.ts';

/** What the walk over a policy sees of a node. */
function shapeOf(node: Node | null): unknown {
  const offset = node?.range?.[0];
  if (isMap(node))
    return { offset, map: node.items.map(({ key, value }) => [shapeOf(key as Node), shapeOf(value as Node)]) };
  if (isSeq(node)) return { offset, seq: node.items.map((item) => shapeOf(item as Node)) };
  if (isScalar(node)) return { offset, value: node.value };
  return { offset, other: node };
}

function byLibrary(text: string) {
  const { document, problems } = readYaml({ file: 'x.yaml', content: new TextEncoder().encode(text) });
  return { problems: problems.list(), shape: shapeOf(document?.contents as Node | null) };
}

/** Whether it is read without the library. Where it is, the library reads the same in it, and finds nothing wrong. */
function isPlain(text: string): boolean {
  const node = readPlainYaml(text);
  if (node) expect({ problems: [], shape: shapeOf(node) }, text).toEqual(byLibrary(text));
  return node !== undefined;
}

describe('what is read without the library is what the library reads', () => {
  it.each(PRESET_NAMES)('in the preset %s', (name) => {
    expect(isPlain(presetText(name))).toBe(true);
  });

  it('in the policies of the documentation, many of which are plain', () => {
    const page = readFileSync(new URL('../../../docs/POLICY.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    expect(blocks.filter(isPlain).length).toBeGreaterThan(blocks.length / 3);
  });

  it.each([
    'version: 1\n',
    'a: 1 # one\n\n# two\nb:\n  - x\n  - "y: z" # three\n',
    'a:\n- b\n- c: 1\n  d: [e, { f: g }]\nh: i',
    "a: 'it''s'\nb: Bash(git push:*)\nc: ~/x\nd: 2026-11-30\ne: 09:00-18:00\nf: <3\n",
    '- a\n-\n  b: c\n-   d: e\n    f: true\n',
    'a: { b: Bash(x:*), c: ["d e", f#g] }   \n   # end',
  ])('in %j', (text) => {
    expect(isPlain(text)).toBe(true);
  });

  it.each([
    ...['', '# nothing\n', 'a', 'a:\n', 'a: b: c\n', 'a: |\n  b\n', 'a: b\n  c\n', 'a: &x b\n', 'a: *x\n', 'a: !x b\n'],
    ...['a: ~\n', 'a: null\n', 'a: 0x1F\n', 'a: 1e3\n', 'a: .inf\n', 'a: 1.5\n', 'a: -1\n', 'a: 007\n', 'a: True\n'],
    ...[
      '--- \na: b\n',
      'a: b\n...\n',
      '%YAML 1.2\n',
      'a: "b\\n"\n',
      'a: "b" c\n',
      'a: [b,]\n',
      'a: []\n',
      'a: [b: c]\n',
    ],
    ...['a: [b\n  c]\n', 'a: b\n c: d\n', 'a:\n  b: c\n d: e\n', '- a\n - b\n', '- - a\n', '? a\n: b\n', 'a:\tb\n'],
    ...[
      'a: b\r\n',
      'true: x\n',
      '"a": b\n',
      'a : b\n',
      'a: {b}\n',
      'a: {b:c}\n',
      'a: {b: "c"d}\n',
      'a: @x\n',
      'a: %x\n',
    ],
    ...[
      'a: [b #c]\n',
      'a: `x`\n',
      'a: > b\n',
      'a: "x\n  y"\n',
      'a: 1\n- b\n',
      '- a\nb: c\n',
      'a: "b"#c\n',
      '\uFEFFa: b\n',
    ],
  ])('and %j is left to it', (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it('in all policies that can be printed, whatever is changed in them', () => {
    let plain = 0;
    const piece = fc.constantFrom(
      ...['\n', ' ', '  ', '- ', ': ', ':', ',', '#', ' #', '"', "'", '[', ']', '{', '}', '\n\n', '\n  ', '\n    '],
      ...[
        '&a ',
        '*a',
        '!',
        '|',
        '>',
        '~',
        '1',
        '.5',
        '?',
        '? ',
        '\\',
        '%',
        '\t',
        '\r',
        'é',
        '\u2028',
        '-',
        '---\n',
        '=',
        '<<: ',
      ],
    );
    const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.option(piece, { nil: '' }));
    fc.assert(
      fc.property(
        settings,
        fc.array(rule, { maxLength: 3 }),
        fc.array(change, { maxLength: 3 }),
        (said, rules, changes) => {
          const whole = rules.map((one) => ({ ...one, id: '', scope: 'user', place: null }) as const);
          let text = printPolicy({ version: 1, ...said, rules: whole }, [], { flow: false });
          for (const [place, removed, added] of changes) {
            const at = Math.floor(place * text.length);
            text = text.slice(0, at) + added + text.slice(at + removed);
          }
          if (isPlain(text)) plain++;
        },
      ),
      { numRuns: runsOf(2_000) },
    );
    expect(plain).toBeGreaterThan(runsOf(200));
  });

  it('in lines that are put together by chance', () => {
    let plain = 0;
    const indent = fc.constantFrom('', '', '  ', '  ', '    ', ' ', '   ');
    const start = fc.constantFrom('', '', '- ', '-   ', '-', '- - ', '# ');
    const key = fc.constantFrom('', 'a: ', 'b:', 'c-d:  ', 'x:y: ', 'true: ', '"q": ', 'a : ', '1: ');
    const word = fc.constantFrom(
      ...[
        '',
        'b',
        'b c',
        'Bash(git push:*)',
        '"x: y"',
        "'it''s'",
        '[a, b]',
        '{ a: b }',
        '{ a: [b, "c"], d: e }',
        '[ a , b ]',
      ],
      ...[
        '1',
        '01',
        '1.',
        '-1',
        '+1',
        'true',
        'null',
        '~',
        '~/x',
        '.env',
        '<3',
        '>=2',
        '**/x',
        '//**/x',
        'a#b',
        'a:b',
        'a: b',
      ],
      ...[
        '{a: b}',
        '{a:b}',
        '[a:b]',
        '[a: b]',
        '{ a: }',
        '[]',
        '{}',
        '[a',
        'a]',
        '"a" b',
        "'a'b",
        '$(x)',
        '(a, b)',
        '=',
        '^x',
      ],
      ...[
        '0o7',
        '0x',
        '1e5',
        '.5',
        '.e',
        '1-3',
        '2026-11-30T10:00',
        'a,b',
        'a{b}',
        '_',
        '/',
        'a"b',
        "a'b",
        '<<',
        'é',
        '…',
      ],
    );
    const end = fc.constantFrom('', '', '', ' ', ' # c', '#c', ' #', ',', ':');
    const line = fc.tuple(indent, start, key, word, end).map((parts) => parts.join(''));
    const tidy = fc
      .tuple(indent, fc.constantFrom('- a', 'a: b', '- a: b', 'a:', '-', '# x', '', 'c: [d]'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(fc.oneof(line, tidy, tidy), { minLength: 1, maxLength: 6 }), fc.boolean(), (lines, ends) => {
        if (isPlain(lines.join('\n') + (ends ? '\n' : ''))) plain++;
      }),
      { numRuns: runsOf(20_000) },
    );
    expect(plain).toBeGreaterThan(runsOf(500));
  });
});
