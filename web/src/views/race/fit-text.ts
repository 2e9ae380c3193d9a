/** How wide a text is in a font. */
export type Measure = (text: string, font: string) => number;

/** A text cut to a width, and how wide it is then. */
export interface Fitted {
  readonly text: string;
  readonly width: number;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** No lane is as wide as this many characters. */
const LONGEST = 500;
/** The same texts are drawn frame after frame. */
const MOST_KNOWN = 3000;

/** Cuts texts with … at the width they have, never through a grapheme. */
export function createFitter(measure: Measure): (text: string, font: string, room: number) => Fitted {
  const widths = new Map<string, number>();
  const cuts = new Map<string, Fitted>();
  const widthOf = (text: string, font: string): number => recall(widths, `${font}\n${text}`, () => measure(text, font));
  return (text, font, room) => {
    const whole = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const width = whole.length === text.length ? widthOf(whole, font) : Number.POSITIVE_INFINITY;
    if (width <= room) return { text, width };
    // Whole pixels: a moving car would otherwise ask for a new cut in every frame.
    const pixels = Math.floor(room);
    return recall(cuts, `${pixels}\n${font}\n${whole}`, () => cutTo(whole, pixels, (part) => measure(part, font)));
  };
}

function recall<T>(known: Map<string, T>, key: string, make: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

function cutTo(text: string, room: number, measure: (text: string) => number): Fitted {
  const graphemes = [...segmenter.segment(text)].map(({ segment }) => segment);
  const head = (count: number): string => `${graphemes.slice(0, count).join('').trimEnd()}…`;
  if (measure('…') > room) return { text: '', width: 0 };
  let [low, high] = [0, graphemes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(head(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const cut = head(low);
  return { text: cut, width: measure(cut) };
}
