import type { SessionDetail } from '../../../../src/core/reports/live-shapes.ts';
import type { TimelineReport } from '../../../../src/core/reports/timeline-shapes.ts';

export interface Recorded {
  readonly detail: SessionDetail;
  readonly timeline: TimelineReport;
  /** Without what was over before. */
  readonly timelineSince: (since: string) => TimelineReport;
}

export function openRecorded(name: string): Promise<Recorded>;
