/** What a page is made of. */
export type Chunks = Iterable<string> | AsyncIterable<string>;

const BATCH = 128 * 1024;

/** The same text in fewer and larger pieces, none of which ends in the middle of a character. */
export async function* inBatches(chunks: Chunks): AsyncGenerator<string> {
  let batch = '';
  const takeFull = (): string | undefined => {
    if (batch.length < BATCH) return undefined;
    // Half of a surrogate pair would be written as a replacement character.
    const end = isHighSurrogate(batch.charCodeAt(batch.length - 1)) ? batch.length - 1 : batch.length;
    const full = batch.slice(0, end);
    batch = batch.slice(end);
    return full;
  };
  // To wait for what is there already takes longer than to draw it.
  if (Symbol.iterator in chunks)
    for (const chunk of chunks) {
      batch += chunk;
      const full = takeFull();
      if (full !== undefined) yield full;
    }
  else
    for await (const chunk of chunks) {
      batch += chunk;
      const full = takeFull();
      if (full !== undefined) yield full;
    }
  if (batch !== '') yield batch;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
