/** Two for a file that is read, and one for one that is written meanwhile. */
const MOST_KEPT = 3;
const spare: Buffer[] = [];

/**
 * Memory of at least this size, whatever stands in it, for the work of a moment. Who reads hundreds of files would
 * otherwise ask the system for each one, and V8 would look for garbage all the time, as if that memory were its own.
 */
export function borrowBuffer(size: number): Buffer {
  const at = spare.findIndex(({ length }) => length >= size);
  return (at < 0 ? undefined : spare.splice(at, 1)[0]) ?? Buffer.allocUnsafeSlow(size);
}

/** Nobody may hold on to any part of it. */
export function returnBuffer(buffer: Buffer): void {
  spare.push(buffer);
  // The large ones serve everybody.
  spare.sort((a, b) => b.length - a.length);
  spare.length = Math.min(spare.length, MOST_KEPT);
}
