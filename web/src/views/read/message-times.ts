import type { Book } from './book.ts';

/** The last message that was said by then; the first one where none was. Messages stand nearly in the order of time. */
export async function lastMessageAt(
  book: Pick<Book, 'at' | 'load' | 'total'>,
  at: number,
): Promise<number | undefined> {
  let low = 0;
  let high = book.total.peek() ?? 0;
  if (high === 0) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (!book.at(middle)) await book.load(middle, middle + 1);
    if (timeOf(book, middle) <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** One without a time stands where its neighbour does: the one before it, or else, of what was read, the one behind. */
function timeOf(book: Pick<Book, 'at'>, index: number): number {
  for (const step of [-1, 1]) {
    for (let at = index, message = book.at(at); message; at += step, message = book.at(at))
      if (message.timestamp !== null) return Date.parse(message.timestamp);
  }
  return Number.NEGATIVE_INFINITY;
}
