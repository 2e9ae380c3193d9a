/** `note`: worth knowing. `warning`: something is missing that you may want. `problem`: something does not work. */
export type FindingLevel = 'good' | 'note' | 'warning' | 'problem';

export type FindingArea = 'hosts' | 'folders' | 'hooks' | 'server' | 'state' | 'audit' | 'telegram';

/** One thing that `troupe doctor` looked at. */
export interface Finding {
  readonly area: FindingArea;
  /** Stable, for scripts. */
  readonly code: string;
  readonly level: FindingLevel;
  /** One sentence. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

export interface DoctorReport {
  readonly version: string;
  readonly problems: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}
