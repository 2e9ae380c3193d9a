import { isUtf8 } from 'node:buffer';
import { type Document, parseDocument, type YAMLError } from 'yaml';
import { collectProblems, type Finding, type Problems } from './problems.ts';
import { MAX_BYTES, type PolicySource } from './sources.ts';

// Bytes → text → YAML document. Texts that the YAML library takes seconds for, or dies of, are refused before.

/** Without a document if the text itself is refused. */
export function readYaml({ file, content }: Pick<PolicySource, 'file' | 'content'>): {
  readonly problems: Problems;
  readonly document?: Document.Parsed;
} {
  const isText = content instanceof Uint8Array && content.length <= MAX_BYTES;
  const text = isText ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(content) : '';
  const problems = collectProblems(file, text);
  const trouble = findTrouble(text, content);
  if (!trouble) return { problems, document: parseYaml(text, problems) };
  problems.add({ code: 'unreadable', ...trouble });
  return { problems };
}

function parseYaml(text: string, problems: Problems): Document.Parsed {
  const document = parseDocument(text, {
    strict: true,
    stringKeys: true,
    // Its own comparison of each key with each takes a minute for a megabyte of keys: `fields.ts` looks for them.
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  for (const error of [...document.errors, ...document.warnings])
    problems.add({ ...toFinding(error, text), code: 'syntax' });
  if (document.directives.yaml.explicit) {
    const offset = Math.max(0, text.indexOf('%YAML'));
    const remedy = 'Remove the line, and the `---` below it.';
    problems.add({ code: 'syntax', offset, message: 'Directives have no meaning here.', remedy });
  }
  return document;
}

const QUOTE = 'Put quotes around it.';

/** The library speaks of its grammar; people want to know what to change. */
const SYNTAX: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  TAB_AS_INDENT: ['A tab cannot indent.', 'Indent with spaces.'],
  MULTIPLE_DOCS: ['A second document begins here.', 'Remove the `---`: one document is all that is read.'],
  TAG_RESOLVE_FAILED: ['Tags have no meaning here.', 'Put quotes around a text that begins with `!`.'],
  BAD_ALIAS: ['A text cannot begin with `*`.', QUOTE],
  BLOCK_AS_IMPLICIT_KEY: [
    'A `key: value` cannot stand in the line of another.',
    'Break the line. If it is a text with a colon in it, put quotes around it.',
  ],
  NON_STRING_KEY: ['This cannot be a key.', QUOTE],
};

function toFinding({ code, message, pos: [offset] }: YAMLError, text: string): Trouble {
  const [known, remedy] = SYNTAX[code] ?? [];
  if (known && remedy) return { offset, message: known, remedy };
  if (code === 'BAD_SCALAR_START')
    return { offset, message: `A text cannot begin with \`${text[offset] ?? ''}\`.`, remedy: QUOTE };
  if (code === 'UNEXPECTED_TOKEN' && message.startsWith('Block scalar header'))
    return { offset: offset - 1, message: 'A text cannot begin with `>`.', remedy: QUOTE };
  return { offset, message: `This is no YAML: ${message[0]?.toLowerCase() ?? ''}${message.slice(1)}.` };
}

type Trouble = Omit<Finding, 'code'>;

/** What editors show in another way than programs read it is refused: a policy must be what people see. */
function findTrouble(text: string, content: PolicySource['content']): Trouble | undefined {
  if (!(content instanceof Uint8Array)) return { offset: 0, message: content.trouble };
  if (content.length > MAX_BYTES) {
    const message = `The file has ${content.length} bytes; it may have at most ${MAX_BYTES}.`;
    return { offset: 0, message, remedy: 'Say it with fewer rules: patterns may hold `*`.' };
  }
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
