import type { SessionDetail } from '../../../../../src/reports/live-shapes.ts';
import type { TimelineReport } from '../../../../../src/reports/timeline-shapes.ts';

export function openRecording(
  name: string,
): Promise<{ readonly detail: SessionDetail; readonly timeline: TimelineReport }>;
