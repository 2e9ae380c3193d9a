// What is only known when a command runs stands in words as one of these characters, which no command may hold itself.

/** Anything, in any number of words: `$x`, `$(…)`. */
export const ANYTHING = '\uE000';
/** Anything, but inside one word: `"$x"`. */
export const IN_WORD = '\uE001';
/** What `*` of a glob comes to: no slash; any number of words. */
export const GLOB_STAR = '\uE002';
/** What `?` or `[…]` of a glob comes to. */
export const GLOB_ONE = '\uE003';
/** A blank inside a word: patterns have blanks between words only. Line breaks, tabs and the like inside it stay as they are. */
export const INNER_BLANK = '\uE004';

/** From here on: one of a few texts, each known (`$f` in `for f in a b`); which ones is kept beside. One word. */
export const FIRST_CHOICE = 0xe010;
export const MAX_CHOICES = 64;
export const CHOICE = /[\uE010-\uE04F]/;

const MARK = /[\uE000-\uE04F]/;
export const UNSURE = /[\uE000-\uE003\uE010-\uE04F]/;
const SEVERAL_WORDS = /[\uE000\uE002\uE003]/;

export function holdsMark(text: string): boolean {
  return MARK.test(text);
}

/** Is some of it only known when it runs? */
export function isUnsure(form: string): boolean {
  return UNSURE.test(form);
}

/** May it come to more words than one, or to none? */
export function maySplit(form: string): boolean {
  return SEVERAL_WORDS.test(form);
}

/** The words as one line of marks, as patterns are held against it. */
export function joinForms(forms: readonly string[]): string {
  return forms.map((form) => form.replaceAll(' ', INNER_BLANK)).join(' ');
}
