import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { cleanLine } from '../../../src/core/index.ts';
import { show } from '../actions.ts';
import { type ViewName, view } from '../store.ts';
import { RaceView } from '../views/race/race-view.tsx';

/** One view, fetched where it has to be. If it fails, everything around it goes on. */
export function ViewFrame({ name }: { readonly name: ViewName }) {
  const [failure, recover] = useErrorBoundary();
  const [refusal, setRefusal] = useState<unknown>(undefined);
  const [, setLoaded] = useState<ViewName | undefined>(undefined);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (loadedView(name)) return;
    let isWanted = true;
    loadView(name).then(
      () => isWanted && setLoaded(name),
      (error: unknown) => isWanted && setRefusal(error ?? new Error('It could not be fetched.')),
    );
    return () => {
      isWanted = false;
    };
  }, [name, tries]);
  const again = (): void => {
    setRefusal(undefined);
    recover();
    setTries(tries + 1);
  };
  const error: unknown = failure ?? refusal;
  if (error !== undefined && error !== null) return <Failure error={error} again={again} />;
  const View = loadedView(name);
  return View ? <View /> : <p class="empty-loading">Loading…</p>;
}

function Failure({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  return (
    <div class="empty" role="alert">
      <h2>This view failed.</h2>
      <p>The other views go on. What it said: {cleanLine(error instanceof Error ? error.message : String(error))}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

// The race is there at once; the other views are fetched when somebody goes there, each on its own.

const LOADERS: Readonly<Record<Exclude<ViewName, 'race'>, () => Promise<ComponentType>>> = {
  graph: async () => (await import('../views/graph/graph-view.tsx')).GraphView,
  timeline: async () => (await import('../views/timeline/timeline-view.tsx')).TimelineView,
  read: async () => (await import('../views/read/read-view.tsx')).ReadView,
  cost: async () => (await import('../views/cost/cost-view.tsx')).CostView,
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
export function preload(name: ViewName): void {
  loadView(name).catch(() => undefined);
}

export const VIEW_NAMES: readonly { readonly name: ViewName; readonly title: string }[] = [
  { name: 'race', title: 'Race' },
  { name: 'graph', title: 'Graph' },
  { name: 'timeline', title: 'Timeline' },
  { name: 'read', title: 'Read' },
  { name: 'guard', title: 'Guard' },
  { name: 'cost', title: 'Cost' },
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
