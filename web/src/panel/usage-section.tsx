import {
  type AgentReport,
  type CostReport,
  cleanLine,
  costText,
  formatCount,
  missingPrices,
  PRICES_AS_OF,
  type SessionDetail,
  tokensText,
  type UsageReport,
  unattributedText,
} from '../../../src/core/index.ts';
import { AgentLink, exactTime, PlaceLink, wallTime } from '../parts/marks.tsx';
import { replayAt } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

const ROWS: readonly (readonly [name: string, field: 'output' | 'input' | 'cacheRead' | 'cacheWrite'])[] = [
  ['output', 'output'],
  ['input', 'input'],
  ['cache read', 'cacheRead'],
  ['cache written', 'cacheWrite'],
];

interface Total {
  readonly name: string;
  readonly usage: UsageReport;
  readonly isLowerBound: boolean;
  readonly cost: CostReport;
}

/** Budgets that are nearly used up, or used up: its own alerts; at the session, those of all. The newest first. */
export function BudgetSection({ session, agent }: AgentProps) {
  const until = replayAt.value ?? Number.POSITIVE_INFINITY;
  const isMain = agent.kind === 'main';
  const alerts = (session.budgetAlerts ?? []).filter(
    ({ agentId, at }) => (isMain || agentId === agent.id) && Date.parse(at) <= until,
  );
  if (alerts.length === 0) return null;
  return (
    <Section title="Budgets">
      <ul class="panel-budgets">
        {alerts.toReversed().map(({ id, state, at, agentId, text }) => {
          const whose = isMain ? session.subagents.find((one) => one.id === agentId) : undefined;
          return (
            <li key={id}>
              <time dateTime={at} title={exactTime(at)}>
                {wallTime(Date.parse(at))}
              </time>
              <span>
                <b class={STATE_CLASS[state]}>{STATE_WORD[state]}</b>
                {whose && (
                  <>
                    {', at a call of '}
                    <AgentLink to={refOf(whose)}>{cleanLine(whose.label)}</AgentLink>
                  </>
                )}
                <span class="panel-why">{cleanLine(text)}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

type AlertState = NonNullable<SessionDetail['budgetAlerts']>[number]['state'];

const STATE_WORD: Readonly<Record<AlertState, string>> = {
  warned: 'Nearly used up',
  grace: 'Used up, with calls left for the result',
  reached: 'Used up',
};
const STATE_CLASS: Readonly<Record<AlertState, string>> = {
  warned: 'standing-silent',
  grace: 'standing-failed',
  reached: 'standing-failed',
};

/** Tokens and what they cost, its own and with all that it asked others to do; of the main agent, with the whole session. */
export function UsageSection({ session, agent }: AgentProps) {
  const total = totalOf(session, agent);
  const missing = missingPrices(agent.cost) ?? missingPrices(total?.cost ?? null);
  const { inheritedUsage } = agent.kind === 'main' ? session : agent;
  const unattributed = unattributedText(session);
  return (
    <Section title="Tokens and cost">
      <table class="panel-usage">
        <thead>
          <tr>
            <td />
            <th scope="col">own</th>
            {total && <th scope="col">{total.name}</th>}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([name, field]) => (
            <tr key={field}>
              <th scope="row">{name}</th>
              <td>
                {agent.usage === null ? (
                  'not known'
                ) : (
                  <PlaceLink in="read" to={refOf(agent)}>
                    {tokensText(agent.usage[field], agent.usageIsLowerBound)}
                  </PlaceLink>
                )}
              </td>
              {total && <td>{tokensText(total.usage[field], total.isLowerBound)}</td>}
            </tr>
          ))}
          <tr class="panel-cost">
            <th scope="row">cost</th>
            <td>{costText(agent.cost)}</td>
            {total && <td>{costText(total.cost)}</td>}
          </tr>
        </tbody>
      </table>
      <p class="dim">
        List prices of {PRICES_AS_OF}.{missing !== undefined && ` There is ${missing}.`}
        {agent.kind === 'main' && unattributed !== undefined && ` ${unattributed}.`}
        {inheritedUsage !== null &&
          inheritedUsage.output > 0 &&
          ` ${formatCount(inheritedUsage.output)} of the tokens were copied from the session that this one was forked from, and are not in the cost.`}
        {(total?.isLowerBound ?? agent.usageIsLowerBound) && ' ≥: the host recorded only a part of these tokens.'}
        {replayAt.value !== undefined && ' Up to the moment of the replay.'}
      </p>
    </Section>
  );
}

/** Undefined if it is the same as its own. */
function totalOf(session: SessionDetail, agent: AgentReport): Total | undefined {
  if (agent.kind === 'main') {
    if (session.agents + session.internalAgents < 2 && session.unattributedUsage === null) return undefined;
    const { usage, usageIsLowerBound, cost } = session;
    return { name: 'whole session', usage, isLowerBound: usageIsLowerBound, cost };
  }
  if (!session.subagents.some(({ parentId }) => parentId === agent.id)) return undefined;
  const { subtreeUsage, subtreeIsLowerBound, subtreeCost } = agent;
  return { name: 'with sub-agents', usage: subtreeUsage, isLowerBound: subtreeIsLowerBound, cost: subtreeCost };
}
