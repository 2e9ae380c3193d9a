import { useComputed } from '@preact/signals';
import {
  agentsOf,
  cleanLine,
  costText,
  countStandings,
  formatCount,
  formatDuration,
  type ListedSession,
  listEntryOfDetail,
  PLAIN,
  paintMark,
  plural,
  type SessionDetail,
  type SessionSort,
  type Standing,
  sessionStanding,
} from '../../../src/core/index.ts';
import { selectSession } from '../actions.ts';
import { Ago, isPlain } from '../parts/marks.tsx';
import { hashOf } from '../route.ts';
import { isReplayed, selected, shownSession, sort, view } from '../store.ts';
import { focusedRow, followed } from './list-state.ts';

/** Reads signals of its own, so it is drawn again only if its session or the selection changed. */
export function SessionRow({ row, index }: { readonly row: ListedSession | undefined; readonly index: number }) {
  const id = row?.id;
  const live = useComputed(() => (id === undefined ? undefined : followed.value.get(id))).value;
  const isSelected = useComputed(() => selected.value?.session === id).value;
  const isFocused = useComputed(() => focusedRow.value === index).value;
  if (!row || id === undefined)
    return (
      <span class="sessions-blank" aria-busy="true">
        <span class="visually-hidden">Loading…</span>
      </span>
    );
  // While one session is replayed, it is listed as it was then, and of the others only what no time changes.
  const isShown = !isReplayed.value || shownSession.value?.id === id;
  const session = live && isReplayed.value && isShown ? (shownSession.value ?? live) : live;
  const now = session ? listEntryOfDetail(session).session : row;
  const onClick = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    selectSession(id);
  };
  const ref = { session: id, agent: id };
  return (
    <a
      href={hashOf({ view: view.value, ref, message: undefined })}
      aria-current={isSelected ? 'true' : undefined}
      class={isFocused ? 'is-focused' : undefined}
      onClick={onClick}
      onFocus={() => {
        focusedRow.value = index;
      }}
    >
      <span class="sessions-line">
        {isShown && <Mark standing={session ? sessionStanding(session) : standingOfRow(now)} />}
        <span class="sessions-title">
          {now.title === null ? <span class="dim">{untitled(now)}</span> : cleanLine(now.title)}
        </span>
      </span>
      <span class="sessions-line sessions-small">
        <span class="sessions-project">{cleanLine(now.project ?? 'no project known')}</span>
        <span class="sessions-host">{cleanLine(now.hostTitle ?? now.host)}</span>
        {isShown && (
          <span class="sessions-age">{isReplayed.value ? 'replayed' : <Ago at={now.lastActivityAt} isLive />}</span>
        )}
      </span>
      <span class="sessions-line sessions-small">
        {isShown && <span class="sessions-agents">{agentsText(now)}</span>}
        {session && <Origin session={session} />}
        {session && isShown && <Alarms session={session} />}
        <span class="sessions-metric">{metricText(now, sort.value)}</span>
      </span>
    </a>
  );
}

function untitled({ isRead, id }: ListedSession): string {
  return isRead ? 'without a title' : `not read yet · ${cleanLine(id.slice(0, 8))}`;
}

function standingOfRow({ status }: ListedSession): Standing {
  return status === 'waiting' ? 'idle' : (status ?? 'unknown');
}

/** 4 of 6 at work; if nobody is, how many there were. */
function agentsText({ agents, running }: ListedSession): string {
  if (agents === null) return '';
  return running > 0 ? `${running} of ${agents} at work` : plural(agents, 'agent');
}

/** What the list is sorted by; or else the cost. */
function metricText(session: ListedSession, by: SessionSort): string {
  const { outputTokens, usd, costIsLowerBound, durationMs } = session;
  if (by === 'tokens') return outputTokens === null ? '' : `${formatCount(outputTokens)} tokens`;
  if (by === 'duration') return durationMs === null ? '' : formatDuration(durationMs);
  return usd === null || usd === 0 ? '' : costText({ usd, isLowerBound: costIsLowerBound, unpricedModels: [] });
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
  if (forkedFrom !== null)
    return (
      <span class="sessions-origin" title={cleanLine(`Forked from ${forkedFrom}`)}>
        fork
      </span>
    );
  if (continuedFrom === null) return null;
  return (
    <span class="sessions-origin" title={cleanLine(`Continued from ${continuedFrom}`)}>
      after /clear
    </span>
  );
}

function Alarms({ session }: { readonly session: SessionDetail }) {
  const standings = countStandings(agentsOf(session));
  const needing = standings.get('needs you') ?? 0;
  const silent = standings.get('silent') ?? 0;
  const budget = gravestOf(session);
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
      {budget && (
        <span class={budget.state === 'warned' ? 'standing-silent' : 'standing-failed'} title={cleanLine(budget.text)}>
          {budget.state === 'warned' ? 'budget low' : 'budget used up'}
        </span>
      )}
    </span>
  );
}

/** Of what there is to say about budgets, what matters most: the last of those used up, or else of the others. */
function gravestOf({ budgetAlerts = [] }: SessionDetail) {
  return budgetAlerts.findLast(({ state }) => state !== 'warned') ?? budgetAlerts.at(-1);
}
