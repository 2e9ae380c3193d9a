import type { Clock } from '../base/clock.ts';
import type { Identifier, Sessions, Transcripts } from '../model/ports.ts';

/** What the person asked to look at, before anything is opened. */
export interface Where {
  /** In place of the hosts' own data folders. */
  readonly roots: readonly string[];
  readonly host?: string;
}

/** All a face gets. It reads; it changes nothing, and it cannot reach another face. */
export interface FaceContext {
  sessions(where: Where): Sessions;
  transcripts(where: Where): Transcripts;
  identifier(): Identifier;
  /** Sessions that ship with troupe, for people who have none yet. */
  demo(): Sessions;
  readonly version: string;
  readonly clock: Clock;
  readonly terminal: Terminal;
}

export interface Terminal {
  write(text: string): void;
  /** For long answers: through a pager where a person is watching. */
  page(text: string): Promise<void>;
  /** For words that are not the answer: progress, hints. */
  note(text: string): void;
  /** Columns, where a person is watching. */
  readonly width?: number;
  readonly colours: 'none' | '16' | '24bit';
}
