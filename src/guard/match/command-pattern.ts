// `Bash(git log:*)`, `Bash(git * main)`, `Bash(npm test)` against a simple command.
import type { CallUses, SimpleCommand } from '../call.ts';
import { INNER_BLANK } from '../shell/marks.ts';
import { baseName } from '../shell/posix-path.ts';
import { isHarmlessVariable } from '../shell/variables.ts';
import { ANY, type Certainty, commandTokens, literal, MAYBE_TWO, matches, type Token } from './wildcard.ts';

interface CommandPattern {
  readonly tokens: readonly Token[];
  /** How many words stand before the first wildcard; null: it has none. */
  readonly fixedWords: number | null;
}

/** Is it a pattern for every command? */
export function isEveryCommand(argument: string): boolean {
  return /^:?\*+$/.test(argument.trim());
}

/** Deny and ask: in any path, whatever is set before it, however it is written large or small. */
export function mayBeCommand(argument: string, command: SimpleCommand): boolean {
  const [first = '', ...rest] = command.form.split(' ');
  const pattern = readPattern(foldFirst(argument));
  const folded = [baseName(first).toLowerCase().normalize('NFKC'), ...rest].join(' ');
  return (
    holds(pattern, folded, 'may') ||
    holds(pattern, [first.toLowerCase(), ...rest].join(' '), 'may') ||
    // A blank inside a word is not told from one between words: `"rm -rf" x` is denied too.
    (folded.includes(INNER_BLANK) && holds(pattern, folded.replaceAll(INNER_BLANK, ' '), 'may'))
  );
}

/** Allow: this command, or the one around it in words that name this one too. */
export function mustBeCommand(argument: string, command: SimpleCommand, uses: CallUses): boolean {
  const pattern = readPattern(argument);
  if (!command.sets.every(isHarmlessVariable)) return false;
  if (holds(pattern, command.form, 'must')) return true;
  let before = 0;
  for (let inner = command; inner.within !== null; ) {
    const { index, at } = inner.within;
    const outer: SimpleCommand | undefined = uses.commands[index];
    if (outer === undefined || !outer.sets.every(isHarmlessVariable)) return false;
    before = at < 0 || before < 0 ? -1 : before + at;
    const isNamed = pattern.fixedWords === null || (before >= 0 && pattern.fixedWords > before);
    if (isNamed && holds(pattern, outer.form, 'must')) return true;
    inner = outer;
  }
  return false;
}

function holds(pattern: CommandPattern, form: string, certainty: Certainty): boolean {
  return matches(pattern.tokens, commandTokens(form), certainty);
}

function foldFirst(argument: string): string {
  const end = argument.search(/[\s:*]/);
  const first = end < 0 ? argument : argument.slice(0, end);
  return first.toLowerCase().normalize('NFKC') + (end < 0 ? '' : argument.slice(end));
}

function readPattern(argument: string): CommandPattern {
  let text = takeQuotes(argument.trim()).replace(/ +/g, ' ');
  const list: Token[] = [];
  // `:*` and ` *` at the end are one: that word, alone or with more behind it.
  const isPrefix = text.endsWith(':*') || (text.endsWith(' *') && text.indexOf('*') === text.length - 1);
  if (isPrefix) text = text.slice(0, -2);
  const first = text.indexOf('*');
  for (const [index, part] of text.split(/\*+/).entries()) {
    if (index > 0) list.push(ANY);
    list.push(...literal(part));
  }
  if (isPrefix) list.push(MAYBE_TWO, 32, ANY);
  const fixed =
    first < 0
      ? text
      : text
          .slice(0, first)
          .replace(/[^ ]*$/, '')
          .trimEnd();
  return { tokens: list, fixedWords: first < 0 && !isPrefix ? null : fixed === '' ? 0 : fixed.split(' ').length };
}

/** Patterns are written as commands are: `git commit -m "a b"` has four words. */
function takeQuotes(text: string): string {
  return text.replace(/"([^"]*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) =>
    (double ?? single ?? '').replaceAll(' ', INNER_BLANK),
  );
}
