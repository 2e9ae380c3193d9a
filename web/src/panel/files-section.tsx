import { useState } from 'preact/hooks';
import { cleanLine, type SessionDetail, type TimelineAgent } from '../../../src/core/index.ts';
import { PlaceLink } from '../parts/marks.tsx';
import { nowShown } from '../store.ts';
import { type AgentProps, refOf, Section, useTimeline } from './section.tsx';

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

/** Ids of all agents below one, at any depth. Children stand behind their parent, so one pass is enough. */
export function descendantsOf({ subagents }: SessionDetail, id: string): ReadonlySet<string> {
  const below = new Set<string>();
  for (const agent of subagents)
    if (agent.parentId !== null && (agent.parentId === id || below.has(agent.parentId))) below.add(agent.id);
  return below;
}

export interface ChangedFile {
  readonly path: string;
  readonly times: number;
}

/** Files that calls wrote until `at`, in the order of their first change. A call that failed changed nothing. */
export function filesChanged(agents: readonly TimelineAgent[], at: number): readonly ChangedFile[] {
  const times = new Map<string, number>();
  const written = agents
    .flatMap(({ calls }) => calls)
    .filter(({ outcome, endedAt }) => outcome === 'ok' && (endedAt === null || Date.parse(endedAt) <= at));
  for (const { writes } of written) if (writes !== null) times.set(writes, (times.get(writes) ?? 0) + 1);
  return [...times].map(([path, count]) => ({ path, times: count }));
}

/** Below the folder of the session: without it. */
export function shortPath(path: string, folder: string | null): string {
  if (folder === null || folder === '') return path;
  const prefix = /[\\/]$/.test(folder) ? folder : `${folder}${folder.includes('\\') ? '\\' : '/'}`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
