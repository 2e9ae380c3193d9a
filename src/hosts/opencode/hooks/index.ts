import type { HooksCapability } from '../../index.ts';
import { opencodeGuard } from '../guard.ts';
import { toGuarded } from './guarded-tools.ts';
import { sampleCall } from './sample.ts';
import { condense, createHookReader } from './told.ts';

export const hooks: HooksCapability = {
  ...opencodeGuard,
  // Which servers there were when it was made, nobody knows any more.
  toCall: (tool, input) => toGuarded(tool, input, []),
  condense,
  sampleCall,
  // There are no transcripts to name: who calls stands in the call itself.
  sampleTranscript: () => '',
  namesCallers: () => true,
  createHookReader,
};
