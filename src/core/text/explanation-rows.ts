// What an explanation says, in words: for the terminal and for the page.

import { isObject } from '../../lib/json.ts';
import type {
  ExplainedAgent,
  ExplainedPath,
  ExplainedRule,
  ExplainedTrial,
  ExplainedUses,
  GuardDecision,
  GuardExplanation,
} from '../reports/guard-explanation.ts';
import { cleanLine } from './clean-text.ts';

/** What was given to the tool, in one line. */
export function callText(input: unknown): string {
  const text = isObject(input) && typeof input['command'] === 'string' ? input['command'] : JSON.stringify(input);
  const line = cleanLine(text ?? '');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

/** Who made it, with all above it. */
export function lineText({ agent, ancestors }: Pick<GuardExplanation['call'], 'agent' | 'ancestors'>): string {
  if (agent === null) return 'an agent that is not known';
  return [...ancestors, agent].map(agentText).join(' › ');
}

function agentText({ kind, type, name }: ExplainedAgent): string {
  if (kind === 'main') return 'main';
  const both = name !== null && type !== null ? `${name} (${type})` : (name ?? type ?? kind);
  return cleanLine(both);
}

export function winnerText({ rule }: Pick<GuardExplanation, 'rule'>): string {
  return rule === null ? 'a default: no rule is about it' : ruleText(rule);
}

export function ruleText({ id, name, place }: ExplainedRule): string {
  const where = [...(name === null ? [] : [id]), ...(place === null ? [] : [`${place.file}:${place.line}`])];
  return cleanLine(`${name ?? id}${where.length > 0 ? ` (${where.join(', ')})` : ''}`);
}

export function recordedText({ n, decision, rule, reason }: NonNullable<GuardExplanation['recorded']>): string {
  const by = rule === null ? '' : ` by ${rule}`;
  return cleanLine(`When it was made (${n} in the audit): ${decision}${by}${reason === null ? '' : `. ${reason}`}`);
}

/** No allow beats a deny or an ask. */
export function standsText(rule: ExplainedRule): string {
  return `Nothing comes of it as long as ${ruleText(rule)} says ${rule.decision}.`;
}

export interface UseRow {
  readonly verb: 'runs' | 'reads' | 'writes' | 'reaches' | 'unknown';
  readonly text: string;
}

export function useRows({ commands, reads, writes, hosts, unknown }: ExplainedUses): readonly UseRow[] {
  const pathText = ({ path, isFolder, via }: ExplainedPath): string =>
    `${isFolder && path === '/' ? 'some file' : `${path}${isFolder ? '/…' : ''}`} (${via})`;
  const rows: readonly UseRow[] = [
    ...commands.map(({ text, isDynamic, wrappers }) => {
      const notes = [
        ...(wrappers.length > 0 ? [`in ${wrappers.join(', ')}`] : []),
        ...(isDynamic ? ['not all of it is known before it runs'] : []),
      ];
      return { verb: 'runs', text: `${text}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}` } as const;
    }),
    ...reads.map((path) => ({ verb: 'reads', text: pathText(path) }) as const),
    ...writes.map((path) => ({ verb: 'writes', text: pathText(path) }) as const),
    ...hosts.map((host) => ({ verb: 'reaches', text: host === '*' ? 'some host' : host }) as const),
    ...(unknown === null ? [] : [{ verb: 'unknown', text: unknown } as const]),
  ];
  return rows.map(({ verb, text }) => ({ verb, text: cleanLine(text) }));
}

export interface TrialRow {
  readonly isMatch: boolean;
  readonly decision: GuardDecision;
  readonly rule: string;
  /** For whom it was asked: the agent, or one above it. */
  readonly as: string;
  readonly cameOfIt: string;
}

/** One for each rule and agent it was asked for, with what came closest; those that matched first. */
export function trialRows(tried: readonly ExplainedTrial[]): readonly TrialRow[] {
  const groups = new Map<string, ExplainedTrial[]>();
  for (const trial of tried) {
    const key = `${trial.rule.id} ${trial.isAncestors} ${trial.as}`;
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  const closeness = ({ outcome }: ExplainedTrial): number => CLOSENESS.indexOf(outcome);
  const closestFirst = [...groups.values()]
    .map((trials) => trials.toSorted((a, b) => closeness(a) - closeness(b)) as [ExplainedTrial, ...ExplainedTrial[]])
    .sort(([a], [b]) => closeness(a) - closeness(b));
  return closestFirst.map((trials) => {
    const [{ rule, as, isAncestors, outcome }] = trials;
    const parts = new Set(trials.filter((one) => one.outcome === outcome).map(({ part }) => part));
    const what = outcome === 'matched' || outcome === 'not known enough' ? `: ${[...parts].join(', ')}` : '';
    return {
      isMatch: outcome === 'matched',
      decision: rule.decision,
      rule: cleanLine(rule.name === null ? rule.id : `${rule.id} ${rule.name}`),
      as: cleanLine(isAncestors ? `${as}, above it` : as),
      cameOfIt: cleanLine(`${outcome}${what}`),
    };
  });
}

const CLOSENESS: readonly ExplainedTrial['outcome'][] = [
  'matched',
  'not known enough',
  'other argument',
  'other tool',
  'other time',
  'other agent',
];
