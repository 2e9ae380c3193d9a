import type { Size } from '../../base/screen.ts';
import { planOf } from '../../render/watch-frame.ts';
import { rowsOf, type WatchRow } from '../../render/watch-rows.ts';
import { sortSessions } from '../../render/watch-sort.ts';
import { isSessionBusy } from '../../render/watch-status.ts';
import { sessionKey, type WatchView } from '../../render/watch-view.ts';
import type { LiveSnapshot } from '../../reports/live-shapes.ts';

export interface Moment {
  readonly size: Size;
  readonly now: number;
  /** One session was asked for: it is never folded by itself. */
  readonly keepsOpen: boolean;
}

export interface Settled {
  readonly view: WatchView;
  readonly rows: readonly WatchRow[];
}

/** The view for a new picture: who came, who went, what is folded, and the selected row in sight. */
export function settleView(picture: LiveSnapshot, view: WatchView, moment: Moment): Settled {
  const isOrdered = view.isOrdered || picture.isComplete || view.touchedAt !== undefined;
  const sessions = view.isOrdered ? keepOrder(picture, view) : sortSessions(picture.sessions, view.sort);
  const resting = moment.keepsOpen ? view.resting : restingSessions(picture, view, moment.now);
  const next = { ...view, sessions, isOrdered, resting };
  const rows = rowsOf(picture.sessions, next);
  return { rows, view: scroll(select(next, rows), rows, planOf(moment.size).body) };
}

/** New ones enter at the top; nobody else moves. */
function keepOrder(picture: LiveSnapshot, { sessions, sort }: WatchView): readonly string[] {
  const there = sortSessions(picture.sessions, sort);
  const known = new Set(sessions);
  const still = new Set(there);
  return [...there.filter((key) => !known.has(key)), ...sessions.filter((key) => still.has(key))];
}

const RESTS_AFTER_MS = 15 * 60_000;
/** Nobody's eyes are on a screen whose keys nobody touches. */
const LEFT_ALONE_MS = 60_000;

function restingSessions({ sessions }: LiveSnapshot, view: WatchView, now: number): ReadonlySet<string> {
  const known = new Set(view.sessions);
  const isLeftAlone = view.touchedAt === undefined || now - view.touchedAt > LEFT_ALONE_MS;
  const resting = new Set(view.resting);
  for (const session of sessions) {
    const key = sessionKey(session);
    const isOld = now - Date.parse(session.lastActivityAt ?? '1970-01-01T00:00:00Z') > RESTS_AFTER_MS;
    if (isSessionBusy(session)) resting.delete(key);
    else if (isOld && (isLeftAlone || !known.has(key))) resting.add(key);
  }
  return resting;
}

/** The row that was selected; where it is gone, the session it was in, else whoever stands in its place. */
function select(view: WatchView, rows: readonly WatchRow[]): WatchView {
  const { selected = '', selectedAt, touchedAt } = view;
  if (touchedAt === undefined) return at(view, rows, 0);
  const found = rows.findIndex(({ key }) => key === selected);
  const inside = found === -1 ? rows.findIndex(({ key }) => selected.startsWith(`${key}/`)) : found;
  return at(view, rows, inside === -1 ? Math.min(selectedAt, rows.length - 1) : inside);
}

/** With a row selected; as it was where there is no row at all: a filter may come and go. */
export function at(view: WatchView, rows: readonly WatchRow[], index: number): WatchView {
  const row = rows[index];
  return row ? { ...view, selected: row.key, selectedAt: index } : view;
}

/** The first row in sight stays the first one, whatever comes and goes above it, unless that is where news arrives. */
function scroll(view: WatchView, rows: readonly WatchRow[], height: number): WatchView {
  const anchor = view.top === 0 ? 0 : rows.findIndex(({ key }) => key === view.topKey);
  const wanted = anchor === -1 ? view.top : anchor;
  const inSight = Math.max(Math.min(wanted, view.selectedAt), view.selectedAt - height + 1);
  const top = Math.max(0, Math.min(inSight, rows.length - height));
  const { topKey: _old, ...rest } = view;
  const first = rows[top];
  return first ? { ...rest, top, topKey: first.key } : { ...rest, top: 0 };
}
