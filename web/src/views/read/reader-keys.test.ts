import { describe, expect, it } from 'vitest';
import { type ReaderKey, readerActOf } from './read-view.tsx';

const press = (key: string, more: Partial<ReaderKey> = {}): ReaderKey => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isTyping: false,
  isFinding: false,
  ...more,
});

describe('keys of the reader', () => {
  it('move, fold, open and find', () => {
    const acts = ['j', 'k', 'e', 'o', 'u', 'g', 'G', '/', 'x'].map((key) => readerActOf(press(key)));
    expect(acts).toEqual(['next', 'previous', 'fold', 'door', 'up', 'beginning', 'end', 'find', undefined]);
  });

  it('leave typing and the keys of the browser alone', () => {
    expect(readerActOf(press('j', { isTyping: true }))).toBeUndefined();
    expect(readerActOf(press('j', { ctrlKey: true }))).toBeUndefined();
    expect(readerActOf(press('Escape'))).toBeUndefined();
    expect(readerActOf(press('Escape', { isFinding: true }))).toBe('close-find');
  });

  it('find with ctrl or cmd, and hand a second press to the browser', () => {
    expect(readerActOf(press('f', { ctrlKey: true }))).toBe('find');
    expect(readerActOf(press('f', { metaKey: true, isTyping: true }))).toBe('find');
    expect(readerActOf(press('f', { ctrlKey: true, isTyping: true, isFinding: true }))).toBeUndefined();
  });
});
