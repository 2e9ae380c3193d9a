import type { ComponentChildren } from 'preact';
import type { AgentReport, SessionDetail } from '../../../src/core/index.ts';
import type { AgentRef } from '../store.ts';

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
