// `troupe cost`: what sessions cost.

import {
  cleanLine,
  computePrices,
  computeSpend,
  hasFilter,
  parseQuery,
  plural,
  type Query,
  type SpendDimension,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { When } from '../lib/when.ts';
import { type CliContext, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import { formatPrices, formatSpend, formatSpendCsv } from './format/index.ts';
import { createProgress } from './progress.ts';
import { asTerm } from './search.ts';

export interface CostFlags extends SharedFlags {
  readonly by: SpendDimension;
  readonly split?: 'model' | 'type' | 'host';
  readonly since: When;
  readonly until?: When;
  readonly all: boolean;
  readonly limit: number;
  readonly csv: boolean;
  readonly prices: boolean;
}

export async function cost(this: CliContext<'reader'>, flags: CostFlags, ...words: readonly string[]): Promise<void> {
  const { subscriptions } = await this.reader.costSettings();
  if (flags.prices) return writeAnswer(this, flags.json, computePrices(), formatPrices);
  const query = toQuery(words);
  const now = this.clock();
  const since = flags.all ? undefined : flags.since(now).from;
  const progress = createProgress(this.terminal);
  const { trees, problems } = await this.reader.sessions(whereOf(flags)).list({
    limit: Number.MAX_SAFE_INTEGER,
    ...known({ since }),
    onProgress: ({ done, sessions }) => progress.show(() => `Reading: ${done} of ${plural(sessions, 'session')}`),
  });
  progress.clear();
  for (const problem of problems) this.terminal.note(problem);
  const until = flags.until?.(now).to;
  const report = computeSpend(trees, {
    by: flags.by,
    now,
    subscriptions,
    ...known({ split: flags.split, since, until, query }),
  });
  if (flags.json) writeJson(this, report);
  else if (flags.csv) writeLines(this, formatSpendCsv(report));
  else writeLines(this, formatSpend(report, textOptionsOf(this), flags.limit));
}

function toQuery(words: readonly string[]): Query | undefined {
  const text = words.length === 1 ? (words[0] ?? '') : words.map(asTerm).join(' ');
  if (text.trim() === '') return undefined;
  const { query, problem } = parseQuery(text);
  if (problem) throw new UserError('bad-query', cleanLine(problem.message), problem.remedy);
  if (hasFilter(query, 'tool', 'file'))
    throw new UserError(
      'cost-filter',
      'Costs cannot be counted by tool or file: one request may use several.',
      'Use host, project, agent, type, model, status, before or after.',
    );
  return query;
}
