import type { SessionListing } from '../ports.ts';
import { computeSession } from './compute-session.ts';
import type { SessionsReport } from './shapes.ts';

/** `troupe ls --json`. */
export function computeSessions({ trees, total, ignoredFiles }: SessionListing): SessionsReport {
  return { sessions: trees.map(computeSession), total, ignoredFiles };
}
