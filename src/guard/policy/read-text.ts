import { collectProblems, type Finding, type Problems } from './problems.ts';
import { MAX_BYTES, type PolicySource } from './source.ts';

export interface ReadText {
  readonly text: string;
  readonly problems: Problems;
  /** What is wrong is with the text itself: it is not worth parsing. */
  readonly isText: boolean;
}

/** Bytes to text. What editors show in another way than programs read it is refused: a policy must be what people see. */
export function readText({ file, content }: PolicySource): ReadText {
  if (!(content instanceof Uint8Array)) return refused(file, '', { offset: 0, message: content.trouble });
  if (content.length > MAX_BYTES) {
    const message = `The file has ${content.length} bytes; it may have at most ${MAX_BYTES}.`;
    return refused(file, '', { offset: 0, message, remedy: 'Say it with fewer rules: patterns may hold `*`.' });
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
  const trouble = findTrouble(text, content);
  return trouble ? refused(file, text, trouble) : { text, problems: collectProblems(file, text), isText: true };
}

type Trouble = Omit<Finding, 'code'>;

function refused(file: string, text: string, trouble: Trouble): ReadText {
  const problems = collectProblems(file, text);
  problems.add({ code: 'unreadable', ...trouble });
  return { text, problems, isText: false };
}

function findTrouble(text: string, content: Uint8Array): Trouble | undefined {
  if (!isUtf8(content)) {
    const offset = text.indexOf('\uFFFD');
    return { offset, message: 'This is not UTF-8.', remedy: 'Save the file as UTF-8.' };
  }
  if (text.startsWith('\uFEFF')) {
    return { offset: 0, message: 'The file begins with a byte order mark.', remedy: 'Save it as UTF-8 without BOM.' };
  }
  const hidden = HIDDEN.exec(text);
  if (hidden) {
    const name = `U+${hidden[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    return {
      offset: hidden.index,
      message: `Here is a character that cannot be seen (${name}).`,
      remedy: 'Remove it.',
    };
  }
  const deep = DEEP.exec(text);
  const offset = deep?.index ?? bracketBeyondLimit(text);
  return offset === undefined
    ? undefined
    : { offset, message: 'This is nested too deeply.', remedy: 'Six levels are enough.' };
}

/** Control characters but for tab and line ends, and those that turn the direction of the text around. */
const HIDDEN = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/;

/**
 * yaml 2.9.1 takes the whole process down on a line of 300,000 `- `, seconds for a million of brackets, and has no stack left
 * behind 780 of them that are open. Brackets in texts count, too: who has so many of them?
 */
const DEEP = /^[-?: ]{300}/m;
const MAX_BRACKETS = 50_000;
const MAX_OPEN_BRACKETS = 500;

function bracketBeyondLimit(text: string): number | undefined {
  let count = 0;
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (++count > MAX_BRACKETS || open > MAX_OPEN_BRACKETS) return index;
  }
  return undefined;
}

function isUtf8(content: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
