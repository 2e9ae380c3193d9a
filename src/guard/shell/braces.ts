// `{a,b}` → a, b. Only where nothing but plain text stands inside; the rest is not told apart.
import { ANYTHING, GLOB_ONE, GLOB_STAR } from './marks.ts';

const MAX_DEPTH = 8;

/** Null where it cannot be said by looking at it. */
export function expandBraces(text: string): string[] | null {
  if (/[\\'"$`\s]/.test(text)) return null;
  return expand(text, 0);
}

function expand(text: string, depth: number): string[] | null {
  if (depth > MAX_DEPTH) return null;
  const open = text.indexOf('{');
  if (open < 0) return [markGlobs(text)];
  const choices = splitChoices(text, open);
  if (choices === null) return [markGlobs(text)];
  // {1..9} has no comma, and is a list all the same.
  if (choices.items.length === 1) return text.includes('..') ? [ANYTHING] : [markGlobs(text)];
  const before = text.slice(0, open);
  const after = text.slice(choices.end);
  const results: string[] = [];
  for (const item of choices.items) {
    const expanded = expand(before + item + after, depth + 1);
    if (expanded === null) return null;
    results.push(...expanded);
    if (results.length > 256) return null;
  }
  return results;
}

function splitChoices(text: string, open: number): { readonly items: string[]; readonly end: number } | null {
  const items: string[] = [];
  let level = 0;
  let start = open + 1;
  for (let index = open; index < text.length; index++) {
    const char = text[index];
    if (char === '{') level++;
    else if (char === ',' && level === 1) {
      items.push(text.slice(start, index));
      start = index + 1;
    } else if (char === '}' && --level === 0) {
      items.push(text.slice(start, index));
      return { items, end: index + 1 };
    }
  }
  return null;
}

function markGlobs(text: string): string {
  return text.replace(/\*/g, GLOB_STAR).replace(/\?|\[[^\]]*\]/g, GLOB_ONE);
}
