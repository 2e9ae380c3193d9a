/** What a page is made of. */
export type Chunks = Iterable<string> | AsyncIterable<string>;

const BATCH = 128 * 1024;

/** The same text in fewer and larger pieces, none of which ends in the middle of a character. */
export async function* inBatches(chunks: Chunks): AsyncGenerator<string> {
  let batch = '';
  for await (const chunk of chunks) {
    batch += chunk;
    if (batch.length < BATCH) continue;
    // Half of a surrogate pair would be written as a replacement character.
    const end = isHighSurrogate(batch.charCodeAt(batch.length - 1)) ? batch.length - 1 : batch.length;
    yield batch.slice(0, end);
    batch = batch.slice(end);
  }
  if (batch !== '') yield batch;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
