import {
  agentsOf,
  cleanLine,
  isBusy,
  PLAIN,
  paintMark,
  plural,
  type SessionDetail,
  type Standing,
  sessionStanding,
  standingOf,
} from '../../../src/core/index.ts';
import { selectSession } from '../actions.ts';
import { Ago } from '../parts/ago.tsx';
import { isPlain } from '../parts/place-link.tsx';
import { hashOf } from '../route.ts';
import { selected, view } from '../store.ts';

/** Reads signals of its own, so it is drawn anew only where its session or the selection changed. */
export function SessionRow({ session }: { readonly session: SessionDetail }) {
  const { id, project, title, host, lastActivityAt } = session;
  const isSelected = selected.value?.session === id;
  const standing = sessionStanding(session);
  const onClick = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    selectSession(id);
  };
  const ref = { session: id, agent: id };
  return (
    <li class="sessions-row">
      <a
        href={hashOf({ view: view.value, ref, message: undefined })}
        aria-current={isSelected ? 'true' : undefined}
        onClick={onClick}
      >
        <span class="sessions-line">
          <Mark standing={standing} />
          <span class="sessions-project">{cleanLine(project ?? 'no project known')}</span>
          <span class="sessions-age">
            <Ago at={lastActivityAt} isLive />
          </span>
        </span>
        <span class="sessions-title" title={title ? cleanLine(title) : undefined}>
          {title ? cleanLine(title) : <span class="dim">without a title</span>}
        </span>
        <span class="sessions-line sessions-small">
          <span>{atWorkText(session)}</span>
          <span class="sessions-host">{cleanLine(host)}</span>
          <Alarms session={session} />
        </span>
      </a>
    </li>
  );
}

function Mark({ standing }: { readonly standing: Standing }) {
  return (
    <span class={`standing standing-${standing.replace(' ', '-')}`}>
      <span aria-hidden="true">{paintMark(standing, PLAIN)}</span>
      <span class="visually-hidden">{standing}:</span>
    </span>
  );
}

/** 4 of 6 at work; where nobody is, how many there were. */
function atWorkText(session: SessionDetail): string {
  const busy = agentsOf(session).filter(isBusy).length;
  return busy > 0 ? `${busy} of ${session.agents} at work` : plural(session.agents, 'agent');
}

function Alarms({ session }: { readonly session: SessionDetail }) {
  const standings = agentsOf(session).map(standingOf);
  const needing = standings.filter((standing) => standing === 'needs you').length;
  const silent = standings.filter((standing) => standing === 'silent').length;
  return (
    <span class="sessions-alarms">
      {needing > 0 && (
        <span class="standing-needs-you" title={`${needing} ${needing === 1 ? 'needs' : 'need'} you`}>
          ◐ {needing}
          <span class="visually-hidden"> {needing === 1 ? 'needs' : 'need'} you</span>
        </span>
      )}
      {silent > 0 && (
        <span class="standing-silent" title={`${silent} silent`}>
          ⚠ {silent}
          <span class="visually-hidden"> silent</span>
        </span>
      )}
    </span>
  );
}
