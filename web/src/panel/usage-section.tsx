import { costText, formatCount, missingPrices, PRICES_AS_OF, type UsageReport } from '../../../src/core/index.ts';
import { PlaceLink } from '../parts/marks.tsx';
import { replayAt } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

const ROWS: readonly (readonly [name: string, field: 'output' | 'input' | 'cacheRead' | 'cacheWrite'])[] = [
  ['output', 'output'],
  ['input', 'input'],
  ['cache read', 'cacheRead'],
  ['cache written', 'cacheWrite'],
];

/** Tokens and what they cost, its own and with all that it asked others to do. */
export function UsageSection({ session, agent }: AgentProps) {
  const hasOthers = session.subagents.some(({ parentId }) => parentId === agent.id);
  const missing = missingPrices(agent.cost) ?? missingPrices(agent.subtreeCost);
  return (
    <Section title="Tokens and cost">
      <table class="panel-usage">
        <thead>
          <tr>
            <td />
            <th scope="col">own</th>
            {hasOthers && <th scope="col">with sub-agents</th>}
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
                    {amount(agent.usage, field, agent.usageIsLowerBound)}
                  </PlaceLink>
                )}
              </td>
              {hasOthers && <td>{amount(agent.subtreeUsage, field, agent.subtreeIsLowerBound)}</td>}
            </tr>
          ))}
          <tr class="panel-cost">
            <th scope="row">cost</th>
            <td>{costText(agent.cost)}</td>
            {hasOthers && <td>{costText(agent.subtreeCost)}</td>}
          </tr>
        </tbody>
      </table>
      <p class="dim">
        List prices of {PRICES_AS_OF}.{missing !== undefined && ` There is ${missing}.`}
        {replayAt.value !== undefined && ' All of it, also what came after this moment.'}
      </p>
    </Section>
  );
}

function amount(usage: UsageReport, field: (typeof ROWS)[number][1], isLowerBound: boolean): string {
  return `${isLowerBound && field === 'output' ? '≥ ' : ''}${formatCount(usage[field])}`;
}
