import {
  agentsOf,
  applyEvent,
  FIRST_VIEW,
  isSessionBusy,
  type LiveEvent,
  type LiveSnapshot,
  markPendingApprovals,
  type SessionDetail,
  SORTS,
  type Sort,
  sessionKey,
  type WatchView,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { formatFrame, planOf } from './frame.ts';
import type { FrameOptions } from './help.ts';
import { editText, type Key, type KeyName } from './keys.ts';
import { rankAgents, rowsOf, sortSessions, type WatchRow } from './rows.ts';

export type Tree = ReturnType<typeof createTree>;

interface TreeSetup extends Omit<FrameOptions, 'size' | 'now' | 'source'> {
  /** As it is now. */
  readonly source: () => FrameOptions['source'];
}

/** The tree of everything that is followed: the picture, and how the person looks at it. */
export function createTree(setup: TreeSetup) {
  const { session } = setup;
  /** As it was told, and as it is shown. */
  let raw: LiveSnapshot | undefined;
  let picture: LiveSnapshot | undefined;
  let view: WatchView = FIRST_VIEW;
  let rows: readonly WatchRow[] = [];

  const settle = (size: Size, now: number): void => {
    if (picture) ({ view, rows } = settleView(picture, view, { size, now, keepsOpen: session !== undefined }));
  };
  return {
    handleEvent(event: LiveEvent): void {
      raw = applyEvent(raw, event);
      picture = only(markPendingApprovals(raw), session);
    },
    press(key: Key, size: Size, now: number): 'quit' | 'read' | undefined {
      // Keys may come faster than frames: each must find the rows as the one before it left them.
      settle(size, now);
      const action = view.showsHelp || view.isTyping ? undefined : actionOf(key);
      view = pressInTree(view, key, { sessions: picture?.sessions ?? [], rows, height: planOf(size).body, now });
      settle(size, now);
      return action;
    },
    frame(size: Size, now: number): readonly string[] {
      settle(size, now);
      return formatFrame(picture, rows, view, { ...setup, size, now, source: setup.source() });
    },
    selected: (): WatchRow | undefined => rows.find(({ key }) => key === view.selected),
    /** Keys are text, or end the help. */
    takesKeys: (): boolean => view.isTyping || view.showsHelp,
    /** As it stands now. */
    session: (key: string): SessionDetail | undefined => picture?.sessions.find((one) => sessionKey(one) === key),
    /** An agent by its whole id, in the newest session that has it. */
    find(id: string) {
      for (const one of picture?.sessions ?? []) {
        const agent = agentsOf(one).find((each) => each.id === id);
        if (agent) return { agent, session: one };
      }
      return undefined;
    },
    /** In the last line, until the next key. */
    say(message: string): void {
      view = { ...view, message };
    },
  };
}

function only(picture: LiveSnapshot, session: string | undefined): LiveSnapshot {
  if (session === undefined) return picture;
  return { ...picture, sessions: picture.sessions.filter(({ id }) => id.startsWith(session)) };
}

interface Moment {
  readonly size: Size;
  readonly now: number;
  /** One session was asked for: it is never folded by itself. */
  readonly keepsOpen: boolean;
}

/** The view for a new picture: who came, who went, what is folded, and the selected row in sight. */
export function settleView(picture: LiveSnapshot, view: WatchView, moment: Moment) {
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
function at(view: WatchView, rows: readonly WatchRow[], index: number): WatchView {
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

interface TreeScene {
  readonly sessions: readonly SessionDetail[];
  readonly rows: readonly WatchRow[];
  /** Rows in sight. */
  readonly height: number;
  readonly now: number;
}

/** What a key asks for beyond the tree itself. */
function actionOf(key: Key): 'quit' | 'read' | undefined {
  if (key.kind === 'named') return key.name === 'enter' ? 'read' : undefined;
  return key.kind === 'typed' && key.text === 'q' ? 'quit' : undefined;
}

/** What a key does in the tree. */
function pressInTree(view: WatchView, key: Key, scene: TreeScene): WatchView {
  const { message: _said, ...quiet } = view;
  const touched: WatchView = { ...quiet, touchedAt: scene.now };
  const pressed = pressQuietly(touched, key, scene);
  return isRearranged(touched, pressed) ? { ...pressed, isRearranged: true } : pressed;
}

function isRearranged(before: WatchView, after: WatchView): boolean {
  return (['sessions', 'folded', 'filter', 'hidesFinished'] as const).some((part) => before[part] !== after[part]);
}

function pressQuietly(touched: WatchView, key: Key, scene: TreeScene): WatchView {
  if (touched.showsHelp) return { ...touched, showsHelp: false };
  if (touched.isTyping) return typeFilter(touched, key, scene);
  if (key.kind === 'pasted') return touched;
  if (key.kind === 'named') return pressNamed(touched, key.name, scene);
  return pressLetter(touched, key.text, scene);
}

function pressNamed(view: WatchView, name: KeyName, scene: TreeScene): WatchView {
  if (name === 'escape') return { ...view, filter: '' };
  if (name === 'left') return foldOrLeave(view, scene);
  return name === 'right' ? unfoldOrEnter(view, scene) : move(view, name, scene);
}

function pressLetter(view: WatchView, letter: string, scene: TreeScene): WatchView {
  const alias = LIKE[letter];
  if (alias) return pressNamed(view, alias, scene);
  switch (letter) {
    case '?':
      return { ...view, showsHelp: true };
    case '/':
      return { ...view, isTyping: true };
    case 's':
      return sortBy(view, SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] ?? 'tree', scene);
    case 'S':
      return sortBy(view, view.sort, scene);
    case 'a':
      return { ...view, hidesFinished: !view.hidesFinished };
    case ' ':
      return toggle(view, scene);
    case 'z':
      return toggleAll(view, scene);
    default:
      return view;
  }
}

/** Keys of those who never leave the home row. */
const LIKE: Readonly<Record<string, KeyName>> = { j: 'down', k: 'up', h: 'left', l: 'right', g: 'home', G: 'end' };

function move(view: WatchView, name: KeyName, { rows, height }: TreeScene): WatchView {
  const last = rows.length - 1;
  const page = Math.max(1, height - 1);
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -rows.length,
    end: rows.length,
  };
  const step = steps[name];
  return step === undefined ? view : at(view, rows, Math.max(0, Math.min(last, view.selectedAt + step)));
}

function typeFilter(view: WatchView, key: Key, scene: TreeScene): WatchView {
  if (key.kind === 'named' && key.name === 'enter') return { ...view, isTyping: false };
  if (key.kind === 'named' && key.name === 'escape') return { ...view, isTyping: false, filter: '' };
  const filter = editText(view.filter, key);
  return filter === undefined && key.kind === 'named' ? move(view, key.name, scene) : { ...view, filter: filter ?? '' };
}

function fold(view: WatchView, key: string, isFolded: boolean): WatchView {
  return { ...view, folded: new Map(view.folded).set(key, isFolded) };
}

function foldOrLeave(view: WatchView, scene: TreeScene): WatchView {
  const row = scene.rows[view.selectedAt];
  if (!row) return view;
  if (row.fold === 'open' && view.filter === '') return fold(view, row.key, true);
  const parent = row.kind === 'agent' ? scene.rows.findIndex(({ key }) => key === row.parent) : -1;
  return parent === -1 ? view : at(view, scene.rows, parent);
}

function unfoldOrEnter(view: WatchView, scene: TreeScene): WatchView {
  const row = scene.rows[view.selectedAt];
  if (row?.fold === 'folded') return fold(view, row.key, false);
  return row?.fold === 'open' ? at(view, scene.rows, view.selectedAt + 1) : view;
}

function toggle(view: WatchView, scene: TreeScene): WatchView {
  const row = scene.rows[view.selectedAt];
  return row && row.fold !== 'leaf' && view.filter === '' ? fold(view, row.key, row.fold === 'open') : view;
}

/** Down to the sessions where one is open; else everything open. */
function toggleAll(view: WatchView, { rows }: TreeScene): WatchView {
  const isAnyOpen = rows.some((row) => row.kind === 'session' && row.fold === 'open');
  return { ...view, folded: new Map(view.sessions.map((key) => [key, isAnyOpen])) };
}

function sortBy(view: WatchView, sort: Sort, { sessions }: TreeScene): WatchView {
  return { ...view, sort, sessions: sortSessions(sessions, sort), ranks: rankAgents(sessions, sort), isOrdered: true };
}
