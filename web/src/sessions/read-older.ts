import { effect, signal, untracked } from '@preact/signals';
import { selectSession } from '../actions.ts';
import type { Backend } from '../backend.ts';
import { picture, selected } from '../store.ts';

/** Ids that an address named and nobody knows. */
export const unknownSessions = signal<ReadonlySet<string>>(new Set());

/** Has a session read that was only listed. From then on the feed tells of it; here it is only looked at. */
export async function readOlder(backend: Backend, id: string): Promise<boolean> {
  const session = await backend.session(id);
  if (session) selectSession(id);
  return session !== undefined;
}

/** An address may name a session from long ago: it is read, and appears when the feed tells of it. */
export function startReadingSelected(backend: Backend): () => void {
  const asked = new Set<string>();
  return effect(() => {
    const id = selected.value?.session;
    const now = picture.value;
    if (id === undefined || !now?.isComplete || asked.has(id)) return;
    if (now.sessions.some((session) => session.id === id)) return;
    asked.add(id);
    const forget = (): void => {
      unknownSessions.value = new Set([...untracked(() => unknownSessions.value), id]);
    };
    backend.session(id).then((session) => session ?? forget(), forget);
  });
}
