import {
  type Activity,
  type AgentReport,
  cleanLine,
  formatStatus,
  isAtWork,
  standingOf,
  type TimelineReport,
} from '../../../src/core/index.ts';
import { Ago, PlaceLink, Since } from '../parts/marks.tsx';
import { nowShown } from '../store.ts';
import { refOf, Section, useTimeline } from './section.tsx';

const ACTIVITIES: Readonly<Record<Activity, string>> = {
  starting: 'starting',
  thinking: 'the model is thinking',
  tool_use: 'uses a tool',
  waiting: 'waits',
  idle: 'idle',
  done: 'done',
  failed: 'failed',
  unknown: 'not known',
};

/** What it is doing at this moment. Nothing where it has come to its end. */
export function NowSection({ agent }: { readonly agent: AgentReport }) {
  const { timeline } = useTimeline(agent.sessionId);
  if (!isAtWork(agent.status)) return null;
  const standing = standingOf(agent);
  const since = currentCallSince(agent, timeline, nowShown.value);
  return (
    <Section title="Now">
      <div class={`panel-now panel-now-${standing.replace(' ', '-')}`}>
        {agent.currentTool === null ? (
          <p>{agent.activity === 'waiting' ? formatStatus(agent) : ACTIVITIES[agent.activity]}</p>
        ) : (
          <p>
            <PlaceLink in="timeline" to={refOf(agent)} class="panel-tool">
              {cleanLine(agent.currentTool)}
            </PlaceLink>{' '}
            <code>{cleanLine(agent.currentToolSummary ?? '')}</code>
          </p>
        )}
        <p class="dim">
          {since !== undefined && (
            <>
              for <Since at={since} /> ·{' '}
            </>
          )}
          {standing === 'silent' && agent.lastActivityAt !== null ? (
            <span class="standing-silent">
              ⚠ silent for <Since at={Date.parse(agent.lastActivityAt)} />
            </span>
          ) : (
            <>
              last sign <Ago at={agent.lastActivityAt} />
            </>
          )}
        </p>
        {standing === 'needs you' && (
          <p>
            <b class="standing-needs-you">{formatStatus(agent)}</b>: answer it where it runs.
          </p>
        )}
      </div>
    </Section>
  );
}

/** When the call began that the agent is in the middle of; undefined where nobody wrote it down, or it is too new. */
export function currentCallSince(
  agent: AgentReport,
  timeline: TimelineReport | undefined,
  now: number,
): number | undefined {
  if (agent.currentTool === null) return undefined;
  const calls = timeline?.agents.find(({ id }) => id === agent.id)?.calls ?? [];
  const open = calls.findLast(
    ({ tool, summary, startedAt, endedAt }) =>
      tool === agent.currentTool &&
      summary === agent.currentToolSummary &&
      startedAt !== null &&
      Date.parse(startedAt) <= now &&
      (endedAt === null || Date.parse(endedAt) > now),
  );
  return open?.startedAt ? Date.parse(open.startedAt) : undefined;
}
