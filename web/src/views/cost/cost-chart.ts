// The bars of the cost view: what they are divided into, and which days they stand for.

import type { SpendAmount, SpendDimension, SpendReport, SpendRow } from '../../../../src/core/index.ts';

export type Measure = 'usd' | 'tokens';

/** A part of each bar. */
export interface Kind {
  readonly name: string;
  readonly colour: string;
  of(row: SpendRow): number;
}

export interface Column {
  readonly key: string;
  /** Below the bar; most have none. */
  readonly tick: string;
  /** Undefined: nothing was used. */
  readonly row: SpendRow | undefined;
  parts(kinds: readonly Kind[]): readonly (Kind & { readonly value: number })[];
}

export function isTime(by: SpendDimension): by is 'day' | 'week' | 'month' {
  return by === 'day' || by === 'week' || by === 'month';
}

/** More would look alike. */
const MOST_MODELS = 6;
const OTHERS = 'others';

export function stackOf(report: SpendReport, stack: 'who' | 'model', measure: Measure): readonly Kind[] {
  const amountOf = (amount: SpendAmount): number => (measure === 'usd' ? amount.cost.usd : amount.tokens);
  if (stack === 'who') {
    const isOwn = report.by === 'agent' || report.by === 'type';
    return [
      { name: isOwn ? 'own' : 'main agents', colour: 'var(--text-faint)', of: ({ own }) => amountOf(own) },
      {
        name: isOwn ? 'agents below' : 'sub-agents and others',
        colour: 'var(--accent)',
        of: ({ own, total }) => Math.max(0, amountOf(total) - amountOf(own)),
      },
    ];
  }
  const sums = new Map<string, number>();
  for (const { parts } of report.rows)
    for (const { key, total } of parts) sums.set(key, (sums.get(key) ?? 0) + amountOf(total));
  const models = [...sums].sort(([, a], [, b]) => b - a).map(([model]) => model);
  const named = models.slice(0, models.length > MOST_MODELS ? MOST_MODELS - 1 : MOST_MODELS);
  const sumOf = (row: SpendRow, isMeant: (model: string) => boolean): number =>
    row.parts.filter(({ key }) => isMeant(key)).reduce((sum, { total }) => sum + amountOf(total), 0);
  const kinds = named.map(
    (model, at): Kind => ({
      name: model || 'no model',
      colour: `var(--hue-${at})`,
      of: (row) => sumOf(row, (one) => one === model),
    }),
  );
  if (models.length <= named.length) return kinds;
  return [
    ...kinds,
    { name: OTHERS, colour: 'var(--line-strong)', of: (row) => sumOf(row, (one) => !named.includes(one)) },
  ];
}

const MOST_COLUMNS = 120;

/** Every day from the first to the last: one on which nothing was used is a gap. The newest, where there are very many. */
export function fillPeriods(rows: readonly SpendRow[], by: SpendDimension): readonly Column[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const [first, last] = [rows[0]?.key, rows.at(-1)?.key];
  const keys: string[] = [];
  for (let key = last; key !== undefined && key >= (first ?? key) && keys.length < MOST_COLUMNS; key = before(key, by))
    keys.unshift(key);
  const every = Math.ceil(keys.length / 8);
  return keys.map((key, at) => {
    const row = byKey.get(key);
    return {
      key,
      row,
      tick: (keys.length - 1 - at) % every === 0 ? tickOf(key, by) : '',
      parts: (kinds) => kinds.map((kind) => ({ ...kind, value: row ? kind.of(row) : 0 })),
    };
  });
}

function before(key: string, by: SpendDimension): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const at = by === 'month' ? Date.UTC(year, month - 2, 1) : Date.UTC(year, month - 1, day - (by === 'week' ? 7 : 1));
  return new Date(at).toISOString().slice(0, by === 'month' ? 7 : 10);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

function tickOf(key: string, by: SpendDimension): string {
  const [year = '', month = '1', day = '1'] = key.split('-');
  const name = MONTHS[Number(month) - 1] ?? '';
  return by === 'month' ? `${name} ${year.slice(2)}` : `${Number(day)} ${name}`;
}

export function shareText(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %';
  return `${share > 0.99 && share < 1 ? 99 : Math.round(100 * share)} %`;
}
