import { batch, effect } from '@preact/signals';
import { type AgentRef, message, pane, replayAt, selected, type ViewName, view } from './store.ts';

// Deep links: `#/race`, `#/graph/<session>`, `#/read/<session>/<agent>`, `#/read/<session>/<agent>/<message>`.

const VIEWS: readonly ViewName[] = ['race', 'graph', 'timeline', 'read', 'guard'];

export interface Place {
  readonly view: ViewName;
  readonly ref: AgentRef | undefined;
  /** Only in the reader. */
  readonly message: number | undefined;
}

/** The address and the store follow each other. */
export function startRouting(target: Window): void {
  const take = (): void => {
    const place = placeIn(target.location.hash);
    // In one go: half of a step must not become an address of its own.
    batch(() => {
      if (place.ref?.session !== selected.value?.session) replayAt.value = undefined;
      view.value = place.view;
      selected.value = place.ref;
      message.value = place.message;
      pane.value = place.ref && place.view !== 'read' ? pane.value : 'view';
    });
  };
  take();
  target.addEventListener('hashchange', take);
  let before: Place | undefined;
  effect(() => {
    const place = { view: view.value, ref: selected.value, message: message.value };
    const hash = hashOf(place);
    if (hash !== target.location.hash) {
      // The first one only puts the address in order, and moving on within a transcript is no step of its own.
      const isStep = before && hashOf({ ...place, message: undefined }) !== hashOf({ ...before, message: undefined });
      if (isStep) target.history.pushState(undefined, '', hash);
      else target.history.replaceState(undefined, '', hash);
    }
    before = place;
  });
}

export function hashOf({ view: name, ref, message: at }: Place): string {
  const isAt = name === 'read' && at !== undefined;
  const who = ref ? [ref.session, ...(ref.agent === ref.session && !isAt ? [] : [ref.agent])] : [];
  return `#/${[name, ...who, ...(ref && isAt ? [String(at)] : [])].map(encode).join('/')}`;
}

export function placeIn(hash: string): Place {
  const [name, session, agent, at] = hash.slice(2).split('/').map(decode);
  const known = VIEWS.find((one) => one === name) ?? 'race';
  return {
    view: known,
    ref: session ? { session, agent: agent || session } : undefined,
    message: known === 'read' && at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : undefined,
  };
}

/** Ids come from files, and may hold half a character. */
function encode(part: string): string {
  return encodeURIComponent(
    part.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
  );
}

/** A hand-written address may hold anything. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
