import type { Backend } from './backend.ts';

let provided: Backend | undefined;

/** Once, before anything is drawn. */
export function provideBackend(backend: Backend): void {
  provided = backend;
}

/** Whoever reads a page that was handed on did not ask for anything. */
export function askerName(): string {
  return useBackend().kind === 'live' ? 'you' : 'the person';
}

export function useBackend(): Backend {
  if (!provided) throw new Error('troupe: the page was drawn before it had data');
  return provided;
}
