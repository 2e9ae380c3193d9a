import type { Clock } from '../base/clock.ts';
import type { Identifier, MessageRange, Sessions, Transcripts } from '../model/ports.ts';
import type { Transcript } from '../model/transcript.ts';
import type { LiveEvent, LiveSnapshot, SessionDetail } from '../reports/live-shapes.ts';
import type { AgentReport } from '../reports/shapes.ts';

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

/** Everything that is followed, as it changes. */
export interface LiveFeed {
  /** First a snapshot, at once or as soon as there is one; then every change in order. */
  subscribe(listener: (event: LiveEvent) => void): Subscription;
}

export interface Subscription {
  close(): void;
}

/** What is followed on this machine, for a face that answers questions about it. */
export interface Live extends LiveFeed {
  /** As it stands. */
  snapshot(): LiveSnapshot;
  /** By its whole id. One of the older ones is read now, and followed from now on. */
  session(id: string, options: { readonly internal: boolean }): Promise<SessionDetail | undefined>;
  /** By its whole id, in the session that is named or in any that is followed, the newest first. */
  agent(id: string, session?: string): Promise<AgentReport | undefined>;
  /** Messages `from` on, at most `limit` of them: only their bytes are read. */
  transcript(agent: string, range: MessageRange, session?: string): Promise<TranscriptPage | undefined>;
  close(): void;
}

/** A part of a transcript. */
export interface TranscriptPage extends Transcript {
  readonly from: number;
  /** How many messages there are in all. */
  readonly total: number;
}
