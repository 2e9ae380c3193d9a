/** Short texts in which nothing was found: names of fields come again and again, and ids of calls with their results. */
export interface PlainWords {
  has(text: string): boolean;
  add(text: string): void;
  /** What was plain may not be any more. */
  forget(): void;
}

const LONGEST = 64;

/** A few megabytes; further ones are looked through each time. */
const MOST = 50_000;

export function createPlainWords(): PlainWords {
  const words = new Set<string>();
  return {
    has: (text) => text.length <= LONGEST && words.has(text),
    add: (text) => {
      if (text.length <= LONGEST && words.size < MOST) words.add(text);
    },
    forget: () => words.clear(),
  };
}
