import type { AgentReport } from '../reports/shapes.ts';
import type { AgentStatus } from '../tree.ts';
import type { Paint } from './paint.ts';

/** Shape and word first, colour last. */
const MARKS: Readonly<Record<AgentStatus, string>> = {
  spawning: '○',
  running: '●',
  waiting: '◐',
  completed: '✓',
  failed: '✗',
  stopped: '■',
  unknown: '?',
};

export const WAITS = {
  permission: 'waits for your yes',
  input: 'waits for you',
  child: 'waits for a sub-agent',
  'rate-limit': 'rate limited',
};

export function formatMark(status: AgentStatus, stalled: boolean, paint: Paint): string {
  if (stalled) return paint.yellow('⚠');
  const mark = MARKS[status];
  switch (status) {
    case 'completed':
    case 'running':
      return paint.green(mark);
    case 'failed':
      return paint.red(mark);
    case 'waiting':
    case 'stopped':
    case 'unknown':
      return paint.yellow(mark);
    case 'spawning':
      return paint.dim(mark);
  }
}

export function formatStatus({
  status,
  waitingOn,
  stalled,
}: Pick<AgentReport, 'status' | 'waitingOn' | 'stalled'>): string {
  if (stalled) return 'silent';
  return status === 'waiting' && waitingOn ? WAITS[waitingOn] : status;
}
