import {
  type CostReport,
  cleanLine,
  costText,
  formatCount,
  formatTable,
  limitText,
  missingPrices,
  type Paint,
  type PricesReport,
  plural,
  type SpendAmount,
  type SpendDimension,
  type SpendReport,
  type SpendRow,
  shortId,
  tokensText,
  uniqueLength,
} from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import type { TextOptions } from './session-table.ts';

const TITLES: Readonly<Record<SpendDimension, string>> = {
  day: 'day',
  week: 'week from',
  month: 'month',
  project: 'project',
  host: 'host',
  model: 'model',
  type: 'type',
  session: 'session',
  agent: 'agent',
};

/** `troupe cost` for people. `limit`: how many rows, of those without an order of time. */
export function formatSpend(report: SpendReport, options: TextOptions, limit: number): readonly string[] {
  const { paint } = options;
  if (report.sessions === 0) return [paint.dim(`Nothing was used ${periodText(report)}.`)];
  const isTime = report.by === 'day' || report.by === 'week' || report.by === 'month';
  const rows = isTime ? report.rows : report.rows.slice(0, limit);
  const more = report.rows.length - rows.length;
  return [
    ...summaryLines(report, paint),
    '',
    ...tableOf(report, rows, options),
    ...notesOf(report, more, limit).map((note) => paint.dim(cleanLine(note))),
  ];
}

function summaryLines(report: SpendReport, paint: Paint): readonly string[] {
  const { total, subAgents, subAgentShare, failed, abandoned, unattributed } = report;
  const share = subAgentShare.usd ?? subAgentShare.tokens;
  const of = subAgentShare.usd === null ? 'of the tokens' : 'of the cost';
  const lost = [
    ...(failed.tokens > 0 ? [`failed agents ${amountText(failed, report)}`] : []),
    ...(abandoned.tokens > 0 ? [`agents stopped or without a known end ${amountText(abandoned, report)}`] : []),
    ...(unattributed.tokens > 0 ? [`titles, summaries and the like ${amountText(unattributed, report)}`] : []),
  ];
  return [
    `${paint.bold(amountText(total, report))} ${periodText(report)}, ${plural(report.sessions, 'session')}, ${plural(report.agents, 'agent')}`,
    ...(share === null
      ? []
      : [`${paint.bold(percent(share))} ${of} by sub-agents${paint.dim(`: ${amountText(subAgents, report)}`)}`]),
    ...report.limits.map((limit) => cleanLine(limitText(limit))),
    ...lost.map((line) => paint.dim(line)),
  ];
}

function periodText({ since, until }: SpendReport): string {
  const day = (iso: string): string => {
    const at = new Date(iso);
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  };
  if (since === null && until === null) return 'in all';
  if (since === null) return `until ${day(until ?? '')}`;
  return until === null ? `since ${day(since)}` : `from ${day(since)} to ${day(until)}`;
}

/** People who pay by the month are interested in tokens. */
function amountText({ tokens, cost }: SpendAmount, { subscriptions }: SpendReport): string {
  const used = `${tokensText(tokens, isShort(cost))} tokens`;
  if (hasNoPrice(cost)) return used;
  const price = `${costText(cost)}${subscriptions.length > 0 ? ' (list price)' : ''}`;
  return (subscriptions.length > 0 ? [used, price] : [price, used]).join(', ');
}

export function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 1) return 'under 1 %';
  return `${value > 99 && value < 100 ? 99 : Math.round(value)} %`;
}

function tableOf(report: SpendReport, rows: readonly SpendRow[], { paint, width }: TextOptions): readonly string[] {
  const { by, subscriptions } = report;
  const hasOwn = rows.some(({ own, total }) => own.tokens !== total.tokens);
  const isSession = by === 'session' || by === 'agent';
  const idLength = uniqueLength(rows.map(({ key }) => key));
  const hasHost = rows.some(({ hostCost }) => hostCost !== null);
  return formatTable(
    [
      { title: isSession ? TITLES[by] : '' },
      { title: isSession ? 'title' : TITLES[by], shrinkTo: 12 },
      { title: 'sessions', align: 'right', dropOrder: 7 },
      { title: 'agents', align: 'right', dropOrder: 6 },
      { title: 'input', align: 'right', dropOrder: 3 },
      { title: 'output', align: 'right', dropOrder: 4 },
      { title: 'cache read', align: 'right', dropOrder: 2 },
      { title: 'cache written', align: 'right', dropOrder: 1 },
      { title: 'tokens', align: 'right' },
      { title: by === 'agent' || by === 'type' ? 'own' : 'main agents', align: 'right', dropOrder: 5 },
      { title: 'host says', align: 'right', dropOrder: 8 },
      { title: subscriptions.length > 0 ? 'list price' : 'cost', align: 'right' },
    ],
    rows.map((row) => {
      const { key, label, own, total, hostCost } = row;
      const count = (tokens: number) => ({ text: formatCount(tokens), paint: paint.dim });
      return [
        { text: isSession ? cleanLine(shortId(key, idLength)) : '', paint: paint.dim },
        { text: cleanLine(label), paint: paint.bold },
        { text: isSession ? '' : String(row.sessions) },
        { text: by === 'agent' ? '' : String(row.agents) },
        count(total.usage.input),
        count(total.usage.output),
        count(total.usage.cacheRead),
        count(total.usage.cacheWrite),
        { text: tokensText(total.tokens, isShort(total.cost)) },
        { text: hasOwn ? shortCost(own.cost) : '' },
        {
          text: hasHost && hostCost ? costText({ usd: hostCost.usd, isLowerBound: false, unpricedModels: [] }) : '',
          ...(hostCost?.isDifferent && { paint: paint.yellow }),
        },
        { text: shortCost(total.cost) },
      ];
    }),
    { header: paint.dim, ...known({ width }) },
  );
}

function isShort({ isLowerBound, unpricedModels }: CostReport): boolean {
  return isLowerBound && unpricedModels.length === 0;
}

/** The models are named below. */
function shortCost(cost: CostReport): string {
  return hasNoPrice(cost) ? 'no price' : costText(cost);
}

function hasNoPrice({ usd, unpricedModels }: CostReport): boolean {
  return usd === 0 && unpricedModels.length > 0;
}

function notesOf(report: SpendReport, more: number, limit: number): readonly string[] {
  const { unpriced, differences, timeZone, pricesAsOf, by } = report;
  const models = unpriced.map(
    ({ model, tokens }) => `${model || 'a model without a name'} (${formatCount(tokens)} tokens)`,
  );
  return [
    ...(more > 0 ? [`${more} more: show them with -n ${limit * 5}`] : []),
    ...(models.length > 0 ? [`No price for ${models.join(', ')}. Name it in config.json (cost.prices).`] : []),
    ...(missingPrices(report.total.cost) === undefined && report.total.cost.isLowerBound
      ? ['≥: some tokens were never written down, so it is at least this much.']
      : []),
    ...differences.map(
      ({ host, sessionId, label, usd, listUsd }) =>
        `${host} itself counts ${money(usd)} for session ${shortId(sessionId)} (${label}), the price list ${money(listUsd)}.`,
    ),
    `${by === 'day' || by === 'week' || by === 'month' ? `Days in ${timeZone}. ` : ''}List prices as of ${pricesAsOf}: troupe cost --prices`,
  ];
}

function money(usd: number): string {
  return costText({ usd, isLowerBound: false, unpricedModels: [] });
}

const COLUMNS = [
  'key',
  'label',
  'host',
  'session_id',
  'sessions',
  'agents',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'tokens',
  'usd',
  'own_tokens',
  'own_usd',
  'is_lower_bound',
  'unpriced_models',
  'host_usd',
] as const;

/** RFC 4180. */
export function formatSpendCsv({ rows }: SpendReport): readonly string[] {
  return [
    COLUMNS.join(','),
    ...rows.map(({ key, label, host, sessionId, sessions, agents, total, own, hostCost }) =>
      [
        key,
        label,
        host ?? '',
        sessionId ?? '',
        sessions,
        agents,
        total.usage.input,
        total.usage.output,
        total.usage.cacheRead,
        total.usage.cacheWrite,
        total.tokens,
        total.cost.usd.toFixed(6),
        own.tokens,
        own.cost.usd.toFixed(6),
        total.cost.isLowerBound,
        total.cost.unpricedModels.join(' '),
        hostCost === null ? '' : hostCost.usd.toFixed(6),
      ]
        .map(csvField)
        .join(','),
    ),
  ];
}

/** Titles are written by agents: a spreadsheet would run one that begins like a formula. */
function csvField(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const plain = cleanLine(value);
  const text = /^[=+\-@\t]/.test(plain) ? `'${plain}` : plain;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `troupe cost --prices`. */
export function formatPrices({ rows, sources }: PricesReport, { paint, width }: TextOptions): readonly string[] {
  const price = (usd: number) => ({ text: usd === 0 ? 'free' : `$${usd}` });
  const lines = rows.flatMap((row) => {
    const { model, input, output, cacheRead, cacheWrite, cacheWrite1h, window, long, source } = row;
    const first = [
      { text: cleanLine(model), paint: paint.bold },
      price(input),
      price(output),
      price(cacheRead),
      price(cacheWrite),
      price(cacheWrite1h),
      { text: window === null ? '–' : formatCount(window) },
      { text: source, paint: paint.dim },
    ];
    if (!long) return [first];
    const second = [
      { text: `  context over ${formatCount(long.above)}`, paint: paint.dim },
      price(long.input),
      price(long.output),
      price(long.cacheRead),
      price(long.cacheWrite),
      price(long.cacheWrite1h),
      { text: '' },
      { text: '' },
    ];
    return [first, second];
  });
  return [
    ...formatTable(
      [
        { title: 'model' },
        { title: 'input', align: 'right' },
        { title: 'output', align: 'right' },
        { title: 'cache read', align: 'right' },
        { title: 'written', align: 'right' },
        { title: 'for 1 h', align: 'right' },
        { title: 'window', align: 'right', dropOrder: 1 },
        { title: 'source', dropOrder: 2 },
      ],
      lines,
      { header: paint.dim, ...known({ width }) },
    ),
    paint.dim('US dollars for a million tokens. Other names of each model: troupe cost --prices --json'),
    ...sources.map(({ source, text, readOn }) =>
      paint.dim(`${source}: ${text}${readOn === null ? '' : `, read on ${readOn}`}`),
    ),
  ];
}
