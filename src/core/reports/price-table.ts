// List prices and context windows of models: facts, each with its source and the day the source was read.

/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For five minutes, or for as long as the vendor keeps it. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

export interface PriceRow extends Rates {
  /** Every name that means this model, and nothing else. The first is the model's own. */
  readonly names: readonly string[];
  /** Tokens; null if no source names it. */
  readonly window: number | null;
  /** The whole request costs this if its context is larger than `above` tokens. */
  readonly long?: Rates & { readonly above: number };
  readonly source: PriceSource;
}

export const PRICE_SOURCES = {
  'claude-code': { text: 'Claude Code 2.1.325: its own costs and windows in recorded runs', readOn: '2026-11-16' },
  litellm: { text: 'LiteLLM, model_prices_and_context_window.json', readOn: '2026-07-24' },
  'models.dev': { text: 'models.dev, commit f3fc692', readOn: '2026-07-02' },
  settings: { text: 'your settings', readOn: null },
} as const;

export type PriceSource = keyof typeof PRICE_SOURCES;

interface ClaudeOptions {
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly dates?: readonly string[];
  readonly aliases?: readonly string[];
  readonly source?: PriceSource;
  /** The price of the whole request rises above 200,000 tokens: twice the input, one and a half times the output. */
  readonly isLongDearer?: true;
}

/** Claude models cost five times as much to write as to read; writing to the cache costs 1.25 times the input, for an hour twice. */
function claude(name: string, input: number, window: number, options: ClaudeOptions = {}): readonly PriceRow[] {
  const { cacheRead = input / 10, dates = [], aliases = [], source = 'claude-code', isLongDearer } = options;
  const { cacheWrite = input * 1.25 } = options;
  const rates = (times: number, timesOutput = times): Rates => ({
    input: rounded(input * times),
    output: rounded(input * 5 * timesOutput),
    cacheRead: rounded(cacheRead * times),
    cacheWrite: rounded(cacheWrite * times),
    cacheWrite1h: rounded(input * 2 * times),
  });
  const own = [name, ...dates.map((date) => `${name}-${date}`), ...aliases];
  const bedrock = [...own.map((one) => `anthropic.${one}`), ...dates.map((date) => `anthropic.${name}-${date}-v1:0`)];
  const dotted = own.map((one) => one.replace(/-(\d)-(\d)$/, '-$1.$2'));
  const row: PriceRow = {
    names: [
      ...new Set([
        ...own,
        ...dotted,
        ...[...own, ...dotted].map((one) => `anthropic/${one}`),
        ...['default', ...dates].map((date) => `${name}@${date}`),
        ...['', 'us.', 'global.'].flatMap((region) => bedrock.map((one) => region + one)),
      ]),
    ],
    ...rates(1),
    window,
    ...(isLongDearer && { long: { above: SMALL, ...rates(2, 1.5) } }),
    source,
  };
  if (!DEARER_IN_EUROPE.has(name)) return [row];
  return [row, { ...row, names: bedrock.map((one) => `eu.${one}`), ...rates(1.1), source: 'models.dev' }];
}

/** By a tenth, at Amazon's European endpoints. */
const DEARER_IN_EUROPE: ReadonlySet<string> = new Set([
  'claude-fable-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-opus-4-5',
  'claude-sonnet-5',
  'claude-sonnet-4-6',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
]);

function rounded(price: number): number {
  return Math.round(price * 1e6) / 1e6;
}

interface OtherOptions {
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly window: number;
  readonly aliases?: readonly string[];
  readonly long?: Pick<Rates, 'input' | 'output' | 'cacheRead'> & { readonly above: number };
  readonly source?: PriceSource;
}

/** Most vendors charge nothing extra for what they write to their cache. */
function other(name: string, input: number, output: number, options: OtherOptions): PriceRow {
  const { cacheRead = input, cacheWrite = input, window, aliases = [], long, source = 'litellm' } = options;
  const longWrite = long ? (cacheWrite / input) * long.input : 0;
  return {
    names: [name, ...aliases],
    ...{ input, output, cacheRead, cacheWrite, cacheWrite1h: cacheWrite },
    window,
    ...(long && { long: { ...long, cacheWrite: longWrite, cacheWrite1h: longWrite } }),
    source,
  };
}

const SMALL = 200_000;
const LARGE = 1_000_000;

const CLAUDE: readonly PriceRow[] = [
  claude('claude-fable-5', 10, LARGE),
  claude('claude-fable-5-1', 10, LARGE, { cacheRead: 0.25 }),
  claude('claude-fable-5-2', 8, LARGE, { cacheRead: 0.2 }),
  claude('claude-mythos-5', 10, LARGE),
  claude('claude-mythos-5-1', 10, LARGE, { cacheRead: 0.25 }),
  claude('claude-mythos-5-2', 8, LARGE, { cacheRead: 0.2 }),
  claude('claude-opus-5-5', 4, LARGE, { cacheRead: 0.2 }),
  claude('claude-opus-5', 5, LARGE),
  claude('claude-opus-4-8', 5, LARGE),
  claude('claude-opus-4-7', 5, LARGE, { dates: ['20260416'] }),
  claude('claude-opus-4-6', 5, SMALL, { dates: ['20260205'], aliases: ['claude-opus-4-6-v1'] }),
  claude('claude-opus-4-5', 5, SMALL, { dates: ['20251101'] }),
  claude('claude-opus-4-1', 15, SMALL, { dates: ['20250805'], source: 'litellm' }),
  claude('claude-opus-4', 15, SMALL, { dates: ['20250514'], aliases: ['claude-opus-4-0'], source: 'litellm' }),
  claude('claude-3-opus', 15, SMALL, { dates: ['20240229'], aliases: ['claude-3-opus-latest'], source: 'litellm' }),
  claude('claude-sonnet-5-5', 2, LARGE, { cacheRead: 0.1 }),
  claude('claude-sonnet-5', 2, LARGE),
  claude('claude-sonnet-4-6', 3, SMALL),
  claude('claude-sonnet-4-5', 3, SMALL, { dates: ['20250929'], isLongDearer: true }),
  claude('claude-sonnet-4', 3, SMALL, {
    dates: ['20250514'],
    aliases: ['claude-sonnet-4-0'],
    source: 'litellm',
    isLongDearer: true,
  }),
  claude('claude-3-7-sonnet', 3, SMALL, {
    dates: ['20250219'],
    aliases: ['claude-3-7-sonnet-latest'],
    source: 'litellm',
  }),
  claude('claude-3-5-sonnet', 3, SMALL, {
    dates: ['20241022', '20240620'],
    aliases: ['claude-3-5-sonnet-latest', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
    source: 'models.dev',
  }),
  claude('claude-haiku-5-5', 0.1, LARGE),
  claude('claude-haiku-4-5', 1, SMALL, { dates: ['20251001'] }),
  claude('claude-3-5-haiku', 0.8, SMALL, { dates: ['20241022'], aliases: ['claude-3-5-haiku-latest'] }),
  claude('claude-3-haiku', 0.25, SMALL, { dates: ['20240307'], cacheRead: 0.03, cacheWrite: 0.3, source: 'litellm' }),
].flat();

/** What they take in; the answer comes on top. */
const GPT_LONG = 272_000;

const OPENAI: readonly PriceRow[] = [
  ...['gpt-5.6', 'gpt-5.6-sol'].map((name) =>
    other(name, 5, 30, {
      cacheRead: 0.5,
      cacheWrite: 6.25,
      window: name === 'gpt-5.6' ? 1_050_000 : 400_000,
      long: { above: GPT_LONG, input: 10, output: 45, cacheRead: 1 },
    }),
  ),
  other('gpt-5.6-terra', 2.5, 15, {
    cacheRead: 0.25,
    cacheWrite: 3.125,
    window: 400_000,
    long: { above: GPT_LONG, input: 5, output: 22.5, cacheRead: 0.5 },
  }),
  other('gpt-5.6-luna', 1, 6, {
    cacheRead: 0.1,
    cacheWrite: 1.25,
    window: 400_000,
    long: { above: GPT_LONG, input: 2, output: 9, cacheRead: 0.2 },
  }),
  other('gpt-5.5', 5, 30, {
    cacheRead: 0.5,
    window: 1_050_000,
    aliases: ['gpt-5.5-2026-04-23'],
    long: { above: GPT_LONG, input: 10, output: 45, cacheRead: 1 },
  }),
  other('gpt-5.4', 2.5, 15, {
    cacheRead: 0.25,
    window: 1_050_000,
    aliases: ['gpt-5.4-2026-03-05'],
    long: { above: GPT_LONG, input: 5, output: 22.5, cacheRead: 0.5 },
  }),
  other('gpt-5.4-mini', 0.75, 4.5, { cacheRead: 0.075, window: 400_000, aliases: ['gpt-5.4-mini-2026-03-17'] }),
  other('gpt-5.4-nano', 0.2, 1.25, { cacheRead: 0.02, window: 400_000, aliases: ['gpt-5.4-nano-2026-03-17'] }),
  other('gpt-5.3-codex', 1.75, 14, { cacheRead: 0.175, window: GPT_LONG }),
  other('gpt-5.2', 1.75, 14, { cacheRead: 0.175, window: GPT_LONG, aliases: ['gpt-5.2-2025-12-11'] }),
  other('gpt-5.2-codex', 1.75, 14, { cacheRead: 0.175, window: GPT_LONG }),
  other('gpt-5.1', 1.25, 10, { cacheRead: 0.125, window: GPT_LONG, aliases: ['gpt-5.1-2025-11-13'] }),
  other('gpt-5.1-codex', 1.25, 10, { cacheRead: 0.125, window: GPT_LONG }),
  other('gpt-5.1-codex-max', 1.25, 10, { cacheRead: 0.125, window: GPT_LONG }),
  other('gpt-5.1-codex-mini', 0.25, 2, { cacheRead: 0.025, window: GPT_LONG }),
  other('gpt-5', 1.25, 10, { cacheRead: 0.125, window: GPT_LONG, aliases: ['gpt-5-2025-08-07'] }),
  other('gpt-5-codex', 1.25, 10, { cacheRead: 0.125, window: GPT_LONG }),
  other('gpt-5-mini', 0.25, 2, { cacheRead: 0.025, window: GPT_LONG, aliases: ['gpt-5-mini-2025-08-07'] }),
  other('gpt-5-nano', 0.05, 0.4, { cacheRead: 0.005, window: GPT_LONG, aliases: ['gpt-5-nano-2025-08-07'] }),
  other('gpt-4.1', 2, 8, { cacheRead: 0.5, window: 1_047_576, aliases: ['gpt-4.1-2025-04-14'] }),
  other('gpt-4.1-mini', 0.4, 1.6, { cacheRead: 0.1, window: 1_047_576, aliases: ['gpt-4.1-mini-2025-04-14'] }),
  other('o3', 2, 8, { cacheRead: 0.5, window: 200_000, aliases: ['o3-2025-04-16'] }),
  other('o4-mini', 1.1, 4.4, { cacheRead: 0.275, window: 200_000, aliases: ['o4-mini-2025-04-16'] }),
];

const GEMINI_WINDOW = 1_048_576;

const GOOGLE: readonly PriceRow[] = [
  other('gemini-3.6-flash', 1.5, 7.5, { cacheRead: 0.15, window: GEMINI_WINDOW }),
  other('gemini-3.5-flash', 1.5, 9, { cacheRead: 0.15, window: GEMINI_WINDOW }),
  other('gemini-3.5-flash-lite', 0.3, 2.5, { cacheRead: 0.03, window: GEMINI_WINDOW }),
  other('gemini-3.1-pro-preview', 2, 12, {
    cacheRead: 0.2,
    window: GEMINI_WINDOW,
    aliases: ['gemini-3.1-pro-preview-customtools'],
    long: { above: SMALL, input: 4, output: 18, cacheRead: 0.4 },
  }),
  other('gemini-3.1-flash-lite', 0.25, 1.5, {
    cacheRead: 0.025,
    window: GEMINI_WINDOW,
    aliases: ['gemini-3.1-flash-lite-preview'],
  }),
  other('gemini-3-pro-preview', 2, 12, {
    cacheRead: 0.2,
    window: GEMINI_WINDOW,
    long: { above: SMALL, input: 4, output: 18, cacheRead: 0.4 },
  }),
  other('gemini-3-flash-preview', 0.5, 3, { cacheRead: 0.05, window: GEMINI_WINDOW, aliases: ['gemini-3-flash'] }),
  other('gemini-2.5-pro', 1.25, 10, {
    cacheRead: 0.125,
    window: GEMINI_WINDOW,
    long: { above: SMALL, input: 2.5, output: 15, cacheRead: 0.25 },
  }),
  other('gemini-2.5-flash', 0.3, 2.5, { cacheRead: 0.03, window: GEMINI_WINDOW }),
  other('gemini-2.5-flash-lite', 0.1, 0.4, { cacheRead: 0.01, window: GEMINI_WINDOW }),
];

/** Z.ai's international prices; writing to its cache is free. */
const ZAI: readonly PriceRow[] = [
  other('glm-5.1', 1.4, 4.4, { cacheRead: 0.26, cacheWrite: 0, window: 200_000, source: 'models.dev' }),
  other('glm-5', 1, 3.2, { cacheRead: 0.2, cacheWrite: 0, window: 204_800, source: 'models.dev' }),
  other('glm-4.7', 0.6, 2.2, { cacheRead: 0.11, cacheWrite: 0, window: 204_800, source: 'models.dev' }),
  other('glm-4.7-flash', 0, 0, { window: 200_000, source: 'models.dev' }),
  other('glm-4.6', 0.6, 2.2, { cacheRead: 0.11, cacheWrite: 0, window: 204_800, source: 'models.dev' }),
];

export const PRICE_TABLE: readonly PriceRow[] = [...CLAUDE, ...OPENAI, ...GOOGLE, ...ZAI];
