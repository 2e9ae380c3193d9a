import type { SkippedAgent, Transcript } from '../transcript.ts';
import type { TreeReport } from './shapes.ts';

/** An exported session: the main agent's transcript with all others in it, as the tree is. `schemas/transcript.schema.json`. */
export interface TranscriptDocument extends Transcript {
  readonly format: 'troupe-transcript';
  readonly version: 1;
  /** As `troupe tree --json` gives it: status, evidence and cost of every agent. */
  readonly session: TreeReport;
  readonly skipped: readonly SkippedAgent[];
}
