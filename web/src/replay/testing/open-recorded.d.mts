import type { SessionDetail, TimelineReport } from '../../../../src/core/index.ts';

export interface Recorded {
  readonly detail: SessionDetail;
  readonly timeline: TimelineReport;
  /** Without what was over before. */
  readonly timelineSince: (since: string) => TimelineReport;
}

export function openRecorded(name: string): Promise<Recorded>;
