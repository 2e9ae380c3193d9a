import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AgentReport, SessionDetail } from '../../../src/core/index.ts';
import { goTo } from '../actions.ts';
import { Asked } from './asked.tsx';
import { CallsSection } from './calls-section.tsx';
import { FilesSection } from './files-section.tsx';
import { IdsSection } from './ids-section.tsx';
import { NowSection } from './now-section.tsx';
import { NumbersSection } from './numbers-section.tsx';
import { PanelHead } from './panel-head.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { type Shown, shownAgent } from './shown-agent.ts';
import { StatusSection } from './status-section.tsx';
import { SubAgents } from './sub-agents.tsx';
import { UsageSection } from './usage-section.tsx';
import './panel.css';

/** Everything about one agent; of a session, about its main agent and the whole. */
export function DetailPanel() {
  const shown = shownAgent.value;
  const key = shown.kind === 'agent' ? `${shown.session.id} ${shown.agent.id}` : shown.kind;
  const panel = useRef<HTMLElement>(null);
  // Another agent is read from the beginning.
  useLayoutEffect(() => {
    if (key) panel.current?.scrollTo(0, 0);
  }, [key]);
  return (
    <aside ref={panel} class="panel" aria-label="Detail">
      <button type="button" class="quiet panel-close" onClick={() => goTo('view')} title="Close (d)">
        <span aria-hidden="true">×</span>
        <span class="visually-hidden">Close the detail</span>
      </button>
      {shown.kind === 'agent' ? (
        <Detail key={key} session={shown.session} agent={shown.agent} />
      ) : (
        <p class="panel-none">{NONE_TEXTS[shown.kind]}</p>
      )}
    </aside>
  );
}

const NONE_TEXTS: Readonly<Record<Exclude<Shown['kind'], 'agent'>, string>> = {
  nothing: 'Here stands everything about the agent that you select.',
  reading: 'Reading this session…',
  'no-session': 'There is no session of this id.',
  'no-agent': 'There is no agent of this id in this session.',
  'not-yet': 'At this moment of the replay it did not exist yet.',
};

function Detail({ session, agent }: { readonly session: SessionDetail; readonly agent: AgentReport }) {
  return (
    <article class="panel-body">
      <PanelHead session={session} agent={agent} />
      <Asked session={session} agent={agent} />
      <NowSection agent={agent} />
      <StatusSection agent={agent} />
      <NumbersSection session={session} agent={agent} />
      <UsageSection session={session} agent={agent} />
      <SubAgents session={session} agent={agent} />
      <CallsSection session={session} agent={agent} />
      <FilesSection session={session} agent={agent} />
      <ProblemsSection session={session} agent={agent} />
      <IdsSection session={session} agent={agent} />
    </article>
  );
}
