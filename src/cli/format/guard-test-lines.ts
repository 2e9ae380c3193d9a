import { cleanLine, type GuardMismatch, type GuardTestReport, type Paint, plural } from '../../core/index.ts';
import { formatGuardExplanation } from './guard-explanation-lines.ts';
import { formatProblem } from './policy-lines.ts';

/** `troupe guard test` for people: each mistake and each mismatch with its place, then the sum. */
export function formatGuardTest(report: GuardTestReport, { paint }: { readonly paint: Paint }): readonly string[] {
  const { file, calls, mismatches, problems, ok } = report;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const right = `${calls - mismatches.length} of ${plural(calls, 'call')} decided as expected`;
  const sum = [...(calls > 0 ? [right] : []), ...(errors > 0 ? [plural(errors, 'error')] : [])].join(', ');
  return [
    ...problems.flatMap((problem) => [...formatProblem(problem, paint), '']),
    ...mismatches.flatMap((mismatch) => [...formatMismatch(file, mismatch, paint), '']),
    ok ? `${paint.green('ok')}: ${sum}` : paint.red(sum),
  ];
}

function formatMismatch(file: string, mismatch: GuardMismatch, paint: Paint): readonly string[] {
  const { line, name, expected, expectedRule, explanation } = mismatch;
  const wanted = expectedRule === null ? expected : `${expected} by ${expectedRule}`;
  const got = explanation.decision ?? 'nothing';
  const by = expectedRule === null ? '' : ` by ${explanation.rule?.name ?? explanation.rule?.id ?? 'a default'}`;
  const said = `${name === null ? '' : `${name}: `}expected ${wanted}, but it is ${got}${by}`;
  // Whoever expects a deny has no use for a rule that allows.
  const told = expected === 'allow' ? explanation : { ...explanation, suggestion: null };
  return [
    `${paint.bold(`${cleanLine(file)}:${line}:`)} ${paint.red(cleanLine(said))}`,
    ...formatGuardExplanation(told, { paint }).map((text) => (text === '' ? '' : `  ${text}`)),
  ];
}
