import {
  type AgentReport,
  cleanLine,
  contextPercent,
  countStandings,
  formatCount,
  standingsText,
  timeText,
} from '../../../src/core/index.ts';
import { Ago, hueOf, PlaceLink } from '../parts/marks.tsx';
import { agentsOf, nowShown, replayAt } from '../store.ts';
import { type AgentProps, Fact, refOf, Section } from './section.tsx';

export function NumbersSection({ session, agent }: AgentProps) {
  const { model, effort, toolCallCount, slug } = agent;
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
        <Fact name="Tool calls" isWide>
          {toolCallCount === null ? (
            'not known'
          ) : (
            <PlaceLink in="timeline" to={ref}>
              {toolCallCount}
            </PlaceLink>
          )}
          {agent.kind === 'main' && session.agents > 1 && session.toolCallCount !== null && (
            <span class="dim"> of {session.toolCallCount} in the session</span>
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
              {session.agents > 1 && <span class="dim"> · {standingsText(countStandings(agentsOf(session)))}</span>}
              {session.internalAgents > 0 && replayAt.value === undefined && (
                <span class="dim"> · {session.internalAgents} more started by the host itself</span>
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
  const share = contextPercent(agent);
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
      {compactions > 0 && <div class="dim">shortened {compactions === 1 ? 'once' : `${compactions} times`}</div>}
    </>
  );
}
