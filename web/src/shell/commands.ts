import { batch, computed, effect, signal } from '@preact/signals';
import { clearFilter, goTo, replay, select, show } from '../actions.ts';
import { openAttach } from '../attach/attach-sheet.tsx';
import { openExport } from '../export/export-sheet.tsx';
import { isFiltering } from '../filter.ts';
import { goTo as replayFrom, togglePlay } from '../replay/replay-state.ts';
import { stepSession } from '../sessions/list-state.ts';
import { listedSessions } from '../sessions/order.ts';
import { currentSession, filter, pane, replayAt, selected, sessions } from '../store.ts';
import { type CountName, nextOf } from './counts.ts';
import { type Command, commandOf } from './keys.ts';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'troupe-theme';

export const theme = signal<Theme>(remembered());
const isSystemDark = signal(false);

/** From the system's to the other one first: whoever presses wants to see something change. */
export function nextTheme(): void {
  const [own, other]: readonly Theme[] = isSystemDark.value ? ['dark', 'light'] : ['light', 'dark'];
  const turn: readonly (Theme | undefined)[] = ['system', other, own];
  theme.value = turn[(turn.indexOf(theme.value) + 1) % turn.length] ?? 'system';
  remember(theme.value);
}

/** Before anything is drawn; from then on the page follows the person and the system. */
export function startTheme(page: Document): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  isSystemDark.value = system.matches;
  system.addEventListener('change', ({ matches }) => {
    isSystemDark.value = matches;
  });
  effect(() => {
    const chosen = theme.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : theme.value;
    page.documentElement.dataset['theme'] = chosen;
  });
}

/** A browser may forbid to keep anything: then it is forgotten with the page. */
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((one) => one === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

function remember(chosen: Theme): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Nothing to do: the choice holds as long as the page is open.
  }
}

export const isHelpOpen = signal(false);
export const isProblemsOpen = signal(false);
/** On a desk the detail stands beside the view, unless the person wants the room. */
const isDetailAway = signal(false);
export const isDetailOpen = computed(() => (width.value === 'desk' ? !isDetailAway.value : pane.value === 'detail'));
export const SEARCH_ID = 'search';

/** What keys and buttons of the page do. */
export function run(command: Command): void {
  ACTS[command]();
}

const ACTS: Readonly<Record<Command, () => void>> = {
  race: () => show('race'),
  graph: () => show('graph'),
  timeline: () => show('timeline'),
  read: () => show('read'),
  guard: () => show('guard'),
  cost: () => show('cost'),
  search,
  'previous-session': () => stepSession(-1),
  'next-session': () => stepSession(1),
  'next-needs-you': () => goToNext('needs-you'),
  'next-silent': () => goToNext('silent'),
  asks: () => document.getElementById('asks-title')?.focus(),
  detail: toggleDetail,
  replay: toggleReplay,
  export: () => openExport(selected.value?.session ?? currentSession.value?.id),
  attach: () => openAttach(selected.value),
  theme: nextTheme,
  help: () => {
    isHelpOpen.value = !isHelpOpen.value;
  },
  close,
};

/** Nobody is hidden by a filter here: who needs the person is found whatever they look at. */
export function goToNext(name: CountName): void {
  const shown = listedSessions.value;
  const hidden = sessions.value.filter((session) => !shown.includes(session));
  const next = nextOf(name, [...shown, ...hidden], selected.value);
  if (!next) return;
  batch(() => {
    if (!shown.some(({ id }) => id === next.session)) clearFilter();
    replay(undefined);
    select(next);
  });
}

/** On a phone the field stands in another part of the page, which has to be there first. */
function search(): void {
  if (width.value === 'phone') goTo('sessions');
  requestAnimationFrame(() => document.getElementById(SEARCH_ID)?.focus());
}

function toggleDetail(): void {
  if (width.value === 'desk') isDetailAway.value = !isDetailAway.value;
  else goTo(pane.value === 'detail' ? 'view' : 'detail');
}

function toggleReplay(): void {
  if (replayAt.value === undefined) togglePlay();
  else replayFrom('present');
}

function close(): void {
  if (pane.value === 'detail' && width.value !== 'desk') goTo('view');
  else if (isFiltering(filter.value)) clearFilter();
  else if (replayAt.value !== undefined) replay(undefined);
  else if (selected.value) select(undefined);
}

// How many columns there is room for. The same numbers stand in app.css: media queries know no variables.

export const DESK = '(min-width: 1280px)';
export const PHONE = '(max-width: 759px)';

const isDesk = follow(DESK);
const isPhone = follow(PHONE);

export const width = computed<'desk' | 'laptop' | 'phone'>(() =>
  isDesk.value ? 'desk' : isPhone.value ? 'phone' : 'laptop',
);

function follow(query: string) {
  const list = matchMedia(query);
  const state = signal(list.matches);
  list.addEventListener('change', ({ matches }) => {
    state.value = matches;
  });
  return state;
}

/** Keys that work anywhere on the page, unless they are typed into a field or a view has used them. */
export function startKeyboard(target: Window): () => void {
  const onKey = (event: KeyboardEvent): void => {
    // What is in front of the page has the keys to itself; the browser closes it on escape.
    if (document.querySelector('dialog:modal') && !(isHelpOpen.value && event.key === '?')) return;
    const command = commandOf({
      key: event.key,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
      altKey: event.altKey,
      altGraph: event.getModifierState('AltGraph'),
      isTyping: event.isComposing || isField(event.target),
      isTaken: event.defaultPrevented,
    });
    if (!command) return;
    event.preventDefault();
    run(command);
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type);
}
