// What Telegram's Bot API says no to, in its own words (core.telegram.org/bots/api, and answers of the real one).

export class Refusal extends Error {
  readonly code: number;
  readonly parameters: { readonly retry_after?: number };

  constructor(code: number, description: string, parameters: { retry_after?: number } = {}) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const bad = (words: string): Refusal => new Refusal(400, `Bad Request: ${words}`);

export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

const KINDS = new Set(['bold', 'italic', 'code', 'pre', 'underline', 'strikethrough', 'spoiler', 'blockquote']);

/** Throws where the real one would: units are those of UTF-16, after entities are taken out. */
export function checkText(text: unknown, entities: unknown, most: number): asserts text is string {
  if (typeof text !== 'string' || text.trim() === '') throw bad('message text is empty');
  if (/\p{Cs}/u.test(text)) throw bad('strings must be encoded in UTF-8');
  if (text.length > most) throw bad(most === 4096 ? 'message is too long' : 'message caption is too long');
  if (entities === undefined) return;
  if (!Array.isArray(entities)) throw bad("can't parse entities: expected an array");
  let end = 0;
  for (const { type, offset, length } of entities as Entity[]) {
    if (!KINDS.has(type)) throw bad(`unsupported entity type "${type}"`);
    if (!Number.isInteger(offset) || !Number.isInteger(length) || length <= 0 || offset < 0)
      throw bad('entity has a wrong place');
    if (offset + length > text.length) throw bad(`entity beginning at ${offset} ends after the end of the text`);
    if (isInside(text, offset) || isInside(text, offset + length))
      throw bad(`entity beginning at UTF-16 offset ${offset} is in the middle of a UTF-16 symbol`);
    if (offset < end) throw bad('entities overlap');
    end = offset + length;
  }
}

function isInside(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

export interface Flood {
  /** Throws 429 where it is too much. */
  take(chat: number, isSend: boolean): void;
}

/** core.telegram.org/bots/faq: one message a second in a chat (short bursts are let through), 20 a minute in a group, 30 a second in all. */
export function createFlood(clock: () => number): Flood {
  const buckets = new Map<number, { tokens: number; at: number }>();
  const sends = new Map<number, number[]>();
  let all: number[] = [];
  const BURST = 3;
  const refuse = (ms: number): Refusal => {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  };
  return {
    take(chat, isSend) {
      const now = clock();
      all = all.filter((at) => now - at < 1_000);
      if (all.length >= 30) throw refuse(1_000);
      const bucket = buckets.get(chat) ?? { tokens: BURST, at: now };
      const tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / 1_000);
      if (tokens < 1) throw refuse((1 - tokens) * 1_000);
      const recent = (sends.get(chat) ?? []).filter((at) => now - at < 60_000);
      if (chat < 0 && isSend && recent.length >= 20) throw refuse(60_000 - (now - (recent[0] ?? now)));
      if (isSend) recent.push(now);
      sends.set(chat, recent);
      buckets.set(chat, { tokens: tokens - 1, at: now });
      all.push(now);
    },
  };
}
