import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import {
  type AgentReport,
  cleanLine,
  formatCount,
  isAtWork,
  linkText,
  outputText,
  timeText,
} from '../../../../src/core/index.ts';
import { read } from '../../actions.ts';
import { askerName, useBackend } from '../../backend.ts';
import { Ago } from '../../parts/ago.tsx';
import { isPlain, PlaceLink } from '../../parts/place-link.tsx';
import { hueOf, StatusMark } from '../../parts/status-mark.tsx';
import { hashOf } from '../../route.ts';
import { type AgentRef, clock } from '../../store.ts';
import type { Book } from './book.ts';
import { findCall } from './find-call.ts';
import { agentIn, ancestorsOf, isBusy, nameOf, sessionOf, typeOf } from './who.ts';

/** Who speaks in this transcript, and the way back to who asked. Always in sight. */
export function ReaderHead({ at, title, total }: HeadProps) {
  const agent = useComputed(() => agentIn(at.session, at.agent)).value;
  return (
    <>
      <Crumbs at={at} agent={agent} title={title} />
      <p class="read-facts">
        {agent && <Facts at={at} agent={agent} />}
        {total !== undefined && <span>{total === 1 ? '1 message' : `${formatCount(total)} messages`}</span>}
      </p>
    </>
  );
}

interface HeadProps {
  readonly at: AgentRef;
  /** Of the transcript: where nothing else is known of the agent. */
  readonly title: string;
  readonly total: number | undefined;
}

function Crumbs({
  at,
  agent,
  title,
}: {
  readonly at: AgentRef;
  readonly agent: AgentReport | undefined;
  readonly title: string;
}) {
  const path = useComputed(() => ancestorsOf(at)).value;
  const project = useComputed(() => sessionOf(at.session)?.project ?? undefined).value;
  return (
    <nav class="read-crumbs" aria-label="Who asked whom">
      <ol>
        {path.map((one) => (
          <li key={one.id} style={{ '--crumb': hueOf(one.hue) }}>
            <PlaceLink in="read" to={{ session: at.session, agent: one.id }} title={crumbTitle(one, project)}>
              {nameOf(one)}
            </PlaceLink>
          </li>
        ))}
        <li aria-current="page" style={{ '--crumb': hueOf(agent?.hue ?? null) }}>
          <b title={agent ? crumbTitle(agent, project) : undefined}>
            {agent ? nameOf(agent) : title || cleanLine(at.agent)}
          </b>
          {agent && <span class="read-type">{agent.kind === 'main' ? cleanLine(project ?? '') : typeOf(agent)}</span>}
        </li>
      </ol>
    </nav>
  );
}

function crumbTitle(agent: AgentReport, project: string | undefined): string {
  return agent.kind === 'main'
    ? `main agent${project === undefined ? '' : ` of ${cleanLine(project)}`}`
    : nameOf(agent);
}

function Facts({ at, agent }: { readonly at: AgentRef; readonly agent: AgentReport }) {
  const reason = agent.status === 'completed' ? null : (agent.runs.at(-1)?.reason ?? null);
  const doubt = linkText(agent);
  return (
    <>
      <span class="read-fact-status">
        <StatusMark agent={agent} word />
        {reason !== null && <span title={cleanLine(reason)}>: {cleanLine(reason)}</span>}
      </span>
      <AskedBy at={at} agent={agent} />
      {doubt !== '' && <span title={cleanLine(agent.evidence?.text ?? '')}>{cleanLine(doubt)}</span>}
      {agent.model !== null && <span>{cleanLine(agent.model)}</span>}
      <span>
        began <Ago at={agent.startedAt} isLive />
      </span>
      <span>
        {isAtWork(agent.status) ? 'at work for ' : 'took '}
        {timeText(agent, clock.value)}
      </span>
      <span title="Tokens that it wrote">{outputText(agent)} tokens written</span>
    </>
  );
}

/** To the very message in which it was asked. Where that stands, the other transcript has to be asked first. */
function AskedBy({ at, agent }: { readonly at: AgentRef; readonly agent: AgentReport }) {
  const backend = useBackend();
  const [isLooking, setLooking] = useState(false);
  const parent = useComputed(() => (agent.parentId === null ? undefined : agentIn(at.session, agent.parentId))).value;
  if (agent.kind === 'main') return <span>asked by {askerName()}</span>;
  if (!parent) return <span>asked by somebody not known</span>;
  const to = { session: at.session, agent: parent.id };
  const go = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    setLooking(true);
    findCall(backend, to, agent.toolUseId, agent.startedAt).then(
      (index) => read(to, index),
      () => read(to),
    );
  };
  return (
    <span>
      asked by{' '}
      <a href={hashOf({ view: 'read', ref: to, message: undefined })} onClick={go} aria-busy={isLooking} data-asked-by>
        {nameOf(parent)}
      </a>
    </span>
  );
}

/** What there is to say about a transcript that is not there, or not all of it. */
export function ReaderState({ book, at }: { readonly book: Book; readonly at: AgentRef }) {
  const state = book.state.value;
  const isEmpty = book.total.value === undefined || book.total.value === 0;
  switch (state.kind) {
    case 'reading':
      return (
        <p class="read-state" role="status">
          Reading…
        </p>
      );
    case 'missing':
      return (
        <div class="read-state">
          <p>
            {isBusy(at)
              ? 'It has not said anything yet.'
              : 'There is no transcript of this agent. Its files may be gone, or were never written.'}
          </p>
          {at.agent !== at.session && (
            <PlaceLink in="read" to={{ session: at.session, agent: at.session }}>
              Read the main agent
            </PlaceLink>
          )}
        </div>
      );
    case 'failed':
      return (
        <div class="read-state read-state-failed" role="alert">
          <p>
            {isEmpty ? 'The transcript' : 'A part of the transcript'} could not be read: {cleanLine(state.reason)}
          </p>
          <button type="button" onClick={() => void book.refresh()}>
            Try again
          </button>
        </div>
      );
    case 'ready':
      return isEmpty ? <p class="read-state">Nothing has been said here yet.</p> : null;
  }
}
