import type { SessionDetail } from '../../../../../src/core/reports/live-shapes.ts';
import type { TimelineReport } from '../../../../../src/core/reports/timeline-shapes.ts';

export function openRecording(
  name: string,
): Promise<{ readonly detail: SessionDetail; readonly timeline: TimelineReport }>;
