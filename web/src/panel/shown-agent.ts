import { computed } from '@preact/signals';
import type { AgentReport, SessionDetail } from '../../../src/core/index.ts';
import { unknownSessions } from '../sessions/read-older.ts';
import { agentsOf, picture, replayAt, selected, sessions, shownSession, shownSessions } from '../store.ts';

/** Whom the detail is about, or why it is about nobody. */
export type Shown =
  | { readonly kind: 'agent'; readonly session: SessionDetail; readonly agent: AgentReport }
  | { readonly kind: 'nothing' | 'reading' | 'no-session' | 'no-agent' | 'not-yet' };

let last: Shown = { kind: 'nothing' };

/** Where nothing is selected: the session that the views draw. The same object as long as it is the same. */
export const shownAgent = computed<Shown>(() => {
  const now = find();
  const isSame =
    now.kind === 'agent' && last.kind === 'agent'
      ? now.session === last.session && now.agent === last.agent
      : now.kind === last.kind;
  if (!isSame) last = now;
  return last;
});

function find(): Shown {
  const wanted = selected.value;
  if (!wanted) {
    const session = shownSession.value;
    return session ? { kind: 'agent', session, agent: session.main } : { kind: 'nothing' };
  }
  const known = sessions.value.find(({ id }) => id === wanted.session);
  if (!known) return { kind: isStillToCome(wanted.session) ? 'reading' : 'no-session' };
  const session = shownSessions.value.find(({ id }) => id === wanted.session) ?? known;
  const agent = agentsOf(session).find(({ id }) => id === wanted.agent);
  if (agent) return { kind: 'agent', session, agent };
  const isLater = replayAt.value !== undefined && agentsOf(known).some(({ id }) => id === wanted.agent);
  return { kind: isLater ? 'not-yet' : 'no-agent' };
}

function isStillToCome(id: string): boolean {
  return !picture.value?.isComplete || !unknownSessions.value.has(id);
}
