// What the bytes of a terminal's keyboard mean. Sequences as xterm, the Linux console, tmux and rxvt send

import { cleanLine } from '../core/index.ts';
import type { KeyReader } from '../lib/screen.ts';

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'tab'
  | 'ctrl-c'
  | 'ctrl-l'
  | 'ctrl-z';

/** One press: a named key, one character as people count them, or a text that was pasted whole. */
export type Key =
  | { readonly kind: 'named'; readonly name: KeyName }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'pasted'; readonly text: string };

/** An escape key is the beginning of every sequence: only time tells them apart. */
const ESCAPE_MS = 50;
/** The rest of a sequence that was torn on a slow line. */
const REST_MS = 500;

export function createKeyReader(emit: (key: Key) => void): KeyReader {
  let held = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = (): void => {
    // Alone, it is the key; with something behind it, a sequence of which the end never came.
    if (held === ESCAPE) emit({ kind: 'named', name: 'escape' });
    held = '';
  };
  return {
    read(chunk) {
      clearTimeout(timer);
      held = takeKeys(held + chunk, emit);
      if (held.startsWith(PASTE_START)) return;
      if (held !== '') timer = setTimeout(giveUp, held === ESCAPE ? ESCAPE_MS : REST_MS);
    },
    close() {
      clearTimeout(timer);
      held = '';
    },
  };
}

const ESCAPE = '\u001b';
const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
/** Nobody filters by more; a pasted book must not stay in memory. */
const MAX_PASTED = 10_000;

const SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/;
const TORN_SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*|O)?$/;
const PLAIN_TEXT = /^[^\u0000-\u001f\u007f-\u009f]+/;

/** Tells all whole keys; what may be the beginning of one is given back. */
function takeKeys(input: string, emit: (key: Key) => void): string {
  let rest = input;
  while (rest !== '') {
    if (rest.startsWith(PASTE_START)) {
      const end = rest.indexOf(PASTE_END);
      // Beginning and end of a paste stay, so that a torn end mark is still found.
      if (end === -1)
        return rest.length > 2 * MAX_PASTED ? rest.slice(0, MAX_PASTED) + rest.slice(-PASTE_END.length) : rest;
      emit({ kind: 'pasted', text: rest.slice(PASTE_START.length, end).slice(0, MAX_PASTED) });
      rest = rest.slice(end + PASTE_END.length);
      continue;
    }
    if (TORN_SEQUENCE.test(rest)) return rest;
    const taken = SEQUENCE.exec(rest)?.[0] ?? PLAIN_TEXT.exec(rest)?.[0] ?? rest.slice(0, 1);
    rest = rest.slice(taken.length);
    for (const key of keysOf(taken)) emit(key);
  }
  return '';
}

function keysOf(taken: string): readonly Key[] {
  if (PLAIN_TEXT.test(taken)) return characters(taken).map((text) => ({ kind: 'typed', text }));
  const name = taken.length === 1 ? CONTROLS[taken] : nameOfSequence(taken);
  return name === undefined ? [] : [{ kind: 'named', name }];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function characters(text: string): readonly string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'ctrl-c',
  '\u000c': 'ctrl-l',
  '\u001a': 'ctrl-z',
};

const KEYPAD_ENTER = '\u001bOM';

/** With shift, alt or control held, a sequence has one more number: the key is the same. */
function nameOfSequence(sequence: string): KeyName | undefined {
  if (sequence === KEYPAD_ENTER) return 'enter';
  const number = /^\u001b\[(\d+)(?:;\d+)?~$/.exec(sequence)?.[1];
  return number === undefined ? BY_LETTER[sequence.slice(-1)] : BY_NUMBER[number];
}

const BY_LETTER: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
};

const BY_NUMBER: Readonly<Record<string, KeyName>> = {
  '1': 'home',
  '4': 'end',
  '5': 'pageup',
  '6': 'pagedown',
  '7': 'home',
  '8': 'end',
};

const MAX_LENGTH = 200;

/** A line of text after a key; undefined where the key does not write. */
export function editText(text: string, key: Key): string | undefined {
  if (key.kind === 'typed') return (text + key.text).slice(0, MAX_LENGTH);
  if (key.kind === 'pasted') return (text + cleanLine(key.text)).slice(0, MAX_LENGTH);
  if (key.name !== 'backspace') return undefined;
  return characters(text).slice(0, -1).join('');
}
