import { useState } from 'preact/hooks';
import {
  type AgentReport,
  type ChangeReport,
  cleanLine,
  explainChange,
  formatDuration,
  formatMark,
  isAtWork,
  PLAIN,
  plural,
  type RunReport,
  timeText,
  typeText,
  watchedDoing,
} from '../../../src/core/index.ts';
import { AgentLink } from '../parts/place-link.tsx';
import { hueOf, StatusMark } from '../parts/status-mark.tsx';
import { exactTime, wallTime } from '../parts/time-text.ts';
import { nowShown, replayAt } from '../store.ts';
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
  const { slug, model, messageCount, toolCallCount } = agent;
  const facts = [
    kindText(agent),
    slug,
    model,
    messageCount === null ? null : plural(messageCount, 'message'),
    toolCallCount === null ? null : plural(toolCallCount, 'call'),
  ].filter((fact) => fact !== null && fact !== '');
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

/** How it came to stand as it does: each change with its time, how it is known, and why. */
export function StatusSection({ agent }: { readonly agent: AgentReport }) {
  const changes = agent.changes.filter(isPast);
  return (
    <Section title="How it went">
      {changes.length === 0 ? (
        <p class="dim">Nothing is written down of it yet.</p>
      ) : (
        <ol class="panel-causes">
          {changes.map((change, index) => (
            <Change key={index} change={change} />
          ))}
        </ol>
      )}
      {agent.runs.length > 1 && <Runs runs={agent.runs} />}
    </Section>
  );
}

function isPast({ at }: ChangeReport): boolean {
  const until = replayAt.value;
  return until === undefined || (at !== null && Date.parse(at) <= until);
}

function Change({ change }: { readonly change: ChangeReport }) {
  const { what, how, why } = explainChange(change);
  return (
    <li>
      <When at={change.at} isNow={isAtWork(change.status)} />
      <span>
        <span aria-hidden="true">{formatMark(change.status, false, PLAIN)}</span> <b>{what}</b>{' '}
        <span class="dim">· {how}</span>
        {why !== undefined && <span class="panel-why">{why}</span>}
      </span>
    </li>
  );
}

/** Nobody writes down when something began to wait: it does so now. */
function When({ at, isNow }: { readonly at: string | null; readonly isNow: boolean }) {
  if (at === null) return <span class="panel-when">{isNow ? 'now' : '–'}</span>;
  return (
    <time class="panel-when" dateTime={at} title={exactTime(at)}>
      {wallTime(Date.parse(at))}
    </time>
  );
}

/** Set to work more than once. */
function Runs({ runs }: { readonly runs: readonly RunReport[] }) {
  return (
    <details class="panel-runs">
      <summary>{plural(runs.length, 'run')}</summary>
      <ol>
        {runs.map((run, index) => (
          <li key={index}>
            <When at={run.startedAt} isNow={false} />
            <span>
              <span aria-hidden="true">{formatMark(run.status, false, PLAIN)}</span> {explainChange(run).what}
              {run.startedAt !== null && run.endedAt !== null && (
                <span class="dim"> after {formatDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}</span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
