import type { ComponentType } from 'preact';
import type { ViewName } from '../store.ts';
import { RaceView } from '../views/race/race-view.tsx';

// The race is there at once; the other views are fetched when somebody goes there, each on its own.

const LOADERS: Readonly<Record<Exclude<ViewName, 'race'>, () => Promise<ComponentType>>> = {
  graph: async () => (await import('../views/graph/graph-view.tsx')).GraphView,
  timeline: async () => (await import('../views/timeline/timeline-view.tsx')).TimelineView,
  read: async () => (await import('../views/read/read-view.tsx')).ReadView,
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
