import { effect } from '@preact/signals';
import { message, selected, type ViewName, view } from './store.ts';

// Deep links: `#/race`, `#/graph/<session>`, `#/read/<session>/<agent>`, `#/read/<session>/<agent>/<message>`.

const VIEWS: readonly ViewName[] = ['race', 'graph', 'timeline', 'read'];

/** The address and the store follow each other. */
export function startRouting(target: Window): void {
  const take = (): void => {
    const [name, session, agent, at] = target.location.hash.slice(2).split('/').map(decode);
    view.value = VIEWS.find((one) => one === name) ?? 'race';
    selected.value = session ? { session, agent: agent || session } : undefined;
    message.value = at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : undefined;
  };
  take();
  target.addEventListener('hashchange', take);
  let isFirst = true;
  effect(() => {
    const hash = hashOf();
    if (hash === target.location.hash) return;
    // The first one only puts the address in order; the others are steps that one can go back.
    if (isFirst) target.history.replaceState(undefined, '', hash);
    else target.history.pushState(undefined, '', hash);
    isFirst = false;
  });
}

function hashOf(): string {
  const ref = selected.value;
  const parts = ref ? [ref.session, ...(ref.agent === ref.session && message.value === undefined ? [] : [ref.agent])] : [];
  const at = view.value === 'read' && ref && message.value !== undefined ? [String(message.value)] : [];
  return `#/${[view.value, ...parts, ...at].map(encodeURIComponent).join('/')}`;
}

/** A hand-written address may hold anything. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
