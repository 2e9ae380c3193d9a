import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';

const redact = (text: string, names: readonly string[] = []): string => {
  const person = { home: '/home/ottokar', users: ['ottokar'], hosts: ['blue-lamp-7'], names };
  return createRedactor(person).redactText(text);
};

describe('a person is found when escapes surround the name or are part of it', () => {
  it.each([
    ['at \\nblue-lamp-7\\n', 'at \\n[redacted:host-name#1]\\n'],
    ['\\tottokar\\"', '\\t[redacted:user-name#1]\\"'],
    ['blue\\u002dlamp-7', '[redacted:host-name#1]'],
    ['\\n/home/ottokar/x', '\\n~/x'],
    ['a \\/home\\/ottokar\\/x', 'a ~\\/x'],
    ['a %2Fhome%2Fsomebodyelse%2Fx', 'a ~%2Fx'],
    ['projects/-home-ottokar-x', 'projects/~-x'],
    ['C:\\\\Users\\\\Clara\\\\x', '~\\\\x'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it('has a name with a quote in it', () => {
    expect(redact("by Ann O\\'Hara.", ["Ann O'Hara"])).toBe('by [redacted:person#1].');
  });
});
