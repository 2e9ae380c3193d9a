import { asText, isObject } from '../../../lib/json.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type { HooksCapability } from '../../index.ts';
import { createToldReader, type Told } from '../../shared/index.ts';
import { codexGuard } from '../guard.ts';
import { threadInName } from '../thread-head.ts';
import { toGuarded } from './guarded-tools.ts';
import { ASKS, ENDS } from './payload.ts';
import { sampleCall, sampleTranscript } from './sample.ts';

export const hooks: HooksCapability = {
  ...codexGuard,
  toCall: toGuarded,
  condense,
  sampleCall,
  sampleTranscript,
  namesCallers: (version) => version !== undefined && isAtLeast(version, '0.137.0'),
  createHookReader: createToldReader,
};

/** A question that waits for the person is in no file; all else stands in the rollouts. */
function condense(payload: unknown): Told | undefined {
  if (!isObject(payload)) return undefined;
  if (payload['hook_event_name'] === ENDS) return { closes: true };
  if (payload['hook_event_name'] !== ASKS) return undefined;
  const asks = asText(payload['agent_id']) ?? threadInName(asText(payload['transcript_path']) ?? '');
  return asks === undefined ? undefined : { asks };
}
