import * as v from 'valibot';

/** Which news: what is left out is as in `ALL_NEWS`. */
const announce = v.strictObject({
  spawns: v.optional(v.boolean()),
  results: v.optional(v.boolean()),
  tools: v.optional(v.boolean()),
  started: v.optional(v.boolean()),
  notices: v.optional(v.boolean()),
});

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;
const clockTime = v.pipe(v.string(), v.regex(CLOCK, 'Not a time of day: write 22:00'));
const address = v.pipe(
  v.string(),
  v.check((text) => /^https?:$/.test(protocolOf(text)), 'Not an address of the web'),
);

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

/** Telegram's numbers of chats and people: whole, and never 0. */
const number = v.pipe(
  v.number(),
  v.safeInteger(),
  v.check((value) => value !== 0, 'Not the number of a chat'),
);

export const TelegramSchema = v.strictObject({
  chats: v.optional(v.array(number)),
  users: v.optional(v.array(number)),
  sessions: v.optional(v.picklist(['topic', 'chat'])),
  announce: v.optional(announce),
  quietHours: v.optional(v.strictObject({ from: clockTime, to: clockTime })),
  /** In place of Telegram's own: a Bot API server of the person's. */
  apiRoot: v.optional(address),
});

export const WebhookSchema = v.strictObject({
  url: v.optional(address),
  form: v.optional(v.picklist(['troupe', 'slack', 'discord'])),
  announce: v.optional(announce),
});

/** Minutes since midnight. */
export function minutesOf(text: string): number {
  const [, hours = '0', minutes = '0'] = CLOCK.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
}
