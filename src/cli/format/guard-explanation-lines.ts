import {
  callText,
  cleanLine,
  type ExplainedTrial,
  formatTable,
  type GuardDecision,
  type GuardExplanation,
  lineText,
  type Paint,
  type RuleSuggestion,
  recordedText,
  standsText,
  trialRows,
  useRows,
  winnerText,
} from '../../core/index.ts';

/** `troupe guard explain` for people. */
export function formatGuardExplanation(
  told: GuardExplanation,
  { paint }: { readonly paint: Paint },
): readonly string[] {
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
  const obstacles = stands.map((rule) => paint.yellow(standsText(rule)));
  if (yaml === null) return ['', cleanLine(reason ?? ''), ...obstacles];
  return [
    '',
    paint.bold(
      cleanLine(`The rule that would allow exactly this, for \`rules:\` of ${file ?? 'your own policy.yaml'}`),
    ),
    ...yaml
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    ...(note === null ? [] : [cleanLine(note)]),
    ...obstacles,
  ];
}
