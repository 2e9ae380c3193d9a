import { useEffect, useState } from 'preact/hooks';
import {
  type Activity,
  type AgentReport,
  cleanLine,
  formatStatus,
  isAtWork,
  standingOf,
  type TimelineReport,
} from '../../../src/core/index.ts';
import { useBackend } from '../backend.ts';
import { Ago, Since } from '../parts/ago.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { followTimeline, troubles } from '../replay/timeline-feed.ts';
import { nowShown, timelines } from '../store.ts';
import { type ChangedFile, currentCallSince, descendantsOf, filesChanged, shortPath } from './panel-texts.ts';
import { type AgentProps, refOf, Section } from './section.tsx';

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

const FIRST = 12;

/** Files that it wrote, and those that agents below it wrote. */
export function FilesSection({ session, agent }: AgentProps) {
  const { timeline, trouble } = useTimeline(agent.sessionId);
  if (!timeline) {
    return (
      <Section title="Files changed">
        <p class="dim">{trouble === undefined ? 'Looking…' : cleanLine(trouble)}</p>
      </Section>
    );
  }
  const below = descendantsOf(session, agent.id);
  const own = filesChanged(
    timeline.agents.filter(({ id }) => id === agent.id),
    nowShown.value,
  );
  const others = filesChanged(
    timeline.agents.filter(({ id }) => below.has(id)),
    nowShown.value,
  );
  const folder = agent.worktree ?? agent.cwd ?? session.cwd;
  return (
    <Section title="Files changed" count={own.length}>
      {own.length === 0 && <p class="dim">{others.length === 0 ? 'none' : 'none by itself'}</p>}
      <FileList files={own} folder={folder} />
      {others.length > 0 && (
        <>
          <h4>
            by its sub-agents <span class="dim">{others.length}</span>
          </h4>
          <FileList files={others} folder={folder} />
        </>
      )}
      {own.length + others.length > 0 && (
        <p class="dim">
          The calls that wrote them:{' '}
          <PlaceLink in="timeline" to={refOf(agent)}>
            timeline
          </PlaceLink>
        </p>
      )}
    </Section>
  );
}

function FileList({ files, folder }: { readonly files: readonly ChangedFile[]; readonly folder: string | null }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? files : files.slice(0, FIRST);
  if (files.length === 0) return null;
  return (
    <>
      <ul class="panel-files">
        {shown.map(({ path, times }) => (
          <li key={path}>
            <code title={cleanLine(path)}>{cleanLine(shortPath(path, folder))}</code>
            <span class="dim">{times}×</span>
          </li>
        ))}
      </ul>
      {files.length > shown.length && (
        <button type="button" class="quiet panel-more" onClick={() => setWhole(true)}>
          show {files.length - shown.length} more
        </button>
      )}
    </>
  );
}

/** What happened in a session, kept up to date while somebody looks; or why it is not there. */
function useTimeline(session: string): {
  readonly timeline: TimelineReport | undefined;
  readonly trouble: string | undefined;
} {
  const backend = useBackend();
  useEffect(() => followTimeline(backend, session), [backend, session]);
  return { timeline: timelines.value.get(session), trouble: troubles.value.get(session) };
}
