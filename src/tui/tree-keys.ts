import { type SessionDetail, SORTS, type Sort, type WatchView } from '../core/index.ts';
import type { Key, KeyName } from './keys.ts';
import type { WatchRow } from './rows.ts';
import { at } from './settle-view.ts';
import { rankAgents, sortSessions } from './sort.ts';
import { editText } from './typed-text.ts';

export interface TreeScene {
  readonly sessions: readonly SessionDetail[];
  readonly rows: readonly WatchRow[];
  /** Rows in sight. */
  readonly height: number;
  readonly now: number;
}

export interface Pressed {
  readonly view: WatchView;
  readonly wish?: 'quit' | 'read';
}

/** What a key does in the tree. */
export function pressInTree(view: WatchView, key: Key, scene: TreeScene): Pressed {
  const { message: _said, ...quiet } = view;
  const touched: WatchView = { ...quiet, touchedAt: scene.now };
  const pressed = pressQuietly(touched, key, scene);
  return isRearranged(touched, pressed.view) ? { ...pressed, view: { ...pressed.view, isRearranged: true } } : pressed;
}

function isRearranged(before: WatchView, after: WatchView): boolean {
  return (['sessions', 'folded', 'filter', 'hidesFinished'] as const).some((part) => before[part] !== after[part]);
}

function pressQuietly(touched: WatchView, key: Key, scene: TreeScene): Pressed {
  if (touched.showsHelp) return { view: { ...touched, showsHelp: false } };
  if (touched.isTyping) return { view: typeFilter(touched, key, scene) };
  if (key.kind === 'pasted') return { view: touched };
  if (key.kind === 'named') return pressNamed(touched, key.name, scene);
  return pressLetter(touched, key.text, scene);
}

function pressNamed(view: WatchView, name: KeyName, scene: TreeScene): Pressed {
  switch (name) {
    case 'enter':
      return { view, wish: 'read' };
    case 'escape':
      return { view: { ...view, filter: '' } };
    case 'left':
      return { view: foldOrLeave(view, scene) };
    case 'right':
      return { view: unfoldOrEnter(view, scene) };
    default:
      return { view: move(view, name, scene) };
  }
}

function pressLetter(view: WatchView, letter: string, scene: TreeScene): Pressed {
  const alias = LIKE[letter];
  if (alias) return pressNamed(view, alias, scene);
  switch (letter) {
    case 'q':
      return { view, wish: 'quit' };
    case '?':
      return { view: { ...view, showsHelp: true } };
    case '/':
      return { view: { ...view, isTyping: true } };
    case 's':
      return { view: sortBy(view, SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] ?? 'tree', scene) };
    case 'S':
      return { view: sortBy(view, view.sort, scene) };
    case 'a':
      return { view: { ...view, hidesFinished: !view.hidesFinished } };
    case ' ':
      return { view: toggle(view, scene) };
    case 'z':
      return { view: toggleAll(view, scene) };
    default:
      return { view };
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

function rowAt(view: WatchView, { rows }: TreeScene): WatchRow | undefined {
  return rows[view.selectedAt];
}

function fold(view: WatchView, key: string, isFolded: boolean): WatchView {
  return { ...view, folded: new Map(view.folded).set(key, isFolded) };
}

function foldOrLeave(view: WatchView, scene: TreeScene): WatchView {
  const row = rowAt(view, scene);
  if (!row) return view;
  if (row.fold === 'open' && view.filter === '') return fold(view, row.key, true);
  const parent = row.kind === 'agent' ? scene.rows.findIndex(({ key }) => key === row.parent) : -1;
  return parent === -1 ? view : at(view, scene.rows, parent);
}

function unfoldOrEnter(view: WatchView, scene: TreeScene): WatchView {
  const row = rowAt(view, scene);
  if (row?.fold === 'folded') return fold(view, row.key, false);
  return row?.fold === 'open' ? at(view, scene.rows, view.selectedAt + 1) : view;
}

function toggle(view: WatchView, scene: TreeScene): WatchView {
  const row = rowAt(view, scene);
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
