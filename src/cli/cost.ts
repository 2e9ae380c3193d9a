// `troupe cost`: what sessions cost.

import { text } from 'node:stream/consumers';
import {
  cleanLine,
  computePrices,
  computeSpend,
  computeTree,
  createPaint,
  formatStatusLine,
  hasFilter,
  nearestBudget,
  parseQuery,
  plural,
  type Query,
  type SpendDimension,
  statusLineFacts,
} from '../core/index.ts';
import { asObject, asText, known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { When } from '../lib/when.ts';
import { type CliContext, createProgress, textOptionsOf, writeAnswer, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import { formatPrices, formatSpend, formatSpendCsv } from './format/index.ts';
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

export async function statusline(
  this: CliContext<'reader' | 'approvals' | 'budgets'>,
  flags: SharedFlags,
  session?: string,
): Promise<void> {
  const id = session ?? (await sessionOnInput());
  const opened = await this.reader.sessions(whereOf(flags)).open(id);
  const { session: report, agents } = computeTree(opened, { internal: false });
  const asks = (await this.approvals.list().catch(() => undefined)) ?? [];
  const open = asks.filter((ask) => ask.end === null && ask.session === report.id);
  const subAgents = agents.filter(({ kind }) => kind !== 'main');
  const { budgets } = await this.budgets.report(whereOf(flags)).catch(() => ({ budgets: [] }));
  const facts = statusLineFacts(report.cost, subAgents, open.length, nearestBudget(budgets, report));
  if (flags.json) writeJson(this, { sessionId: report.id, ...facts });
  else writeLines(this, [formatStatusLine(facts, createPaint(this.terminal.colours), this.terminal.width)]);
}

/** What a host tells its status line: JSON with the id of the session. */
async function sessionOnInput(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  try {
    return asText(asObject(JSON.parse(await text(process.stdin)))?.['session_id']);
  } catch {
    return undefined;
  }
}
