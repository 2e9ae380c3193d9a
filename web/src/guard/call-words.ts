import {
  type AuditDecision,
  answeredByText,
  callerText,
  cleanLine,
  DECISION_TEXTS,
  type HeardCall,
  heldText,
} from '../../../src/core/index.ts';
import { exactTime } from '../parts/time-text.ts';

/** Shape and word, then colour. */
export const DECISION_MARKS: Readonly<Record<AuditDecision, string>> = {
  observed: '·',
  none: '○',
  allow: '✓',
  ask: '◐',
  deny: '✗',
};

/** Everything about a call, for those who point at it. */
export function callTitle(call: HeardCall): string {
  const { at, agent, decision, rule, reason, answeredBy } = call;
  const held = heldText(call);
  return [
    `${exactTime(at)}  ${callerText(agent)}`,
    cleanLine(`${call.tool ?? '–'} ${call.summary ?? ''}`),
    `${decision}: ${DECISION_TEXTS[decision]}${held === '' ? '' : `, in ${held} ms`}`,
    ...(answeredBy === undefined ? [] : [`A person was asked: ${answeredByText(answeredBy)}`]),
    ...[rule, reason].flatMap((text) => (text === null ? [] : [cleanLine(text)])),
  ].join('\n');
}

/** How the guard's sentences go on behind what they are about (guard/decide.ts). */
const SAID = /(?: is allowed| is denied| must be asked about| is left to the host)(?: by |: )/g;

/**
 * The rule that won, and the reason; without the call, which stands beside it. Empty where nobody was asked. What follows the last
 * of these words is told: a command may have them in it, and must not speak for the guard.
 */
export function whyText({ decision, rule, reason }: Pick<HeardCall, 'decision' | 'rule' | 'reason'>): string {
  if (decision === 'observed') return '';
  const last = reason === null ? undefined : [...reason.matchAll(SAID)].at(-1);
  const why = reason?.slice(last ? last.index + last[0].length : 0);
  return cleanLine([rule, why].filter((text) => text).join(' '));
}

/** Of a path: those above, and the one itself. */
export function pathParts({ agent }: HeardCall): { readonly above: string; readonly own: string } {
  if (agent.who === 'unknown') return { above: '', own: callerText(agent) };
  const names = agent.path.map(cleanLine);
  const guess = agent.evidence === 'guess' ? ' ?' : '';
  const above = names.slice(0, -1).join(' › ');
  return { above: above === '' ? '' : `${above} › `, own: `${names.at(-1) ?? 'sub-agent'}${guess}` };
}

interface InputField {
  /** Empty where the input is no object. */
  readonly name: string;
  readonly text: string;
}

/** What a tool was given, for reading: texts as they are, everything else as JSON. */
export function inputFields(input: unknown): readonly InputField[] {
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isRecord) return [{ name: '', text: toText(input) }];
  const fields = Object.entries(input);
  return fields.length === 0
    ? [{ name: '', text: '{}' }]
    : fields.map(([name, value]) => ({ name, text: toText(value) }));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
