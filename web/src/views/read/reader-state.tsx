import { type AgentReport, cleanLine, isAtWork, type SessionDetail, typeText } from '../../../../src/core/index.ts';
import { PlaceLink } from '../../parts/marks.tsx';
import { type AgentRef, agentsOf, sessions, shownSession, timelines } from '../../store.ts';
import type { Book } from './book.ts';

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

/** As the other views show it: in a replay, as it was then. */
export function sessionOf(id: string): SessionDetail | undefined {
  return shownSession.value?.id === id ? shownSession.value : sessions.value.find((session) => session.id === id);
}

export function agentIn(session: string, id: string): AgentReport | undefined {
  const found = sessionOf(session);
  return found && agentsOf(found).find((agent) => agent.id === id);
}

/** Ids of its calls that had no result yet at the moment of the replay, one after the other; empty in the present. */
export function openCallsAt({ session, agent }: AgentRef, at: number | undefined): string {
  if (at === undefined) return '';
  const calls = timelines.value.get(session)?.agents.find(({ id }) => id === agent)?.calls ?? [];
  const isOpen = (endedAt: string | null): boolean => endedAt === null || Date.parse(endedAt) > at;
  return calls
    .filter(({ startedAt, endedAt }) => Date.parse(startedAt ?? '') <= at && isOpen(endedAt))
    .map(({ id }) => id)
    .join(' ');
}

/** From the main agent down to the one that asked for this one. */
export function ancestorsOf({ session, agent }: AgentRef): readonly AgentReport[] {
  const path: AgentReport[] = [];
  let above = agentIn(session, agent)?.parentId ?? null;
  while (above !== null) {
    const parent = agentIn(session, above);
    // What asks for itself, over however many steps, asks for ever.
    if (!parent || path.includes(parent)) break;
    path.unshift(parent);
    above = parent.parentId;
  }
  return path;
}

export function nameOf({ kind, label }: AgentReport): string {
  return kind === 'main' ? 'main' : cleanLine(label);
}

/** What kind of agent it is, in the words it was asked for by. */
export function typeOf(agent: AgentReport): string {
  return cleanLine(typeText({ ...agent, background: false }));
}

export function isBusy({ session, agent }: AgentRef): boolean {
  const report = agentIn(session, agent);
  return report !== undefined && isAtWork(report.status);
}
