import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  type BudgetHolder,
  type BudgetReport,
  cleanLine,
  costText,
  formatCount,
  limitText,
  plural,
  SPEND_DIMENSIONS,
  type SpendAmount,
  type SpendDimension,
  type SpendReport,
  type SpendRow,
  tokensText,
} from '../../../../src/core/index.ts';
import { read } from '../../actions.ts';
import { useBackend } from '../../store.ts';
import { fillPeriods, isTime, type Measure, shareText, stackOf } from './cost-chart.ts';
import './cost.css';

const PERIODS = [
  { days: 7, title: '7 days' },
  { days: 30, title: '30 days' },
  { days: 90, title: '90 days' },
  { days: 0, title: 'All' },
] as const;

const NAMES: Readonly<Record<SpendDimension, string>> = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  project: 'Project',
  host: 'Host',
  model: 'Model',
  type: 'Agent type',
  session: 'Session',
  agent: 'Agent',
};

/** As the person left them: a view that is shown again is as it was. */
const by = signal<SpendDimension>('day');
const days = signal<number>(30);
const chosenMeasure = signal<Measure | undefined>(undefined);
const stack = signal<'who' | 'model'>('who');
const found = signal<SpendReport | undefined>(undefined);
const trouble = signal<string | undefined>(undefined);
const isLoading = signal(false);

/** People who pay by the month are interested in tokens; without a price there is no money to show. */
const measure = computed<Measure>(() => {
  const report = found.value;
  const isMoney = report !== undefined && report.subscriptions.length === 0 && report.total.cost.usd > 0;
  return chosenMeasure.value ?? (isMoney ? 'usd' : 'tokens');
});

const REFRESH_MS = 20_000;
const MOST_ROWS = 200;

export function CostView() {
  const backend = useBackend();
  const [dimension, period, split] = [by.value, days.value, stack.value];
  useEffect(() => {
    let isWanted = true;
    const load = async (): Promise<void> => {
      if (!backend.cost || document.hidden) return;
      isLoading.value = true;
      const since = period === 0 ? undefined : startOfDay(period - 1);
      try {
        const report = await backend.cost({
          by: dimension,
          ...(since && { since }),
          ...(split === 'model' && { split }),
        });
        if (!isWanted) return;
        found.value = report;
        trouble.value = undefined;
      } catch (error) {
        if (isWanted) trouble.value = error instanceof Error ? error.message : String(error);
      } finally {
        if (isWanted) isLoading.value = false;
      }
    };
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [backend, dimension, period, split]);
  if (!backend.cost)
    return (
      <div class="empty">
        <h2>No costs here.</h2>
        <p>An exported page has none: they are counted by the server. In a terminal: troupe cost</p>
      </div>
    );
  const report = found.value?.by === dimension ? found.value : undefined;
  return (
    <div class="cost" aria-busy={isLoading.value}>
      <div class="cost-inner">
        <Choices />
        {trouble.value !== undefined && (
          <p class="cost-trouble" role="alert">
            Costs could not be counted: {cleanLine(trouble.value)}
          </p>
        )}
        <Budgets />
        {report ? <Report report={report} /> : trouble.value === undefined && <p class="empty-loading">Counting…</p>}
      </div>
    </div>
  );
}

const budgets = signal<readonly BudgetReport[]>([]);

/** How near to their limits agents are; the nearest first. */
function Budgets() {
  const backend = useBackend();
  useEffect(() => {
    const load = async (): Promise<void> => {
      if (!document.hidden) budgets.value = (await backend.budgets?.().catch(() => undefined)) ?? budgets.value;
    };
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [backend]);
  if (budgets.value.length === 0) return null;
  return (
    <section class="cost-budgets" aria-label="Budgets">
      <h3>Budgets</h3>
      {budgets.value.map((budget) => (
        <div key={`${budget.file} ${budget.id}`} class="cost-budget">
          <p>
            <strong>{cleanLine(budget.name)}</strong> <span class="dim">per {budget.per}</span>
            {budget.resetsAt !== null && (
              <span class="dim">
                {' '}
                · resets {new Date(budget.resetsAt).toLocaleString()} ({budget.timeZone})
              </span>
            )}
          </p>
          {budget.holders.length === 0 && <p class="dim">Nothing used yet.</p>}
          {budget.holders.slice(0, SHOWN_HOLDERS).map((holder) => (
            <Holder key={`${holder.sessionId} ${holder.agentId} ${holder.label}`} holder={holder} />
          ))}
        </div>
      ))}
    </section>
  );
}

const SHOWN_HOLDERS = 5;

function Holder({ holder }: { readonly holder: BudgetHolder }) {
  const { label, share, state, uses, by } = holder;
  const percent = Math.floor(100 * share);
  const used = uses.map(({ text, problem }) => (problem === null ? text : `${text} (${problem})`)).join(' · ');
  return (
    <div class="cost-holder" title={by.map((one) => `${one.label}: ${formatCount(one.tokens)} tokens`).join('\n')}>
      <span class="cost-holder-name">{cleanLine(label)}</span>
      <meter
        class={`cost-meter cost-meter-${state}`}
        min={0}
        max={100}
        value={Math.min(100, percent)}
        aria-label={cleanLine(label)}
      >
        {percent} %
      </meter>
      <span class="cost-holder-share">{percent} %</span>
      <span class="dim">{cleanLine(used)}</span>
    </div>
  );
}

function startOfDay(daysAgo: number): string {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString();
}

function Choices() {
  return (
    <div class="cost-choices">
      <label>
        By{' '}
        <select
          value={by.value}
          onChange={(event) => {
            by.value = SPEND_DIMENSIONS.find((one) => one === event.currentTarget.value) ?? 'day';
          }}
        >
          {SPEND_DIMENSIONS.map((name) => (
            <option key={name} value={name}>
              {NAMES[name].toLowerCase()}
            </option>
          ))}
        </select>
      </label>
      <Buttons
        label="Period"
        options={PERIODS.map(({ days, title }) => ({ value: days, title }))}
        value={days.value}
        onPick={(value) => {
          days.value = value;
        }}
      />
      <Buttons
        label="Measure"
        options={[
          { value: 'usd' as const, title: 'Money' },
          { value: 'tokens' as const, title: 'Tokens' },
        ]}
        value={measure.value}
        onPick={(value) => {
          chosenMeasure.value = value;
        }}
      />
      <Buttons
        label="Divide bars by"
        options={[
          { value: 'who' as const, title: 'Main and sub-agents' },
          { value: 'model' as const, title: 'Models' },
        ]}
        value={stack.value}
        onPick={(value) => {
          stack.value = value;
        }}
      />
    </div>
  );
}

interface ButtonsProps<T> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly title: string }[];
  readonly value: T;
  readonly onPick: (value: T) => void;
}

function Buttons<T extends string | number>({ label, options, value, onPick }: ButtonsProps<T>) {
  return (
    <fieldset class="cost-buttons">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
        >
          {option.title}
        </button>
      ))}
    </fieldset>
  );
}

function Report({ report }: { readonly report: SpendReport }) {
  if (report.sessions === 0) return <p class="cost-nothing">Nothing was used in this period.</p>;
  return (
    <>
      <Summary report={report} />
      {isTime(report.by) && <Chart report={report} />}
      <Table report={report} />
      <Notes report={report} />
    </>
  );
}

function Summary({ report }: { readonly report: SpendReport }) {
  const { total, subAgents, failed, abandoned, subAgentShare, sessions, agents, subscriptions } = report;
  const share = measure.value === 'usd' ? subAgentShare.usd : subAgentShare.tokens;
  const shown = share ?? subAgentShare.tokens;
  const isMoney = share !== null && measure.value === 'usd';
  const money = subscriptions.length > 0 ? 'list price' : 'cost';
  return (
    <section class="cost-summary" aria-label="Summary">
      {shown !== null && (
        <p class="cost-share">
          <strong>{shareText(shown)}</strong> <span>of the {isMoney ? money : 'tokens'} by sub-agents</span>
        </p>
      )}
      <dl class="cost-figures">
        <Figure name="In all" amount={total} money={money} />
        <Figure name="Sub-agents" amount={subAgents} money={money} />
        {failed.tokens > 0 && <Figure name="Failed agents" amount={failed} money={money} />}
        {abandoned.tokens > 0 && <Figure name="Abandoned agents" amount={abandoned} money={money} />}
        <div>
          <dt>Cache</dt>
          <dd>
            {formatCount(total.usage.cacheRead)} read
            <span class="dim">{formatCount(total.usage.cacheWrite)} written</span>
          </dd>
        </div>
        <div>
          <dt>Counted</dt>
          <dd>
            {plural(sessions, 'session')}
            <span class="dim">{plural(agents, 'agent')}</span>
          </dd>
        </div>
      </dl>
      {report.limits.map((limit) => (
        <p key={limit.host} class={limit.problem === null ? undefined : 'dim'}>
          {cleanLine(limitText(limit))}
        </p>
      ))}
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly amount: SpendAmount;
  readonly money: string;
}

function Figure({ name, amount, money }: FigureProps) {
  const tokens = `${tokensText(amount.tokens, isShort(amount))} tokens`;
  const usd = `${priceText(amount)}${money === 'cost' ? '' : ` ${money}`}`;
  const [first, second] = measure.value === 'usd' ? [usd, tokens] : [tokens, usd];
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {first}
        <span class="dim">{second}</span>
      </dd>
    </div>
  );
}

/** The models are named in the notes. */
function priceText({ cost }: SpendAmount): string {
  return cost.usd === 0 && cost.unpricedModels.length > 0 ? 'no price' : costText(cost);
}

function isShort({ cost }: SpendAmount): boolean {
  return cost.isLowerBound && cost.unpricedModels.length === 0;
}

function amountText(amount: SpendAmount): string {
  return measure.value === 'usd' ? priceText(amount) : tokensText(amount.tokens, isShort(amount));
}

/** The table below has the same numbers, so a screen reader leaves the bars out. */
function Chart({ report }: { readonly report: SpendReport }) {
  const rows = fillPeriods(report.rows, report.by);
  const kinds = stackOf(report, stack.value, measure.value);
  const most = Math.max(...rows.map((row) => row.parts(kinds).reduce((sum, { value }) => sum + value, 0)), 0);
  if (most === 0) return null;
  return (
    <div class="cost-chart" aria-hidden="true">
      <p class="cost-legend">
        {kinds.map(({ name, colour }) => (
          <span key={name}>
            <i style={{ background: colour }} /> {cleanLine(name)}
          </span>
        ))}
      </p>
      <div class="cost-bars">
        {rows.map((row) => (
          <div key={row.key} class="cost-column" title={row.row && `${row.key}: ${amountText(row.row.total)}`}>
            <div class="cost-bar">
              {row.parts(kinds).map(({ name, colour, value }) => (
                <i key={name} style={{ height: `${(100 * value) / most}%`, background: colour }} />
              ))}
            </div>
            <span class="cost-tick">{row.tick}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function Table({ report }: { readonly report: SpendReport }) {
  const time = isTime(report.by);
  const rows = (time ? report.rows.toReversed() : report.rows).slice(0, MOST_ROWS);
  const kinds = stackOf(report, stack.value, measure.value);
  const most = Math.max(
    ...report.rows.map(({ total }) => (measure.value === 'usd' ? total.cost.usd : total.tokens)),
    0,
  );
  const hasOwn = report.rows.some(({ own, total }) => own.tokens !== total.tokens);
  const money = report.subscriptions.length > 0 ? 'List price' : 'Cost';
  return (
    <div class="cost-table">
      <table>
        <thead>
          <tr>
            <th scope="col">{report.by === 'week' ? 'Week from' : NAMES[report.by]}</th>
            {!time && <th scope="col" class="cost-share-column" aria-label="Share" />}
            <th scope="col">{measure.value === 'usd' ? money : 'Tokens'}</th>
            {hasOwn && (
              <th scope="col" class="cost-own">
                {report.by === 'agent' || report.by === 'type' ? 'Own' : 'Main agents'}
              </th>
            )}
            <th scope="col">{measure.value === 'usd' ? 'Tokens' : money}</th>
            <th scope="col" class="cost-wide">
              Input
            </th>
            <th scope="col" class="cost-wide">
              Output
            </th>
            <th scope="col" class="cost-wide">
              Cache read
            </th>
            <th scope="col" class="cost-wide">
              Cache written
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.sessionId} ${row.key}`}>
              <th scope="row">
                <Name row={row} />
              </th>
              {!time && (
                <td class="cost-share-column">
                  <div class="cost-line">
                    {kinds.map(({ name, colour, of }) => (
                      <i
                        key={name}
                        style={{ width: `${most > 0 ? (100 * of(row)) / most : 0}%`, background: colour }}
                      />
                    ))}
                  </div>
                </td>
              )}
              <td>{amountText(row.total)}</td>
              {hasOwn && <td class="cost-own">{amountText(row.own)}</td>}
              <td>
                {measure.value === 'usd' ? tokensText(row.total.tokens, isShort(row.total)) : priceText(row.total)}
              </td>
              <td class="cost-wide">{formatCount(row.total.usage.input)}</td>
              <td class="cost-wide">{formatCount(row.total.usage.output)}</td>
              <td class="cost-wide">{formatCount(row.total.usage.cacheRead)}</td>
              <td class="cost-wide">{formatCount(row.total.usage.cacheWrite)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.rows.length > rows.length && (
        <p class="dim">
          {report.rows.length - rows.length} more: troupe cost --by {report.by} -n {report.rows.length}
        </p>
      )}
    </div>
  );
}

/** The numbers of a session or an agent come from its messages. */
function Name({ row }: { readonly row: SpendRow }) {
  const { sessionId, agentId, label, status, hostCost } = row;
  const text = cleanLine(label);
  const mark = status === 'failed' ? ' failed' : status === 'stopped' ? ' stopped' : '';
  if (sessionId === null) return <span title={cleanLine(row.key)}>{text}</span>;
  return (
    <>
      <button type="button" class="cost-link" onClick={() => read({ session: sessionId, agent: agentId ?? sessionId })}>
        {text}
      </button>
      {mark !== '' && <span class={status === 'failed' ? 'cost-failed' : 'dim'}>{mark}</span>}
      {hostCost?.isDifferent && (
        <span class="cost-differs">
          {' '}
          the host says {costText({ usd: hostCost.usd, isLowerBound: false, unpricedModels: [] })}
        </span>
      )}
    </>
  );
}

function Notes({ report }: { readonly report: SpendReport }) {
  const { unpriced, total, timeZone, pricesAsOf, subscriptions } = report;
  return (
    <div class="cost-notes">
      {unpriced.length > 0 && (
        <p>
          No price for {unpriced.map(({ model }) => cleanLine(model) || 'a model without a name').join(', ')}. Name it
          in config.json (cost.prices).
        </p>
      )}
      {total.cost.isLowerBound && unpriced.length === 0 && <p>≥: some tokens were never written down.</p>}
      <p>
        {isTime(report.by) && `Days in ${timeZone}. `}
        {subscriptions.length > 0 && 'The list price is what the same tokens would cost by the request, and no bill. '}
        List prices as of {pricesAsOf}.
      </p>
    </div>
  );
}
