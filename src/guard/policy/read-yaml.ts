import { type Document, parseDocument, type YAMLError } from 'yaml';
import type { Problems } from './problems.ts';

export function readYaml(text: string, problems: Problems): Document.Parsed {
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
    const remedy = 'Remove the line, and the `---` below it.';
    problems.add({
      code: 'syntax',
      offset: Math.max(0, text.indexOf('%YAML')),
      message: 'Directives have no meaning here.',
      remedy,
    });
  }
  return document;
}

interface Saying {
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
}

/** The library speaks of its grammar; people want to know what to change. */
function toFinding({ code, message, pos: [offset] }: YAMLError, text: string): Saying {
  switch (code) {
    case 'TAB_AS_INDENT':
      return { offset, message: 'A tab cannot indent.', remedy: 'Indent with spaces.' };
    case 'MULTIPLE_DOCS':
      return {
        offset,
        message: 'A second document begins here.',
        remedy: 'Remove the `---`: one document is all that is read.',
      };
    case 'TAG_RESOLVE_FAILED':
      return {
        offset,
        message: 'Tags have no meaning here.',
        remedy: 'Put quotes around a text that begins with `!`.',
      };
    case 'BAD_SCALAR_START':
      return { offset, message: `A text cannot begin with \`${text[offset] ?? ''}\`.`, remedy: QUOTE };
    case 'BAD_ALIAS':
      return { offset, message: 'A text cannot begin with `*`.', remedy: QUOTE };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        offset,
        message: 'A `key: value` cannot stand in the line of another.',
        remedy: `Break the line. ${OR_QUOTE}`,
      };
    case 'UNEXPECTED_TOKEN':
      if (message.startsWith('Block scalar header'))
        return { offset: offset - 1, message: 'A text cannot begin with `>`.', remedy: QUOTE };
      break;
    case 'NON_STRING_KEY':
      return { offset, message: 'This cannot be a key.', remedy: QUOTE };
    default:
  }
  return { offset, message: `This is no YAML: ${message[0]?.toLowerCase() ?? ''}${message.slice(1)}.` };
}

const QUOTE = 'Put quotes around it.';
const OR_QUOTE = 'If it is a text with a colon in it, put quotes around it.';
