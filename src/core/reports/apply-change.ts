import { withAsk } from '../approval.ts';
import type { LiveEvent, LiveSnapshot, SessionChange, SessionDetail } from './live-shapes.ts';

const NOTHING: LiveSnapshot = {
  sessions: [],
  older: [],
  olderTotal: 0,
  ignoredFiles: 0,
  places: [],
  isComplete: false,
  notices: [],
  asks: [],
};

/** The picture after an event: how a client of the feed keeps up. What did not change is the same object as before. */
export function applyEvent(picture: LiveSnapshot = NOTHING, event: LiveEvent): LiveSnapshot {
  switch (event.type) {
    case 'snapshot':
      return event.data;
    case 'listing':
      return { ...picture, ...event.data };
    case 'gone':
      return { ...picture, sessions: picture.sessions.filter((session) => !isSame(session, event.data)) };
    case 'change':
      return { ...picture, sessions: withChange(picture.sessions, event.data) };
    case 'ask':
      return { ...picture, asks: withAsk(picture.asks, event.data) };
  }
}

function isSame(session: SessionDetail, { sessionId, host }: { readonly sessionId: string; readonly host: string }) {
  return session.id === sessionId && session.host === host;
}

function withChange(sessions: readonly SessionDetail[], change: SessionChange): readonly SessionDetail[] {
  const known = sessions.find((session) => isSame(session, change));
  const changed = changeSession(known, change);
  if (!changed) return sessions;
  return known ? sessions.map((session) => (session === known ? changed : session)) : [changed, ...sessions];
}

function changeSession(known: SessionDetail | undefined, change: SessionChange): SessionDetail | undefined {
  const agents = new Map((known ? [known.main, ...known.subagents] : []).map((agent) => [agent.id, agent]));
  for (const agent of change.agents) agents.set(agent.id, agent);
  for (const id of change.removed) agents.delete(id);
  const inOrder = change.order ? change.order.flatMap((id) => agents.get(id) ?? []) : [...agents.values()];
  const [main, ...subagents] = inOrder;
  const session = change.session ?? known;
  const diagnostics = change.diagnostics ?? known?.diagnostics;
  // A change of a session that we never heard of carries all of it.
  return session && main && diagnostics && { ...known, ...session, main, subagents, diagnostics };
}
