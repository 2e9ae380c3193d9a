// The call that makes an agent: what it was asked, and its report in the result.

import { asObject, asText, known } from '../../lib/json.ts';
import type { Errand } from '../index.ts';

/** Of an agent in the background (2.0.64 and later) and of a teammate: they report elsewhere. */
const SENT_OFF = /^(?:Async agent launched|Spawned successfully)/;

export function errandIn(input: unknown, result: string | undefined): Errand {
  const answer = result === undefined || SENT_OFF.test(result) ? undefined : reportIn(result);
  return known({ prompt: asText(asObject(input)?.['prompt']), answer });
}

const FRAME = /^\[Subagent hand-back\].*The report follows:$/m;
const TRAILER = /^agentId: [\s\S]*$/m;

/** What the agent itself reported, without the frame (2.1.286 and later) and the host's lines behind it. */
export function reportIn(text: string): string {
  const frame = FRAME.exec(text);
  const report = frame ? text.slice(frame.index + frame[0].length).replace(/^ {2}/gm, '') : text;
  return report.replace(TRAILER, '').trim();
}
