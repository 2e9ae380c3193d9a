import { filter, isReplayed, picture, selected, sessions, shownSession, useBackend, view } from '../store.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Alarm, findAlarms, groups, readOlder } from './order.ts';
import './sessions.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  agentsOf,
  cleanLine,
  countStandings,
  type OlderSession,
  PLAIN,
  paintMark,
  plural,
  type SessionDetail,
  type Standing,
  sessionStanding,
} from '../../../src/core/index.ts';
import { selectSession } from '../actions.ts';
import { matchesOlder } from '../filter.ts';
import { AgentLink, Ago, hueOf, isPlain, Since } from '../parts/marks.tsx';
import { hashOf } from '../route.ts';

export function SessionsColumn() {
  const shown = groups.value;
  return (
    <nav class="sessions" aria-label="Sessions">
      <FilterBar />
      <div class="sessions-scroll" tabIndex={-1}>
        {shown.map(({ name, sessions: inGroup }) => (
          <section key={name} class="sessions-group" aria-label={name}>
            <h2 class="sessions-head">
              {name} <span class="dim">{inGroup.length}</span>
            </h2>
            <ul>
              {inGroup.map((session) => (
                <SessionRow key={`${session.host}:${session.id}`} session={session} />
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 && <p class="sessions-none">{noneText()}</p>}
        <OlderList />
        <EmptyNote />
      </div>
      <Radar />
    </nav>
  );
}

function noneText(): string {
  if (sessions.value.length > 0) return 'No session matches.';
  if (!picture.value) return '';
  return picture.value.isComplete ? 'No session yet.' : 'Still reading…';
}

/** Who needs the person, and who is silent: on what, and for how long. Where there is nobody, there is no radar. */
export function Radar() {
  const needing = findAlarms(sessions.value, 'needs you');
  const silent = findAlarms(sessions.value, 'silent');
  if (needing.length + silent.length === 0) return null;
  return (
    <div class="radar">
      <AlarmList name="Needs you" class="radar-needs-you" alarms={needing} />
      <AlarmList name="Silent" class="radar-silent" alarms={silent} />
    </div>
  );
}

interface AlarmListProps {
  readonly name: string;
  readonly class: string;
  readonly alarms: readonly Alarm[];
}

function AlarmList({ name, class: kind, alarms }: AlarmListProps) {
  if (alarms.length === 0) return null;
  return (
    <section class={kind} aria-label={name}>
      <h2 class="sessions-head">
        {name} <span class="dim">{alarms.length}</span>
      </h2>
      <ul>
        {alarms.map(({ key, agent, session, since, on }) => (
          <li key={key} class="radar-row">
            <AgentLink to={{ session: session.id, agent: agent.id }}>
              <span class="sessions-line">
                <span class="radar-dot" style={{ background: hueOf(agent.hue) }} aria-hidden="true" />
                <span class="radar-name">{cleanLine(agent.label)}</span>
                <span class="sessions-age">{since === undefined ? '–' : <Since at={since} isLive />}</span>
              </span>
              <span class="radar-on">
                {kind === 'radar-silent' && 'on '}
                {cleanLine(on)}
              </span>
            </AgentLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

const FIRST = 10;
const MORE = 50;

/** Sessions from before the window: known by their files only, and read when somebody asks. */
export function OlderList() {
  const [limit, setLimit] = useState(FIRST);
  const { older = [], olderTotal = 0 } = picture.value ?? {};
  if (olderTotal === 0) return null;
  const fitting = older.filter((session) => matchesOlder(session, filter.value));
  return (
    <section class="sessions-group" aria-label="Older">
      <h2 class="sessions-head">
        Older <span class="dim">{olderTotal}</span>
      </h2>
      <ul>
        {fitting.slice(0, limit).map((session) => (
          <OlderRow key={`${session.host}:${session.id}`} session={session} />
        ))}
      </ul>
      {fitting.length > limit && (
        <button type="button" class="quiet sessions-more" onClick={() => setLimit(limit + MORE)}>
          show {Math.min(MORE, fitting.length - limit)} more
        </button>
      )}
      {fitting.length <= limit && (fitting.length < older.length || older.length < olderTotal) && (
        <p class="sessions-none">
          {fitting.length < older.length
            ? `${plural(older.length - fitting.length, 'older session does', 'older sessions do')} not match.`
            : `${olderTotal - older.length} more are not listed here: troupe ls --all`}
        </p>
      )}
    </section>
  );
}

/** Sessions without a conversation, such as terminals that were opened and closed again. */
export function EmptyNote() {
  const { emptySessions = 0 } = picture.value ?? {};
  if (emptySessions === 0) return null;
  return (
    <p class="sessions-none" title="Sessions in which nobody asked anything. To list them: troupe ls --empty">
      {plural(emptySessions, 'empty session')} not listed
    </p>
  );
}

type State = 'listed' | 'reading' | { readonly failure: string };

function OlderRow({ session }: { readonly session: OlderSession }) {
  const { id, host, modifiedAt, files, project, title, status, agents } = session;
  const backend = useBackend();
  const [state, setState] = useState<State>('listed');
  const onClick = (): void => {
    setState('reading');
    readOlder(backend, id).then(
      (isThere) => setState(isThere ? 'reading' : { failure: 'It is not there any more.' }),
      (error: unknown) => setState({ failure: error instanceof Error ? error.message : String(error) }),
    );
  };
  return (
    <li class="sessions-older">
      <span class="sessions-older-text">
        <span class="sessions-line">
          {status !== null && <Mark standing={status === 'waiting' ? 'idle' : status} />}
          {project === null ? (
            <code>{cleanLine(id.slice(0, 8))}</code>
          ) : (
            <span class="sessions-project">{cleanLine(project)}</span>
          )}
          <span class="sessions-age">
            <Ago at={modifiedAt} isLive />
          </span>
        </span>
        {title !== null && (
          <span class="sessions-title" title={cleanLine(title)}>
            {cleanLine(title)}
          </span>
        )}
        <span class="sessions-host">
          {cleanLine(host)} · {agents === null ? plural(files, 'file') : plural(agents, 'agent')}
        </span>
      </span>
      {typeof state === 'object' ? (
        <span class="sessions-failure" role="alert">
          {cleanLine(state.failure)}
        </span>
      ) : (
        <button type="button" class="quiet" disabled={state === 'reading'} onClick={onClick}>
          {state === 'reading' ? 'loading…' : 'Load'}
          <span class="visually-hidden"> (session {cleanLine(id.slice(0, 8))})</span>
        </button>
      )}
    </li>
  );
}

/** Reads signals of its own, so it is drawn anew only where its session or the selection changed. */
export function SessionRow({ session: present }: { readonly session: SessionDetail }) {
  // While one session is replayed, it is listed as it was then, and of the others only what no time changes.
  const isShown = !isReplayed.value || shownSession.value?.id === present.id;
  const session = isReplayed.value && isShown ? (shownSession.value ?? present) : present;
  const { id, project, title, host, lastActivityAt } = session;
  const isSelected = selected.value?.session === id;
  const standing = sessionStanding(session);
  const row = useRef<HTMLLIElement>(null);
  // A link, a key or another view may select a session that is out of sight in the list.
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const onClick = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    selectSession(id);
  };
  const ref = { session: id, agent: id };
  return (
    <li class="sessions-row" ref={row}>
      <a
        href={hashOf({ view: view.value, ref, message: undefined })}
        aria-current={isSelected ? 'true' : undefined}
        onClick={onClick}
      >
        <span class="sessions-line">
          {isShown && <Mark standing={standing} />}
          <span class="sessions-project">{cleanLine(project ?? 'no project known')}</span>
          {isShown && (
            <span class="sessions-age">{isReplayed.value ? 'replayed' : <Ago at={lastActivityAt} isLive />}</span>
          )}
        </span>
        <span class="sessions-title" title={title ? cleanLine(title) : undefined}>
          {title ? cleanLine(title) : <span class="dim">without a title</span>}
        </span>
        <span class="sessions-line sessions-small">
          {isShown && <span>{atWorkText(session)}</span>}
          <span class="sessions-host">{cleanLine(host)}</span>
          <Origin session={session} />
          {isShown && <Alarms session={session} />}
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

/** Tells sessions with the same title apart. */
function Origin({ session: { forkedFrom, continuedFrom } }: { readonly session: SessionDetail }) {
  if (forkedFrom !== null) return <span title={cleanLine(`Forked from ${forkedFrom}`)}>fork</span>;
  if (continuedFrom === null) return null;
  return <span title={cleanLine(`Continued from ${continuedFrom}`)}>after /clear</span>;
}

/** 4 of 6 at work; where nobody is, how many there were. */
function atWorkText({ agents, running }: SessionDetail): string {
  return running > 0 ? `${running} of ${agents} at work` : plural(agents, 'agent');
}

function Alarms({ session }: { readonly session: SessionDetail }) {
  const standings = countStandings(agentsOf(session));
  const needing = standings.get('needs you') ?? 0;
  const silent = standings.get('silent') ?? 0;
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
