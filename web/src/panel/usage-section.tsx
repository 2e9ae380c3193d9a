import {
  type AgentReport,
  type CostReport,
  costText,
  formatCount,
  missingPrices,
  PRICES_AS_OF,
  type SessionDetail,
  tokensText,
  type UsageReport,
  unattributedText,
} from '../../../src/core/index.ts';
import { PlaceLink } from '../parts/marks.tsx';
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
