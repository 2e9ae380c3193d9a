import type { HeardCall } from '../../../../src/core/index.ts';
import type { Backend } from '../../backend.ts';

export interface RecordedHeard {
  /** How many calls the hooks of the recording told of. */
  readonly total: number;
  readonly backend: Pick<Backend, 'heard'>;
  /** The next ones happen: they are in the audit, and given as the stream would tell of them. */
  happen(count: number): Promise<readonly HeardCall[]>;
  remove(): void;
}

export function recordedHeard(name: string): RecordedHeard;
