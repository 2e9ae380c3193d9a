/** The only targets that become links. Everything else that calls itself one is shown as text. */
const WEB = /^https?:\/\/[^\s\u0000-\u0020"'<>\\`{}|^\u007f-\u00a0]{1,2000}$/i;

export function isWebLink(target: string): boolean {
  return WEB.test(target);
}

const ADDRESS = /https?:\/\/[^\s\u0000-\u0020"'<>\\`{}|^\u007f-\u00a0]{1,2000}/gi;
/** Behind an address in running text, these belong to the sentence. */
const TRAILING = /[.,;:!?)\]]+$/;

export interface TextPiece {
  readonly text: string;
  readonly href?: string;
}

/** Addresses in plain text, apart from what stands between them. */
export function splitLinks(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const href = found.replace(TRAILING, '');
    if (!isWebLink(href)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: href, href });
    from = index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
