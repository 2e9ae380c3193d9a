import type { AgentReport, SessionReport, SkippedAgent, TimelineCall } from '../../core/index.ts';

/** A session that is handed on, as far as it is known without its transcripts. */
export interface SharedSession {
  readonly session: SessionReport;
  /** In the order of the tree, main first. */
  readonly agents: readonly AgentReport[];
  readonly timeline: TimelineTicks | undefined;
  readonly skipped: readonly SkippedAgent[];
  readonly handling: Handling;
  /** The index over many sessions, from the folder of this one, without its ending; undefined where there is none. */
  readonly overview?: string | undefined;
}

/** When each agent called its tools; what a picture of it needs, and no words. */
export interface TimelineTicks {
  readonly agents: readonly { readonly id: string; readonly calls: readonly Tick[] }[];
}

export type Tick = Pick<TimelineCall, 'startedAt' | 'outcome'>;

/** What was done to the texts before they became pages. */
export interface Handling {
  /** By kind; undefined where nothing was looked for. */
  readonly redacted: readonly Counted[] | undefined;
  /** Shortened by rule; undefined where everything is whole. */
  readonly shortened: readonly Counted[] | undefined;
  /** Records that nobody knows, by type: not passed on. */
  readonly leftOut: readonly Counted[];
}

export interface Counted {
  readonly what: string;
  readonly count: number;
}
