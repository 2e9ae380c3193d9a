import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';
import { CREDENTIAL_RULES } from './rules/all-rules.ts';
import { fillSample } from './testing/fill-sample.ts';

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
const code = (unit: string, width: number): string => unit.charCodeAt(0).toString(16).padStart(width, '0');
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const cut = (text: string, width: number): readonly string[] => text.match(new RegExp(`[^]{1,${width}}`, 'g')) ?? [];

const DISGUISES: Readonly<Record<string, (text: string) => string>> = {
  'JSON in a string': escaped,
  'JSON in JSON': (text) => escaped(escaped(text)),
  'JSON in JSON in JSON': (text) => escaped(escaped(escaped(text))),
  'some letters as \\u0041': (text) =>
    text.replace(/[A-Za-z0-9]/g, (unit, at) => (at % 3 ? unit : `\\u${code(unit, 4)}`)),
  'all letters as \\x41': (text) => text.replace(/[A-Za-z0-9]/g, (unit) => `\\x${code(unit, 2)}`),
  URL: encodeURIComponent,
  'URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  'every character of a URL': (text) => [...text].map((unit) => `%${code(unit, 2)}`).join(''),
  'HTML entities': (text) => text.replace(/[^A-Za-z0-9]/g, (unit) => `&#${unit.charCodeAt(0)};`),
  'hexadecimal entities': (text) => text.replace(/[A-Z]/g, (unit) => `&#x${code(unit, 2)};`),
  base64,
  'base64 of a text with it': (text) => base64(`a: ${text}\nb`),
  'base64 for URLs': (text) => Buffer.from(text, 'utf8').toString('base64url'),
  'base64 in lines': (text) =>
    cut(base64(`some words before ${text} and some words after it, to have several`), 76).join('\n'),
  'base64 of base64': (text) => base64(base64(text)),
  hexadecimal: (text) => Buffer.from(text, 'utf8').toString('hex'),
  colours: (text) => text.replace(/.{7}/g, '$&\x1b[31m'),
  'escaped colours': (text) => text.replace(/.{7}/g, '$&\\u001b[0m'),
  'characters that nobody sees': (text) => text.replace(/.{5}/g, '$&\u200b'),
  diff: (text) =>
    text
      .split('\n')
      .map((line) => `+${line}`)
      .join('\n'),
  'numbers of lines': (text) =>
    text
      .split('\n')
      .map((line, at) => `${String(at + 9).padStart(6)}→${line}`)
      .join('\n'),
};

/** By which way cut lines come. */
const WRAPS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  terminal: (lines) => lines.join('\n'),
  'terminal, behind a prompt': (lines) => `$ echo ${lines.join('\n')}`,
  'command that goes on': (lines) => lines.join('\\\n'),
  diff: (lines) => lines.map((line) => `+${line}`).join('\n'),
  'numbers of lines': (lines) => lines.map((line, at) => `${at + 8}\t${line}`).join('\n'),
  'string of JSON': (lines) => escaped(lines.join('\n')),
};

/** Eight characters of it anywhere are too many, as they are or as the disguise has them. */
function isLeft(secret: string, text: string, disguise: (text: string) => string): boolean {
  const forms = (piece: string): readonly string[] => [piece, disguise(piece)];
  if (secret.length < 8) return forms(secret).some((form) => text.includes(form));
  for (let at = 0; at + 8 <= secret.length; at += 4)
    if (forms(secret.slice(at, at + 8)).some((form) => text.includes(form))) return true;
  return false;
}

/** The rule's first sample in ASCII, and nothing that itself is cut: what is coded is read byte by byte. */
const RULES = CREDENTIAL_RULES.filter(({ id, samples }) => id !== 'cut-token' && /^[\n -~]*$/.test(samples[0] ?? ''));

describe.each(Object.entries(DISGUISES))('%s', (_name, disguise) => {
  it('hides no secret of any kind', () => {
    for (const { id, samples } of RULES) {
      const { text, secrets } = fillSample(samples[0] ?? '', 7);
      const disguised = disguise(text);
      const left = createRedactor().redactText(disguised);
      expect([id, left]).not.toEqual([id, disguised]);
      for (const secret of secrets) expect([id, left, isLeft(secret, left, disguise)]).toEqual([id, left, false]);
    }
  });
});

describe.each(Object.entries(WRAPS))('lines cut, %s', (_name, show) => {
  it('hide no token', () => {
    const tokens = [
      'ghp_{an:36}',
      'sk-ant-api03-{w:93}AA',
      'eyJ{w:33}.eyJ{w:60}.{w:43}',
      'glpat-{an:20}',
      'AKIA{up:16}',
    ];
    for (const sample of tokens)
      for (let width = 12; width < 100; width += 3) {
        const { text, secrets } = fillSample(sample, width);
        if (width >= text.length) break;
        const left = createRedactor().redactText(show(cut(text, width)));
        for (const secret of secrets) expect([left, isLeft(secret, left, (piece) => piece)]).toEqual([left, false]);
      }
  });

  it('leave the text of the next line', () => {
    const { text } = fillSample('ghp_{an:36}');
    expect(createRedactor().redactText(show([text, 'Then the work begins.']))).toContain('Then the work begins.');
    expect(createRedactor().redactText(show([`A=${text}`, 'DB2_HOST=x']))).toContain('DB2_HOST=x');
  });
});

describe('a text that was made of another one', () => {
  const { text: token, secrets } = fillSample('figd_{w:40}', 3);
  const [secret = ''] = secrets;
  const isShown = (shown: string): boolean => isLeft(secret, shown, (piece) => piece);

  /** What a title, or the line that says what a call does, is to its source. */
  function madeOf(source: string, make: (text: string) => string): string {
    const redactor = createRedactor();
    redactor.scan({ source });
    return redactor.replaceOnly(make(source));
  }

  it.each([
    ['one line', (text: string) => text.replace(/\s+/g, ' ')],
    ['the first line', (text: string) => text.split('\n')[0] ?? ''],
    ['the last line', (text: string) => text.split('\n').at(-1) ?? ''],
  ])('has nothing of a token that its source has on two lines: %s', (_name, make) => {
    for (const end of ['\\\n', '\n', '\n    ']) {
      const source = `curl --head ${token.slice(0, 24)}${end}${token.slice(24)}`;
      const shown = madeOf(source, make);
      expect([shown, isShown(shown)]).toEqual([shown, false]);
    }
  });

  it.each([
    ['\\u', (unit: string) => `\\u00${unit}`],
    ['%', (unit: string) => `%${unit}`],
    ['&#', (unit: string) => `&#x${unit};`],
  ])('has nothing of a token that was cut within a code: %s', (_name, encode) => {
    const source = Array.from(token, (letter) => encode(letter.charCodeAt(0).toString(16))).join('');
    for (let length = encode('00').length * 20; length < source.length; length++)
      for (const mark of ['…', '...', ''])
        expect(madeOf(source, (text) => text.slice(0, length) + mark)).toMatch(/^\[redacted:figma-token#\d\].{0,8}$/);
  });
});
