import type { ComponentType } from 'preact';
import { goTo, show } from '../actions.ts';
import { type Pane, pane, type ViewName, view } from '../store.ts';
import { RaceView } from '../views/race/race-view.tsx';
import { counts } from './counts.ts';

const VIEW_NAMES: readonly { readonly name: ViewName; readonly title: string }[] = [
  { name: 'race', title: 'Race' },
  { name: 'graph', title: 'Graph' },
  { name: 'timeline', title: 'Timeline' },
  { name: 'read', title: 'Read' },
  { name: 'guard', title: 'Guard' },
];

export const PANEL_ID = 'view';

export function tabId(name: ViewName): string {
  return `tab-${name}`;
}

/** One stop for the tab key; arrows go from tab to tab, as everywhere. */
export function ViewTabs() {
  const current = view.value;
  const onKey = (event: KeyboardEvent): void => {
    const next = neighbour(current, event.key);
    if (!next) return;
    event.preventDefault();
    show(next);
    document.getElementById(tabId(next))?.focus();
  };
  return (
    <div class="top-tabs" role="tablist" aria-label="Views" onKeyDown={onKey}>
      {VIEW_NAMES.map(({ name, title }, index) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={tabId(name)}
          aria-selected={name === current}
          aria-controls={PANEL_ID}
          tabIndex={name === current ? 0 : -1}
          title={`${title} (${index + 1})`}
          onClick={() => show(name)}
          onPointerEnter={() => preload(name)}
          onFocus={() => preload(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function neighbour(current: ViewName, key: string): ViewName | undefined {
  const at = VIEW_NAMES.findIndex(({ name }) => name === current);
  const count = VIEW_NAMES.length;
  const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : VIEW_NAMES[to]?.name;
}

// The race is there at once; the other views are fetched when somebody goes there, each on its own.

const LOADERS: Readonly<Record<Exclude<ViewName, 'race'>, () => Promise<ComponentType>>> = {
  graph: async () => (await import('../views/graph/graph-view.tsx')).GraphView,
  timeline: async () => (await import('../views/timeline/timeline-view.tsx')).TimelineView,
  read: async () => (await import('../views/read/reader.tsx')).ReadView,
  guard: async () => (await import('../views/guard/guard-view.tsx')).GuardView,
};

const loaded = new Map<ViewName, ComponentType>([['race', RaceView]]);

export function loadedView(name: ViewName): ComponentType | undefined {
  return loaded.get(name);
}

export async function loadView(name: ViewName): Promise<void> {
  if (name === 'race' || loaded.has(name)) return;
  loaded.set(name, await LOADERS[name]());
}

/** Somebody is about to go there. If it fails, it is tried again when they do. */
function preload(name: ViewName): void {
  loadView(name).catch(() => undefined);
}

const PANES: readonly { readonly name: Pane; readonly title: string }[] = [
  { name: 'sessions', title: 'Sessions' },
  { name: 'view', title: 'View' },
  { name: 'detail', title: 'Detail' },
];

/** On a phone: one part of the page at a time. */
export function PaneTabs() {
  const urgent = counts.value.find(({ name }) => name === 'needs-you');
  return (
    <nav class="pane-tabs" aria-label="Parts of the page">
      {PANES.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={pane.value === name ? 'page' : undefined}
          onClick={() => goTo(name)}
        >
          {title}
          {name === 'sessions' && urgent && (
            <span class="pane-badge">
              {' '}
              {urgent.mark} {urgent.count}
              <span class="visually-hidden"> {urgent.word}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
