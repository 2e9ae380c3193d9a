import type {
  AgentReport,
  FeedSource,
  LiveEvent,
  LiveSnapshot,
  MessageRange,
  SessionDetail,
  TimelineReport,
  Transcript,
} from '../core/index.ts';

/** Everything that is followed, as it changes. */
export interface LiveFeed {
  /** First a snapshot, at once or as soon as there is one; then every change in order. */
  subscribe(listener: (event: LiveEvent) => void): Subscription;
}

export interface Subscription {
  close(): void;
}

/** A feed that may have to find another source on the way. */
export interface SourcedFeed extends LiveFeed {
  source(): FeedSource;
  /** One listener: told whenever it is another one. */
  onSource(listener: (source: FeedSource) => void): void;
}

/** What is followed on this machine, for a face that answers questions about it. */
export interface Live extends LiveFeed {
  /** As it stands. */
  snapshot(): LiveSnapshot;
  /** By its whole id. One of the older ones is read now, and followed from now on. */
  session(id: string, options: { readonly internal: boolean }): Promise<SessionDetail | undefined>;
  /** What happened in it when; with `since` (epoch milliseconds) only what was not over by then. */
  timeline(id: string, since?: number): Promise<TimelineReport | undefined>;
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
