import { type LiveSessionReport, type LiveSnapshot, type OlderSession, sessionOnly } from '../../core/index.ts';

/** `/api/sessions`: docs/API.md. */
export interface SessionList {
  /** Last active first. */
  readonly sessions: readonly LiveSessionReport[];
  /** Newest first; the first few hundred. */
  readonly older: readonly OlderSession[];
  /** How many there are, followed or older, listed or not. */
  readonly total: number;
  readonly ignoredFiles: number;
  readonly isComplete: boolean;
}

export function sessionList({ sessions, older, olderTotal, ignoredFiles, isComplete }: LiveSnapshot): SessionList {
  return {
    sessions: sessions.map(sessionOnly),
    older,
    total: sessions.length + olderTotal,
    ignoredFiles,
    isComplete,
  };
}
