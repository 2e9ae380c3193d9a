import type { SessionListing } from '../model/ports.ts';
import { computeSession } from './compute-session.ts';

export type SessionsReport = ReturnType<typeof computeSessions>;

/** `troupe ls --json`. */
export function computeSessions({ trees, total, ignoredFiles }: SessionListing) {
  return { sessions: trees.map(computeSession), total, ignoredFiles };
}
