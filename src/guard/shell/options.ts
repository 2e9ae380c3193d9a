// The options before a command that stands inside another one: `sudo -u x rm y` → rm y.
import { isUnsure, maySplit } from './marks.ts';
import type { ShellWord } from './words.ts';

export interface OptionSpec {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters with a value, in the same word or the next. */
  readonly values?: string;
  /** Letters with a value in the same word, or none. */
  readonly attached?: string;
  /** Long ones, blanks between them; `name=` takes a value. */
  readonly long?: string;
}

export interface ReadOptions {
  readonly options: readonly { readonly name: string; readonly value: ShellWord | null }[];
  /** From the first word that is no option. */
  readonly rest: readonly ShellWord[];
  /** Every option was one of the spec's: `rest` really begins where it says. */
  readonly isSure: boolean;
}

/** `words` without the command itself. */
export function readOptions(words: readonly ShellWord[], spec: OptionSpec): ReadOptions {
  const long = new Set((spec.long ?? '').split(' '));
  const options: { name: string; value: ShellWord | null }[] = [];
  let index = 0;
  const done = (isSure: boolean) => ({ options, rest: words.slice(index), isSure });
  for (; index < words.length; index++) {
    const word = words[index] as ShellWord;
    // What may be no word or several may hold options of its own.
    if (maySplit(word.form) || (isUnsure(word.form[0] ?? '') && index === 0)) return done(false);
    if (!word.form.startsWith('-') || word.form === '-') return done(true);
    if (word.form === '--') {
      index++;
      return done(true);
    }
    if (word.form.startsWith('--')) {
      const equals = word.form.indexOf('=');
      const name = equals < 0 ? word.form.slice(2) : word.form.slice(2, equals);
      if (equals >= 0) options.push({ name, value: cut(word, equals + 1) });
      else if (long.has(`${name}=`)) options.push({ name, value: words[++index] ?? null });
      else if (long.has(name)) options.push({ name, value: null });
      else return done(false);
      continue;
    }
    for (let at = 1; at < word.form.length; at++) {
      const letter = word.form[at] as string;
      if (spec.attached?.includes(letter)) {
        options.push({ name: letter, value: at + 1 < word.form.length ? cut(word, at + 1) : null });
        break;
      }
      if (spec.values?.includes(letter)) {
        const value = at + 1 < word.form.length ? cut(word, at + 1) : (words[++index] ?? null);
        options.push({ name: letter, value });
        break;
      }
      if (!spec.flags?.includes(letter)) return done(false);
      options.push({ name: letter, value: null });
    }
  }
  return done(true);
}

export function optionValue(read: ReadOptions, ...names: readonly string[]): ShellWord | null {
  return read.options.find(({ name, value }) => value !== null && names.includes(name))?.value ?? null;
}

export function hasOption(read: ReadOptions, ...names: readonly string[]): boolean {
  return read.options.some(({ name }) => names.includes(name));
}

function cut(word: ShellWord, from: number): ShellWord {
  const form = word.form.slice(from);
  return { form, text: form };
}
