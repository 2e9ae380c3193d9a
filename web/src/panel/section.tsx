import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AgentReport, SessionDetail, TimelineReport } from '../../../src/core/index.ts';
import { followTimeline, troubles } from '../replay/timeline-feed.ts';
import { type AgentRef, timelines, useBackend } from '../store.ts';

export interface AgentProps {
  readonly session: SessionDetail;
  readonly agent: AgentReport;
}

export function refOf({ id, sessionId }: Pick<AgentReport, 'id' | 'sessionId'>): AgentRef {
  return { session: sessionId, agent: id };
}

export function Section({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel-section" aria-label={title}>
      <h3>
        {title}
        {count !== undefined && <span class="dim"> {count}</span>}
      </h3>
      {children}
    </section>
  );
}

/** One of a list of facts; two short ones share a line. */
export function Fact({
  name,
  isWide = false,
  children,
}: {
  readonly name: string;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={isWide ? 'panel-wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What happened in a session, kept up to date while somebody looks; or why it is not there. */
export function useTimeline(session: string): {
  readonly timeline: TimelineReport | undefined;
  readonly trouble: string | undefined;
} {
  const backend = useBackend();
  useEffect(() => followTimeline(backend, session), [backend, session]);
  return { timeline: timelines.value.get(session), trouble: troubles.value.get(session) };
}
