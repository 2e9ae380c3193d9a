import { isObject } from '../base/json.ts';
import type {
  ExplainedAgent,
  ExplainedPath,
  ExplainedRule,
  ExplainedTrial,
  ExplainedUses,
  GuardDecision,
  GuardExplanation,
  RuleSuggestion,
} from '../model/guard-explanation.ts';
import { cleanLine } from './clean-text.ts';
import type { Paint } from './paint.ts';
import { formatTable } from './table.ts';

/** `troupe guard explain` for people. */
export function formatGuardExplanation(
  told: GuardExplanation,
  { paint }: { readonly paint: Paint },
): readonly string[] {
  const { call, uses, tried, suggestion } = told;
  return [
    paint.bold(`${cleanLine(call.tool)}  ${callText(call.input)}`.trimEnd()),
    paint.dim(`by ${lineText(call.agent, call.ancestors)}, in ${cleanLine(call.cwd ?? 'a folder that is not known')}`),
    '',
    ...verdictLines(told, paint),
    ...section('What it does', uses === null ? [] : useLines(uses), paint),
    ...section('Rules that were looked at', trialLines(tried, paint), paint),
    ...(suggestion === null ? [] : suggestionLines(suggestion, paint)),
  ];
}

function callText(input: unknown): string {
  const text = isObject(input) && typeof input['command'] === 'string' ? input['command'] : JSON.stringify(input);
  const line = cleanLine(text ?? '');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function lineText(agent: ExplainedAgent | null, ancestors: readonly ExplainedAgent[]): string {
  if (agent === null) return 'an agent that is not known';
  return [...ancestors, agent].map(agentText).join(' › ');
}

function agentText({ kind, type, name }: ExplainedAgent): string {
  if (kind === 'main') return 'main';
  const both = name !== null && type !== null ? `${name} (${type})` : (name ?? type ?? kind);
  return cleanLine(both);
}

function verdictLines(told: GuardExplanation, paint: Paint): readonly string[] {
  const { decision, rule, reason, recorded, caveats } = told;
  const by = rule === null ? 'a default: no rule is about it' : ruleText(rule);
  return [
    decision === null ? paint.yellow('not judged') : `${paintOf(decision, paint)(decision)}  by ${by}`,
    ...(reason === null ? [] : [cleanLine(reason)]),
    ...(recorded === null ? [] : [recordedText(recorded)]),
    ...caveats.map((caveat) => paint.yellow(cleanLine(caveat))),
  ];
}

function recordedText({ n, decision, rule, reason }: NonNullable<GuardExplanation['recorded']>): string {
  const by = rule === null ? '' : ` by ${rule}`;
  return cleanLine(`When it was made (${n} in the audit): ${decision}${by}${reason === null ? '' : `. ${reason}`}`);
}

export function ruleText({ id, name, place }: ExplainedRule): string {
  const where = [...(name === null ? [] : [id]), ...(place === null ? [] : [`${place.file}:${place.line}`])];
  return cleanLine(`${name ?? id}${where.length > 0 ? ` (${where.join(', ')})` : ''}`);
}

function paintOf(decision: GuardDecision, paint: Paint): (text: string) => string {
  return { deny: paint.red, ask: paint.yellow, allow: paint.green, none: paint.dim }[decision];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

function useLines({ commands, reads, writes, hosts, unknown }: ExplainedUses): readonly string[] {
  const pathText = ({ path, isFolder, via }: ExplainedPath): string => `${path}${isFolder ? '/…' : ''} (${via})`;
  return [
    ...commands.map(({ text, isDynamic, wrappers }) => {
      const notes = [
        ...(wrappers.length > 0 ? [`in ${wrappers.join(', ')}`] : []),
        ...(isDynamic ? ['not all of it is known before it runs'] : []),
      ];
      return `runs     ${text}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
    }),
    ...reads.map((path) => `reads    ${pathText(path)}`),
    ...writes.map((path) => `writes   ${pathText(path)}`),
    ...hosts.map((host) => `reaches  ${host === '*' ? 'some host' : host}`),
    ...(unknown === null ? [] : [`unknown  ${unknown}`]),
  ].map(cleanLine);
}

/** One line for each rule and agent it was asked for, with what came closest; those that matched first. */
function trialLines(tried: readonly ExplainedTrial[], paint: Paint): readonly string[] {
  const groups = new Map<string, ExplainedTrial[]>();
  for (const trial of tried) {
    const key = `${trial.rule.id} ${trial.isAncestors} ${trial.as}`;
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  const closeness = ({ outcome }: ExplainedTrial): number => CLOSENESS.indexOf(outcome);
  const closestFirst = [...groups.values()]
    .map((trials) => trials.toSorted((a, b) => closeness(a) - closeness(b)) as [ExplainedTrial, ...ExplainedTrial[]])
    .sort(([a], [b]) => closeness(a) - closeness(b));
  const rows = closestFirst.map((trials) => {
    const [{ rule, as, isAncestors, outcome }] = trials;
    const parts = new Set(trials.filter((one) => one.outcome === outcome).map(({ part }) => part));
    const what = outcome === 'matched' || outcome === 'not known enough' ? `: ${[...parts].join(', ')}` : '';
    const isMatch = outcome === 'matched';
    return [
      { text: isMatch ? '✓' : ' ' },
      { text: rule.decision, ...(isMatch ? { paint: paintOf(rule.decision, paint) } : {}) },
      { text: cleanLine(rule.name === null ? rule.id : `${rule.id} ${rule.name}`) },
      { text: cleanLine(isAncestors ? `${as}, above it` : as) },
      { text: cleanLine(`${outcome}${what}`) },
    ];
  });
  if (rows.length === 0) return [];
  const columns = [
    { title: '' },
    { title: 'decision' },
    { title: 'rule' },
    { title: 'asked for' },
    { title: 'came of it' },
  ];
  return formatTable(columns, rows, { header: paint.dim });
}

const CLOSENESS: readonly ExplainedTrial['outcome'][] = [
  'matched',
  'not known enough',
  'other argument',
  'other tool',
  'other time',
  'other agent',
];

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

/** No allow beats a deny or an ask. */
export function standsText(rule: ExplainedRule): string {
  return `Nothing comes of it as long as ${ruleText(rule)} says ${rule.decision}.`;
}
