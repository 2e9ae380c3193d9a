// How much of a text a budget of tokens holds. Nobody can count tokens of every model here: four bytes are about one.

const BYTES_PER_TOKEN = 4;

/** Rounded up; of texts in scripts with long characters rather too many than too few. */
export function tokensIn(text: string): number {
  return Math.ceil(bytesIn(text) / BYTES_PER_TOKEN);
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export interface CutText {
  readonly text: string;
  /** How many characters had no place. */
  readonly cut: number;
}

/** Its beginning and its end, with a mark between them that says how much is missing. */
export function cutMiddle(text: string, tokens: number): CutText {
  if (tokensIn(text) <= tokens) return { text, cut: 0 };
  const characters = Array.from(text);
  const perCharacter = bytesIn(text) / characters.length;
  const room = Math.max(0, Math.floor((tokens * BYTES_PER_TOKEN - MARK_BYTES) / perCharacter));
  const tail = Math.floor(room / 3);
  const cut = characters.length - room;
  const begin = characters.slice(0, room - tail).join('');
  const end = tail === 0 ? '' : characters.slice(-tail).join('');
  return { text: `${begin}\n[… ${cut} characters left out …]\n${end}`.trim(), cut };
}

const MARK_BYTES = 48;

export function cutEnd(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
