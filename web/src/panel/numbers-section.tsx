import {
  type AgentReport,
  cleanLine,
  costText,
  formatCount,
  missingPrices,
  PRICES_AS_OF,
  timeText,
  type UsageReport,
} from '../../../src/core/index.ts';
import { Ago } from '../parts/ago.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { hueOf } from '../parts/status-mark.tsx';
import { nowShown, replayAt } from '../store.ts';
import { type AgentProps, Fact, refOf, Section } from './section.tsx';

export function NumbersSection({ session, agent }: AgentProps) {
  const { model, effort, messageCount, toolCallCount, slug } = agent;
  const ref = refOf(agent);
  return (
    <Section title="Numbers">
      <dl class="panel-facts">
        <Fact name="Model" isWide>
          {model === null ? 'not known' : cleanLine(model)}
          {effort !== null && <span class="dim"> · effort {cleanLine(effort)}</span>}
        </Fact>
        <Fact name="Context" isWide>
          <Context agent={agent} />
        </Fact>
        <Fact name="Messages">
          {messageCount === null ? (
            'not known'
          ) : (
            <PlaceLink in="read" to={ref}>
              {messageCount}
              {replayAt.value !== undefined && ' in all'}
            </PlaceLink>
          )}
        </Fact>
        <Fact name="Tool calls">
          {toolCallCount === null ? (
            'not known'
          ) : (
            <PlaceLink in="timeline" to={ref}>
              {toolCallCount}
            </PlaceLink>
          )}
        </Fact>
        <Fact name="Duration">
          <PlaceLink in="timeline" to={ref}>
            {timeText(agent, nowShown.value)}
          </PlaceLink>
        </Fact>
        <Fact name="Began">
          <Ago at={agent.startedAt} />
        </Fact>
        {slug !== null && (
          <Fact name="Slug" isWide>
            {cleanLine(slug)}
          </Fact>
        )}
        {agent.kind === 'main' && (
          <>
            <Fact name="Agents" isWide>
              <PlaceLink in="graph" to={ref}>
                {session.agents}
              </PlaceLink>
              {session.internalAgents > 0 && (
                <span class="dim"> and {session.internalAgents} that the host started for itself</span>
              )}
            </Fact>
            <Fact name="Host" isWide>
              {cleanLine(session.hostTitle)} {session.hostVersion === null ? '' : cleanLine(session.hostVersion)}
            </Fact>
          </>
        )}
      </dl>
    </Section>
  );
}

function Context({ agent }: { readonly agent: AgentReport }) {
  const { contextTokens, contextWindow, compactions, hue } = agent;
  if (contextTokens === null) return <>not known</>;
  const share = contextWindow === null ? undefined : Math.round((100 * contextTokens) / contextWindow);
  return (
    <>
      <PlaceLink in="race" to={refOf(agent)}>
        {formatCount(contextTokens)}
      </PlaceLink>
      {contextWindow === null ? (
        <span class="dim"> tokens, window not known</span>
      ) : (
        <span class="dim">
          {' '}
          of {formatCount(contextWindow)} · {share} %
        </span>
      )}
      {share !== undefined && (
        <span class="panel-bar" aria-hidden="true">
          <span style={{ width: `${Math.min(100, share)}%`, background: hueOf(hue) }} />
        </span>
      )}
      {compactions > 0 && <span class="dim">shortened {compactions === 1 ? 'once' : `${compactions} times`}</span>}
    </>
  );
}

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
