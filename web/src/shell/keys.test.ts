import { describe, expect, it } from 'vitest';
import { commandOf, KEYS, type KeyPress } from './keys.ts';

const press = (key: string, over: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  altGraph: false,
  isTyping: false,
  isTaken: false,
  ...over,
});

describe('keys of the page', () => {
  it('each does one thing, and nothing is done by two', () => {
    expect(new Set(KEYS.map(({ key }) => key)).size).toBe(KEYS.length);
    expect(new Set(KEYS.map(({ command }) => command)).size).toBe(KEYS.length);
    for (const { key, command } of KEYS) expect(commandOf(press(key))).toBe(command);
  });

  it('are not stolen: while typing, from a view, from the browser', () => {
    for (const { key } of KEYS) {
      expect(commandOf(press(key, { isTyping: true }))).toBeUndefined();
      expect(commandOf(press(key, { isTaken: true }))).toBeUndefined();
      expect(commandOf(press(key, { ctrlKey: true }))).toBeUndefined();
      expect(commandOf(press(key, { metaKey: true }))).toBeUndefined();
      expect(commandOf(press(key, { altKey: true }))).toBeUndefined();
    }
  });

  it('leave the keys of the views alone', () => {
    for (const key of [
      'j',
      'k',
      'h',
      'l',
      'ArrowUp',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'Enter',
      ' ',
      'Tab',
      'Home',
      'End',
    ])
      expect(commandOf(press(key))).toBeUndefined();
  });

  it('a bracket may take AltGr', () => {
    expect(commandOf(press('[', { altGraph: true, ctrlKey: true, altKey: true }))).toBe('previous-session');
  });
});
