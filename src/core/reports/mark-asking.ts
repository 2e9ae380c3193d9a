import { groupBy } from '../../lib/group.ts';
import { needsPerson } from '../select.ts';
import type { LiveSnapshot, SessionDetail } from './live-shapes.ts';
import type { AgentReport } from './shapes.ts';

/**
 * The picture as people are to see it: whose call waits for an answer waits for the person. What hosts write does not say so;
 * the ask does. Sessions without asks are the very same objects, and those with the same asks as before stay the same, too.
 */
export function markAsking(picture: LiveSnapshot): LiveSnapshot {
  const open = picture.asks.filter(({ end, agent }) => end === null && agent.id !== null);
  if (open.length === 0) return picture;
  const asking = groupBy(open, ({ host, session }) => `${host} ${session}`);
  const sessions = picture.sessions.map((session) => {
    // Hooks of a session that stands in this one's tree name that one.
    const started = session.subagents.filter(({ kind }) => kind === 'session');
    const asks = [session, ...started].flatMap(({ host, id }) => asking.get(`${host} ${id}`) ?? []);
    return asks.length > 0 ? markIn(session, new Set(asks.flatMap(({ agent }) => agent.id ?? []))) : session;
  });
  return { ...picture, sessions };
}

const marked = new WeakMap<SessionDetail, { readonly ids: string; readonly session: SessionDetail }>();

function markIn(session: SessionDetail, ids: ReadonlySet<string>): SessionDetail {
  const known = marked.get(session);
  const key = [...ids].sort().join(' ');
  if (known?.ids === key) return known.session;
  const mark = (agent: AgentReport): AgentReport => (ids.has(agent.id) ? waiting(agent) : agent);
  const main = mark(session.main);
  const subagents = session.subagents.map(mark);
  const needsYou = [main, ...subagents].filter(needsPerson).map(({ id, label, waitingOn }) => ({
    id,
    label,
    waitingOn: waitingOn === 'input' ? ('input' as const) : ('permission' as const),
  }));
  const next = { ...session, main, subagents, needsYou };
  marked.set(session, { ids: key, session: next });
  return next;
}

function waiting(agent: AgentReport): AgentReport {
  return { ...agent, status: 'waiting', waitingOn: 'permission', activity: 'waiting', stalled: false };
}
