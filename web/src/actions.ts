import type { Backend } from './backend.ts';
import type { Filter } from './filter.ts';
import { type AgentRef, filter, message, replayAt, selected, timelines, type ViewName, view } from './store.ts';

// What a person can do, by mouse, key or address. All of it ends up in the store; `route.ts` keeps the address in step.

export function show(name: ViewName): void {
  view.value = name;
}

export function select(ref: AgentRef | undefined): void {
  if (ref?.session !== selected.value?.session) replayAt.value = undefined;
  selected.value = ref;
}

/** Opens the transcript of an agent, at a message if one is named. */
export function read(ref: AgentRef, at?: number): void {
  select(ref);
  message.value = at;
  view.value = 'read';
}

export function narrow(wish: Partial<Filter>): void {
  filter.value = { ...filter.value, ...wish };
}

export function replay(at: number | undefined): void {
  replayAt.value = at;
}

/** Fetches what happened when in a session; again and again while somebody looks at it. */
export async function loadTimeline(backend: Backend, session: string): Promise<void> {
  const timeline = await backend.timeline(session);
  if (timeline) timelines.value = new Map(timelines.value).set(session, timeline);
}
