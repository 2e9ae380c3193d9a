import { batch, computed, signal } from '@preact/signals';
import { clearFilter, goTo, replay, select, selectSession, show } from '../actions.ts';
import { openAttach } from '../attach/attach-button.tsx';
import { openExport } from '../export/export-button.tsx';
import { isFiltering } from '../filter.ts';
import { goTo as replayFrom, togglePlay } from '../replay/replay-state.ts';
import { listedSessions } from '../sessions/order.ts';
import { currentSession, filter, pane, replayAt, selected, sessions } from '../store.ts';
import { type CountName, nextOf } from './counts.ts';
import type { Command } from './keys.ts';
import { nextTheme } from './theme.ts';
import { width } from './width.ts';

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

function stepSession(step: 1 | -1): void {
  const listed = listedSessions.value;
  const current = selected.value?.session ?? currentSession.value?.id;
  const at = listed.findIndex(({ id }) => id === current);
  const next = listed[at === -1 ? 0 : Math.min(listed.length - 1, Math.max(0, at + step))];
  if (next) selectSession(next.id);
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
