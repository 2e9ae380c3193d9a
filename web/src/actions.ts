import { batch } from '@preact/signals';
import type { SessionGrouping, SessionSort } from '../../src/core/index.ts';
import type { Backend } from './backend.ts';
import { type Filter, NO_FILTER } from './filter.ts';
import {
  type AgentRef,
  filter,
  grouping,
  message,
  type Pane,
  pane,
  replayAt,
  type SearchIn,
  searchIn,
  selected,
  sort,
  timelines,
  type ViewName,
  view,
} from './store.ts';

// What a person can do, by mouse, key or address. All of it ends up in the store; `route.ts` keeps the address in step.

export function show(name: ViewName): void {
  batch(() => {
    view.value = name;
    pane.value = 'view';
  });
}

/** Who is selected is shown in the detail. Over a transcript it is not opened by itself: it would cover the text. */
export function select(ref: AgentRef | undefined): void {
  batch(() => {
    if (ref?.session !== selected.value?.session) replayAt.value = undefined;
    if (ref?.agent !== selected.value?.agent) message.value = undefined;
    selected.value = ref;
    if (!ref) pane.value = 'view';
    else if (view.value !== 'read') pane.value = 'detail';
  });
}

/** Looks at a session in the view that is open. */
export function selectSession(session: string): void {
  batch(() => {
    select({ session, agent: session });
    pane.value = 'view';
  });
}

/** Looks at an agent in one of the views. */
export function showIn(name: ViewName, ref: AgentRef): void {
  batch(() => {
    select(ref);
    show(name);
  });
}

/** Opens the transcript of an agent, at a message if one is named. */
export function read(ref: AgentRef, at?: number): void {
  batch(() => {
    showIn('read', ref);
    message.value = at;
  });
}

export function narrow(wish: Partial<Filter>): void {
  filter.value = { ...filter.value, ...wish };
}

export function clearFilter(): void {
  filter.value = NO_FILTER;
}

export function arrangeBy(by: { readonly sort?: SessionSort; readonly group?: SessionGrouping }): void {
  if (by.sort) sort.value = by.sort;
  if (by.group) grouping.value = by.group;
}

export function findIn(what: SearchIn): void {
  searchIn.value = what;
}

export function goTo(name: Pane): void {
  pane.value = name;
}

export function replay(at: number | undefined): void {
  replayAt.value = at;
}

const loading = new Map<string, Promise<void>>();

/** Fetches what happened when in a session; again and again while somebody looks at it. Who asks meanwhile waits along. */
export function loadTimeline(backend: Backend, session: string): Promise<void> {
  const known = loading.get(session);
  if (known) return known;
  const load = backend
    .timeline(session)
    .then((timeline) => {
      if (timeline) timelines.value = new Map(timelines.value).set(session, timeline);
    })
    .finally(() => loading.delete(session));
  loading.set(session, load);
  return load;
}
