import path from 'node:path';
import * as v from 'valibot';
import { type Sessions, setOwnPrices } from '../core/index.ts';
import { readText } from '../lib/regular-file.ts';
import { configFolder } from '../lib/state-folder.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import { readAllowed, readCustomPattern } from '../redact/index.ts';
import { thisMachine } from './places.ts';

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
  v.check((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'Not an address of the web'),
);

/** Telegram's numbers of chats and people: whole, and never 0. */
const number = v.pipe(
  v.number(),
  v.safeInteger(),
  v.check((value) => value !== 0, 'Not the number of a chat'),
);

const TelegramSchema = v.strictObject({
  chats: v.optional(v.array(number)),
  users: v.optional(v.array(number)),
  sessions: v.optional(v.picklist(['topic', 'chat'])),
  announce: v.optional(announce),
  quietHours: v.optional(v.strictObject({ from: clockTime, to: clockTime })),
  /** In place of Telegram's own: a Bot API server of the person's. */
  apiRoot: v.optional(address),
});

const WebhookSchema = v.strictObject({
  url: v.optional(address),
  form: v.optional(v.picklist(['troupe', 'slack', 'discord'])),
  announce: v.optional(announce),
});

/** Minutes since midnight. */
export function minutesOf(text: string): number {
  const [, hours = '0', minutes = '0'] = CLOCK.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

/** At most a day: longer waits are more than a timer takes. */
const seconds = v.pipe(v.number(), v.minValue(1), v.maxValue(86_400));

/** What keeps it from being used is the message. */
const usableBy = <T>(read: (value: T) => unknown) =>
  v.rawCheck<T>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? read(dataset.value) : undefined;
    if (typeof problem === 'string') addIssue({ message: problem });
  });
const customPattern = v.pipe(v.strictObject({ name: v.string(), pattern: v.string() }), usableBy(readCustomPattern));
const allowed = v.pipe(v.string(), usableBy(readAllowed));

/** US dollars for a million tokens. */
const usd = v.pipe(v.number(), v.finite(), v.minValue(0));

const PriceSchema = v.strictObject({
  input: usd,
  output: usd,
  cacheRead: v.optional(usd),
  cacheWrite: v.optional(usd),
  cacheWrite1h: v.optional(usd),
  window: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

const CostSchema = v.strictObject({
  /** Exact names of models. Replaces what the table says of one. */
  prices: v.optional(v.record(v.pipe(v.string(), v.nonEmpty()), PriceSchema)),
  /** Hosts that the person pays by the month: what their tokens would cost by the price list is no bill. */
  subscriptions: v.optional(v.array(v.pipe(v.string(), v.nonEmpty()))),
});

/** `config.json`; everything in it may be left out (docs/CONFIG.md). A word that is not known is a mistake, not a wish. */
const ConfigSchema = v.strictObject({
  $schema: v.optional(v.string()),
  live: v.optional(
    v.strictObject({
      /** Sessions younger than this are followed; others are listed, and read when somebody looks. */
      windowHours: v.optional(v.pipe(v.number(), v.minValue(0))),
      windowSessions: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      /** How often to look without being told. */
      sweepSeconds: v.optional(seconds),
      /** The silence after which an agent counts as stalled, by what it waits for. */
      stalledAfterSeconds: v.optional(
        v.strictObject({ start: v.optional(seconds), reply: v.optional(seconds), tool: v.optional(seconds) }),
      ),
    }),
  ),
  audit: v.optional(
    /** Older files of the audit are removed. */
    v.strictObject({ keepDays: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))) }),
  ),
  /** What is taken out of everything that is exported, beside the secrets that everybody has (docs/REDACTION.md). */
  redact: v.optional(
    v.strictObject({
      patterns: v.optional(v.array(customPattern)),
      /** Values that may be shown: a text, or a `/regular expression/` that a whole value matches. */
      allow: v.optional(v.array(allowed)),
      pii: v.optional(v.boolean()),
    }),
  ),
  /** docs/explanation/cost.md */
  cost: v.optional(CostSchema),
  server: v.optional(
    v.strictObject({ port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))) }),
  ),
  /** docs/TELEGRAM.md */
  telegram: v.optional(TelegramSchema),
  /** docs/WEBHOOK.md */
  webhook: v.optional(WebhookSchema),
});

export type Config = v.InferOutput<typeof ConfigSchema>;

/** No file is no wishes; a file with a mistake in it is an error that says where. */
export async function readConfig(folder: string): Promise<Config> {
  const file = path.join(folder, 'config.json');
  const invalid = (what: string, cause?: unknown): UserError =>
    new UserError('config-invalid', `${file}: ${what}`, 'Correct it, or remove the file.', { cause });
  const text = await readText(file).catch((error: unknown) => {
    // One that we may not read holds wishes that would be passed over in silence.
    if (codeOf(error) === 'ENOENT') return '{}';
    throw invalid(error instanceof Error ? error.message : String(error), error);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(`not JSON (${cause instanceof Error ? cause.message : cause})`, cause);
  }
  // To valibot a list is an object, too.
  if (Array.isArray(value)) throw invalid('the whole: it must be an object');
  const result = v.safeParse(ConfigSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw invalid(`${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`);
}

/** Of this machine's person; from then on, costs are counted with their prices. */
export async function readOwnSettings(): Promise<Config> {
  const { env, home } = thisMachine();
  const config = await readConfig(configFolder(env, home));
  setOwnPrices(config.cost?.prices);
  return config;
}

export function withOwnPrices(sessions: Sessions): Sessions {
  return {
    list: async (options) => {
      await readOwnSettings();
      return sessions.list(options);
    },
    open: async (...wanted) => {
      await readOwnSettings();
      return sessions.open(...wanted);
    },
    openTree: async (...wanted) => {
      await readOwnSettings();
      return sessions.openTree(...wanted);
    },
  };
}
