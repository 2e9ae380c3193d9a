import type { AnsweredBy, AskAnswer } from '../core/index.ts';
import type { JudgedHost, Judgement, JudgeOptions } from './at-the-door.ts';
import { answer, judgeCall } from './judge-call.ts';

/** What became of a call that was held for an answer, or should have been. */
export interface SettledAsk extends Omit<Judgement, 'wait' | 'given'> {
  readonly answeredBy: AnsweredBy;
}

/** What a hook answers whose call was asked about, once it is known what was said. */
export function answerAsk(
  host: Pick<JudgedHost, 'formatAnswer'>,
  { rule, reason: asked, wait, given }: Judgement,
  decision: AskAnswer,
  answeredBy: AnsweredBy,
): SettledAsk {
  const reason = `${asked} ${sayWho(answeredBy, decision, wait?.ms ?? 0)}`;
  return answer(host, { decision, rule, reason, answeredBy }, given);
}

/** Without a server nobody can be asked: a call that would wait for an answer ends as it does without one. */
export function judgeAlone(payload: unknown, options: JudgeOptions): Judgement | SettledAsk {
  const judgement = judgeCall(payload, options);
  const { wait } = judgement;
  return wait ? answerAsk(options.host, judgement, wait.otherwise, 'no-server') : judgement;
}

/** For the agent, which reads it as the reason, and for the audit. */
function sayWho(by: AnsweredBy, decision: AskAnswer, ms: number): string {
  const so = decision === 'allow' ? 'allowed' : 'denied';
  switch (by) {
    case 'expiry':
      return `No answer came within ${durationText(ms)}, so it is ${so}.`;
    case 'stop':
      return `troupe stopped before an answer came, so it is ${so}.`;
    case 'no-server':
      return `No server of troupe runs that could ask, so it is ${so}.`;
    case 'withdrawn':
      return 'The call was taken back before an answer came.';
    default:
      return `A person was asked and ${so} it.`;
  }
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
