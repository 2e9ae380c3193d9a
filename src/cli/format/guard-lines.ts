import {
  type ApprovalRequest,
  callText,
  cleanLine,
  cutTo,
  type ExplainedTrial,
  formatApprovalLines,
  formatTable,
  type GuardDecision,
  type GuardExplanation,
  type GuardMismatch,
  type GuardTestReport,
  lineText,
  onTimeoutText,
  overridingRuleText,
  type Paint,
  type PolicyCheck,
  type PolicyPreset,
  type PolicyProblem,
  plural,
  type RuleSuggestion,
  recordedText,
  remainingText,
  requesterText,
  trialRows,
  useRows,
  widthOf,
  winnerText,
} from '../../core/index.ts';
import type { TextOptions } from './session-table.ts';

type Painted = Pick<TextOptions, 'paint'>;

/** As compilers say it: editors know how to jump to `file:line:column`. */
export function formatPolicyCheck(check: PolicyCheck, { paint }: Painted): readonly string[] {
  const { problems, files, rules, budgets, presets } = check;
  const lines = problems.flatMap((problem) => [...formatProblem(problem, paint), '']);
  if (files.length === 0)
    return ['There is no policy: troupe has no opinion on any call. docs/POLICY.md says how to write one.'];
  const count = (severity: PolicyProblem['severity']): number =>
    problems.filter((one) => one.severity === severity).length;
  const found = [
    plural(count('error'), 'error'),
    ...(count('warning') > 0 ? [plural(count('warning'), 'warning')] : []),
  ].join(', ');
  const named = presets.length > 0 ? ` (with ${presets.join(', ')})` : '';
  const limited = budgets > 0 ? ` and ${plural(budgets, 'budget')}` : '';
  const where = files.map(({ file }) => cleanLine(file)).join(', ');
  if (!check.ok) return [...lines, `${paint.red(found)} in ${where}`];
  return [...lines, `${paint.green('ok')}: ${plural(rules, 'rule')}${named}${limited} in ${where}`];
}

export function formatPresets(presets: readonly PolicyPreset[]): readonly string[] {
  const width = Math.max(...presets.map(({ name }) => name.length));
  return presets.map(({ name, brief }) => `${name.padEnd(width)}  ${brief}`);
}

export function formatProblem(
  { severity, file, line, column, message, remedy, source }: PolicyProblem,
  paint: Paint,
): readonly string[] {
  const colour = severity === 'error' ? paint.red : paint.yellow;
  const place = paint.bold(`${cleanLine(file)}:${line}:${column}:`);
  const said = [message, ...(remedy === null ? [] : [remedy])].map(cleanLine).join(' ');
  return [`${place} ${colour(`${severity}:`)} ${said}`, ...formatSource(source, line, column, colour)];
}

/** So many columns before the place are shown of a long line, and as many behind it. */
const AROUND = 60;

function formatSource(
  source: string,
  line: number,
  column: number,
  colour: (text: string) => string,
): readonly string[] {
  if (source.trim() === '') return [];
  const at = column - 1;
  const start = Math.max(0, at - AROUND);
  const before = inPlace(source.slice(start, at));
  const margin = String(line);
  return [
    `  ${margin} | ${before}${inPlace(source.slice(at, at + AROUND))}`.trimEnd(),
    `  ${' '.repeat(margin.length)} | ${' '.repeat(widthOf(before))}${colour('^')}`,
  ];
}

/** Clean, but with the spaces at its ends. */
function inPlace(text: string): string {
  return cleanLine(`|${text}|`).slice(1, -1);
}

/** `troupe guard explain` for people. */
export function formatGuardExplanation(told: GuardExplanation, { paint }: Painted): readonly string[] {
  const { call, uses, tried, suggestion } = told;
  const does = uses === null ? [] : useRows(uses).map(({ verb, text }) => `${verb.padEnd(8)} ${text}`);
  return [
    paint.bold(`${cleanLine(call.tool)}  ${callText(call.input)}`.trimEnd()),
    paint.dim(`by ${lineText(call)}, in ${cleanLine(call.cwd ?? 'a folder that is not known')}`),
    '',
    ...verdictLines(told, paint),
    ...section('What it does', does, paint),
    ...section('Rules that were looked at', trialLines(tried, paint), paint),
    ...(suggestion === null ? [] : suggestionLines(suggestion, paint)),
  ];
}

function verdictLines(told: GuardExplanation, paint: Paint): readonly string[] {
  const { decision, reason, recorded, caveats } = told;
  return [
    decision === null ? paint.yellow('not judged') : `${paintOf(decision, paint)(decision)}  by ${winnerText(told)}`,
    ...(reason === null ? [] : [cleanLine(reason)]),
    ...(recorded === null ? [] : [recordedText(recorded)]),
    ...caveats.map((caveat) => paint.yellow(cleanLine(caveat))),
  ];
}

function paintOf(decision: GuardDecision, paint: Paint): (text: string) => string {
  return { deny: paint.red, ask: paint.yellow, allow: paint.green, none: paint.dim }[decision];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

function trialLines(tried: readonly ExplainedTrial[], paint: Paint): readonly string[] {
  const rows = trialRows(tried).map(({ isMatch, decision, rule, as, cameOfIt }) => [
    { text: isMatch ? '✓' : ' ' },
    { text: decision, ...(isMatch ? { paint: paintOf(decision, paint) } : {}) },
    { text: rule },
    { text: as },
    { text: cameOfIt },
  ]);
  if (rows.length === 0) return [];
  const columns = ['', 'decision', 'rule', 'asked for', 'came of it'].map((title) => ({ title }));
  return formatTable(columns, rows, { header: paint.dim });
}

function suggestionLines({ yaml, reason, file, note, stands }: RuleSuggestion, paint: Paint): readonly string[] {
  const obstacles = stands.map((rule) => paint.yellow(overridingRuleText(rule)));
  if (yaml === null) return ['', cleanLine(reason ?? ''), ...obstacles];
  const lines = yaml.trimEnd().split('\n');
  const title = `The rule that would allow exactly this, for \`rules:\` of ${file ?? 'your own policy.yaml'}`;
  return [
    '',
    paint.bold(cleanLine(title)),
    ...lines.map((line) => `  ${line}`),
    ...(note === null ? [] : [cleanLine(note)]),
    ...obstacles,
  ];
}

/** `troupe guard test` for people: each mistake and each mismatch with its place, then the sum. */
export function formatGuardTest(report: GuardTestReport, { paint }: Painted): readonly string[] {
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

/** So much of an id is enough to answer by. */
export const SHORT_ID = 8;

/** `troupe guard asks` for people: a few lines each, oldest first. */
export function formatApprovals(
  asks: readonly ApprovalRequest[],
  { paint, width, now }: TextOptions,
): readonly string[] {
  const within = (text: string): string => (width === undefined ? text : cutTo(text, width));
  return asks.flatMap((ask, index) => [
    ...(index === 0 ? [] : ['']),
    `${paint.bold(ask.id.slice(0, SHORT_ID))}  ${paint.yellow(`${remainingText(ask, now)} left`)}, ${onTimeoutText(ask)}`,
    within(`  ${requesterText(ask)}`),
    ...formatApprovalLines(ask, (width ?? 200) - 2).map((line) => `  ${line}`),
    paint.dim(within(`  ${cleanLine(ask.reason)}`)),
  ]);
}
