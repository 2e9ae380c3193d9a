import { asObject, type JsonObject } from '../lib/json.ts';

/** What a hook was handed, and what we knew beside it. */
export interface Spooled {
  readonly payload: unknown;
  readonly extra: JsonObject;
}

export const MAX_SPOOL_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

/**
 * The payload as the host gave it, then a line of ours. Nothing where that is not JSON, and no guess at what it may have
 * been. The last line is ours only if there is a payload before it: the host's own may span lines.
 */
export function parseSpooled(bytes: Uint8Array): Spooled | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = text.length;
  while (end > 0 && text[end - 1] === NEWLINE) end--;
  const cut = end === 0 ? -1 : text.lastIndexOf(NEWLINE, end - 1);
  const extra = cut === -1 ? undefined : asObject(parse(text.toString('utf8', cut, end)));
  const payload = extra && parse(text.toString('utf8', 0, cut));
  if (extra && payload !== undefined) return { payload, extra };
  const whole = parse(text.toString('utf8', 0, end));
  return whole === undefined ? undefined : { payload: whole, extra: {} };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
