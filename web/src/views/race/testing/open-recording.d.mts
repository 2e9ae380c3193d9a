import type { SessionDetail, TimelineReport } from '../../../../../src/core/index.ts';

export function openRecording(
  name: string,
): Promise<{ readonly detail: SessionDetail; readonly timeline: TimelineReport }>;
