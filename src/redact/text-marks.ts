/** Numbers of texts, in the order in which a message is walked through. */
export type MarkedTexts = Pick<ReadonlySet<number>, 'has'>;

export const ALL_TEXTS: MarkedTexts = { has: () => true };
export const NO_TEXTS: MarkedTexts = new Set();

/** Which texts of a message hold something. */
export interface TextMarks {
  /** Whether the next text was marked before, and has to be looked through. One outside of every message has. */
  readonly isNextOpen: () => boolean;
  /** The text that came last holds something. */
  readonly markLast: () => void;
  /** All texts that come while `walkOn` runs are those of one message. `before`: what was marked in the very same one. */
  readonly within: <Result>(
    before: MarkedTexts,
    walkOn: () => Result,
  ) => { readonly result: Result; readonly marked: MarkedTexts | undefined };
}

export function createTextMarks(): TextMarks {
  let before: MarkedTexts | undefined;
  let marked: Set<number> | undefined;
  let count = 0;
  return {
    isNextOpen: () => before === undefined || before.has(count++),
    markLast: () => {
      if (before === undefined) return;
      marked ??= new Set();
      marked.add(count - 1);
    },
    within: (beforeHere, walkOn) => {
      before = beforeHere;
      marked = undefined;
      count = 0;
      try {
        return { result: walkOn(), marked };
      } finally {
        before = undefined;
      }
    },
  };
}
