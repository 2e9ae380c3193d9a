import { mergeReplacements, type Replacement } from './candidates.ts';

/** Each text on its own, and all of them as the lines of one: what stands across several is taken out of each. */
export function findInLines(
  texts: readonly string[],
  find: (text: string) => readonly Replacement[],
): readonly (readonly Replacement[])[] {
  const perText = texts.map((text) => [...find(text)]);
  let start = 0;
  const starts = texts.map((text) => {
    const here = start;
    start += text.length + 1;
    return here;
  });
  for (const replacement of find(texts.join('\n')))
    texts.forEach((text, index) => {
      const from = Math.max(0, replacement.start - (starts[index] ?? 0));
      const to = Math.min(text.length, replacement.end - (starts[index] ?? 0));
      if (from < to) perText[index]?.push({ ...replacement, start: from, end: to });
    });
  return perText.map(mergeReplacements);
}
