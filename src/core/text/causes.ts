import type { ChangeReport } from '../reports/shapes.ts';
import type { AgentStatus, StatusSignal } from '../tree.ts';
import { cleanLine } from './clean-text.ts';

/** What became of it, how that is known, and why, in the words of a person. */
export interface Cause {
  readonly what: string;
  readonly how: string;
  readonly why: string | undefined;
}

export function explainChange({ status, signal, reason }: Pick<ChangeReport, 'status' | 'signal' | 'reason'>): Cause {
  return {
    what: STATUS_WORDS[status],
    how: howKnown(status, signal),
    why: reason === null ? undefined : cleanLine(reason),
  };
}

const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  spawning: 'asked for',
  running: 'at work',
  waiting: 'waits',
  completed: 'done',
  failed: 'failed',
  stopped: 'stopped',
  unknown: 'end not known',
};

function howKnown(status: AgentStatus, signal: StatusSignal): string {
  if (signal === 'call') return status === 'spawning' ? 'the call that made it' : 'a later call woke it';
  if (signal === 'transcript' && status === 'running') return 'its first line';
  if (signal === 'process') return PROCESS_WORDS[status] ?? 'its process ended';
  return SIGNAL_WORDS[signal];
}

const PROCESS_WORDS: Partial<Readonly<Record<AgentStatus, string>>> = {
  running: 'its process is alive',
  waiting: 'its process says so',
  unknown: 'nothing says how it ended',
};

const SIGNAL_WORDS: Readonly<Record<Exclude<StatusSignal, 'call' | 'process'>, string>> = {
  result: 'the result of its call came back',
  notification: 'a notice told its caller',
  'stop-call': 'a call stopped it',
  transcript: 'its own transcript says so',
  sidecar: 'the record beside its transcript says so',
  journal: 'the journal of its workflow says so',
  inbox: 'a message to its team says so',
  hook: 'its program told it at once',
};
