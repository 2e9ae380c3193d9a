import { useState } from 'preact/hooks';
import { type AgentReport, cleanLine, plural, timeText, typeText, watchedDoing } from '../../../src/core/index.ts';
import { AgentLink, hueOf, StatusMark } from '../parts/marks.tsx';
import { nowShown } from '../store.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

const FIRST = 20;

/** Those it asked for; at the session, also those whom nobody is known to have asked for. */
export function SubAgents({ session, agent }: AgentProps) {
  const own = session.subagents.filter(({ parentId }) => parentId === agent.id);
  const orphans = agent.kind === 'main' ? session.subagents.filter(({ parentId }) => parentId === null) : [];
  return (
    <>
      {own.length > 0 && <AgentList title="Sub-agents" agents={own} />}
      {orphans.length > 0 && <AgentList title="Asked by nobody known" agents={orphans} />}
    </>
  );
}

function AgentList({ title, agents }: { readonly title: string; readonly agents: readonly AgentReport[] }) {
  const [limit, setLimit] = useState(FIRST);
  return (
    <Section title={title} count={agents.length}>
      <ul class="panel-agents">
        {agents.slice(0, limit).map((agent) => (
          <AgentItem key={agent.id} agent={agent} />
        ))}
      </ul>
      {agents.length > limit && (
        <button type="button" class="quiet panel-more" onClick={() => setLimit(limit * 5)}>
          show {Math.min(limit * 4, agents.length - limit)} more
        </button>
      )}
    </Section>
  );
}

function AgentItem({ agent }: { readonly agent: AgentReport }) {
  const now = nowShown.value;
  const { slug, model, toolCallCount } = agent;
  const facts = [kindText(agent), slug, model, toolCallCount === null ? null : plural(toolCallCount, 'call')].filter(
    (fact) => fact !== null && fact !== '',
  );
  return (
    <li style={{ borderColor: hueOf(agent.hue) }}>
      <AgentLink to={refOf(agent)} class="panel-agent">
        <span class="panel-agent-line">
          <StatusMark agent={agent} />
          <span class="panel-agent-name">{cleanLine(agent.label)}</span>
          <span class="panel-agent-time">{timeText(agent, now)}</span>
        </span>
        <span class="panel-agent-doing">{cleanLine(watchedDoing(agent, now)) || formatActivity(agent)}</span>
        <span class="panel-agent-facts">{facts.map((fact) => cleanLine(fact ?? '')).join(' · ')}</span>
      </AgentLink>
    </li>
  );
}

function formatActivity({ activity }: AgentReport): string {
  return activity === 'tool_use' ? 'uses a tool' : activity;
}

/** What kind of agent it is. The terminal has room for a sign only where here stand words. */
export function kindText(agent: AgentReport): string {
  const type = typeText({ ...agent, background: null });
  return agent.background && type !== '' ? `${type}, in the background` : type;
}
