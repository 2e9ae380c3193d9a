import {
  cleanLine,
  type Paint,
  type PolicyCheck,
  type PolicyPreset,
  type PolicyProblem,
  plural,
  widthOf,
} from '../../core/index.ts';

/** As compilers say it: editors know how to jump to `file:line:column`. */
export function formatPolicyCheck(check: PolicyCheck, { paint }: { readonly paint: Paint }): readonly string[] {
  const { problems, files, rules, presets } = check;
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
  const what = `${plural(rules, 'rule')}${named} in ${files.map(({ file }) => cleanLine(file)).join(', ')}`;
  if (!check.ok) return [...lines, `${paint.red(found)} in ${files.map(({ file }) => cleanLine(file)).join(', ')}`];
  return [...lines, `${paint.green('ok')}: ${what}`];
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
