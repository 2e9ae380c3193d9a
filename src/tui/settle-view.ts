import { isSessionBusy, type LiveSnapshot, sessionKey, type WatchView } from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { planOf } from './frame.ts';
import { rowsOf, type WatchRow } from './rows.ts';
import { sortSessions } from './sort.ts';

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
  return { rows, view: scroll(select(next, rows), rows, planOf(moment.size).body, isLeftAlone(view, moment.now)) };
}

/** New ones enter at the top; nobody else moves. */
function keepOrder(picture: LiveSnapshot, { sessions, sort }: WatchView): readonly string[] {
  const there = sortSessions(picture.sessions, sort);
  const known = new Set(sessions);
  const still = new Set(there);
  return [...there.filter((key) => !known.has(key)), ...sessions.filter((key) => still.has(key))];
}

const RESTS_AFTER_MS = 15 * 60_000;
const LEFT_ALONE_MS = 60_000;

/** Nobody's eyes are on a screen whose keys nobody touches. */
function isLeftAlone({ touchedAt }: WatchView, now: number): boolean {
  return touchedAt === undefined || now - touchedAt > LEFT_ALONE_MS;
}

function restingSessions({ sessions }: LiveSnapshot, view: WatchView, now: number): ReadonlySet<string> {
  const known = new Set(view.sessions);
  const isAlone = isLeftAlone(view, now);
  const resting = new Set(view.resting);
  for (const session of sessions) {
    const key = sessionKey(session);
    const isOld = now - Date.parse(session.lastActivityAt ?? '1970-01-01T00:00:00Z') > RESTS_AFTER_MS;
    if (isSessionBusy(session)) resting.delete(key);
    else if (isOld && (isAlone || !known.has(key))) resting.add(key);
  }
  return resting;
}

/**
 * The row that was selected, on the line of the screen where it stood, whatever came and went above it; where it is gone,
 * the session it was in, else whoever stands in its place.
 */
function select(view: WatchView, rows: readonly WatchRow[]): WatchView {
  const { selected = '', selectedAt, top, touchedAt, isRearranged } = view;
  if (touchedAt === undefined) return at(view, rows, 0);
  const found = rows.findIndex(({ key }) => key === selected);
  if (found !== -1) return at(isRearranged ? view : { ...view, top: top + found - selectedAt }, rows, found);
  const around = rows.findIndex(({ key }) => selected.startsWith(`${key}/`));
  return at(view, rows, around === -1 ? Math.min(selectedAt, rows.length - 1) : around);
}

/** With a row selected; as it was where there is no row at all: a filter may come and go. */
export function at(view: WatchView, rows: readonly WatchRow[], index: number): WatchView {
  const row = rows[index];
  return row ? { ...view, selected: row.key, selectedAt: index } : view;
}

/** The selected row in sight. To the first rows by itself only where they were in sight before, and nobody reads. */
function scroll(view: WatchView, rows: readonly WatchRow[], height: number, isAlone: boolean): WatchView {
  const { selectedAt } = view;
  const wantsNews = view.wantsNews && !view.isRearranged;
  const wanted = wantsNews && isAlone ? 0 : view.top;
  const inSight = Math.max(Math.min(wanted, selectedAt), selectedAt - height + 1);
  // Below the last row nothing is left empty, unless to hold still what is read.
  const top = Math.max(0, wantsNews ? inSight : Math.min(inSight, rows.length - height));
  return { ...view, top, wantsNews: top === 0 || (wantsNews && top === wanted), isRearranged: false };
}
