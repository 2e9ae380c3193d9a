/** How many hits there are in which message. */
export interface HitCounts {
  set(message: number, count: number): void;
  of(message: number): number;
  /** In all messages. */
  sum(): number;
  /** In those before this one. */
  sumBefore(message: number): number;
  /** The first message with a hit, from this one on. */
  firstFrom(message: number): number | undefined;
  /** The last message with a hit before this one. */
  lastBefore(message: number): number | undefined;
  clear(): void;
}

export function createHitCounts(): HitCounts {
  const counts = new Map<number, number>();
  /** Messages with hits, in their order. */
  let order: number[] = [];
  let sum = 0;
  const placeOf = (message: number): number => {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order[middle] ?? 0) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    set(message, count) {
      const before = counts.get(message) ?? 0;
      sum += count - before;
      if (count === before) return;
      if (before === 0) order.splice(placeOf(message), 0, message);
      if (count === 0) order.splice(placeOf(message), 1);
      if (count === 0) counts.delete(message);
      else counts.set(message, count);
    },
    of: (message) => counts.get(message) ?? 0,
    sum: () => sum,
    sumBefore: (message) =>
      order.slice(0, placeOf(message)).reduce((before, one) => before + (counts.get(one) ?? 0), 0),
    firstFrom: (message) => order[placeOf(message)],
    lastBefore: (message) => order[placeOf(message) - 1],
    clear() {
      counts.clear();
      order = [];
      sum = 0;
    },
  };
}
