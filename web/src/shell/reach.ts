import { signal } from '@preact/signals';
import type { Backend } from '../backend.ts';

/** The server is there, but does not know us: the page was opened without its token, or it is another server by now. */
export const isTokenMissing = signal(false);

/** A lost stream of events does not say why: so the server is asked. */
export async function askWhyLost(backend: Backend): Promise<void> {
  if (backend.kind !== 'live') return;
  try {
    const { status } = await fetch('api/status');
    isTokenMissing.value = status === 401;
  } catch {
    // Nobody answers at all: that is what the banner says.
    isTokenMissing.value = false;
  }
}
