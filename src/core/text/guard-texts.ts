// The words for audit entries, approvals and explanations of the guard, the same in every UI.

import { groupBy } from '../../lib/group.ts';
import { asObject, isObject } from '../../lib/json.ts';
import { type AnsweredBy, type ApprovalEnd, type ApprovalRequest, type ChatPerson, isChatPerson } from '../approval.ts';
import type { AuditDecision, AuditEntry } from '../reports/audit.ts';
import {
  type ExplainedAgent,
  type ExplainedPath,
  type ExplainedRule,
  type ExplainedTrial,
  type ExplainedUses,
  type GuardExplanation,
  TRIAL_OUTCOMES,
} from '../reports/guard.ts';
import type { AuditAgent } from '../reports/identity.ts';
import { cleanLine } from './clean-text.ts';
import { plural } from './format.ts';
import { wrapText } from './layout.ts';

/** What each decision means for the call. */
export const DECISION_TEXTS: Readonly<Record<AuditDecision, string>> = {
  observed: 'seen by a hook; nobody was asked',
  none: 'the guard was asked, and left it to the host',
  allow: 'the guard allowed it',
  ask: 'the guard had the person asked',
  deny: 'the guard refused it',
  inject: 'it did not run: troupe run --inject gave its result',
};

/** The labels from the main agent down; where nobody knows who it was, why. */
export function callerText({ who, path, evidence, reason }: AuditAgent): string {
  if (who === 'unknown') return cleanLine(`unknown: ${reason ?? 'nothing tells who it was'}`);
  return `${pathText(path)}${evidence === 'guess' ? ' (a guess)' : ''}`;
}

/** As `callerText`; of a session that an agent started, those above it first. */
export function entryCallerText({
  agent,
  startedBy,
  doubts,
}: Pick<AuditEntry, 'agent' | 'startedBy' | 'doubts'>): string {
  const above = startedBy === undefined || agent.who === 'unknown' ? '' : `${pathText(startedBy.path)} › `;
  return `${above}${callerText(agent)}${doubts === undefined ? '' : ' (sources disagree)'}`;
}

/** Why a call was judged for more than one agent or project. */
export function doubtsText(doubts: readonly string[]): string {
  return cleanLine(`Sources disagree about who called, and the stricter reading held: ${doubts.join('; ')}.`);
}

/** Calls of a session whose sources disagree. */
export function doubtedText(doubted: number): string {
  return `Sources disagreed about who made ${plural(doubted, 'call')}; the stricter reading held.`;
}

/** Calls of a session of which the agent, or one above it, was not known. */
export function gapsText(gaps: number): string {
  const whom = gaps === 1 ? 'it' : 'them';
  return `Not every agent above ${plural(gaps, 'call')} was known; every rule that may apply to ${whom} held.`;
}

export function pathText(path: readonly string[]): string {
  return path.length === 0 ? 'an agent that is not known' : path.map(cleanLine).join(' › ');
}

/** How long the host had to wait for the hook. */
export function heldText({ ms }: Pick<AuditEntry, 'ms'>): string {
  if (ms === null) return '';
  return ms < 9.95 ? ms.toFixed(1) : String(Math.round(ms));
}

/** Old versions of a host leave it out: then nobody can say which calls passed a hook, nor that none did. */
export function unnamedText(unnamed: number): string {
  const what = unnamed === 1 ? 'it was about, and proves' : 'they were about, and prove';
  return `${plural(unnamed, 'hook')} of this session did not say which call ${what} nothing here.`;
}

/** What is asked about, in one line. */
export function formatApprovalCall({ tool, summary }: Pick<ApprovalRequest, 'tool' | 'summary'>): string {
  return cleanLine(`${tool ?? '–'} ${summary ?? ''}`).trim();
}

export function requesterText({ agent }: Pick<ApprovalRequest, 'agent'>): string {
  return callerText(agent);
}

/** 4:09; 1:00:00. The last second is 0:01. */
export function remainingText({ expiresAt }: Pick<ApprovalRequest, 'expiresAt'>, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - now) / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** What happens if nobody says anything. */
export function onTimeoutText({ otherwise }: Pick<ApprovalRequest, 'otherwise'>): string {
  if (otherwise === null) return 'the host asks, too';
  return otherwise === 'allow' ? 'then allowed' : 'then denied';
}

const BY: Readonly<Record<Exclude<AnsweredBy, ChatPerson>, string>> = {
  page: 'on the page',
  terminal: 'in the terminal',
  cli: 'on the command line',
  api: 'by a program',
  expiry: 'no answer came in time',
  stop: 'the server stopped',
  'no-server': 'no server ran that could ask',
  withdrawn: 'taken back before an answer came',
};

/** Who settled it, in a few words. */
export function answeredByText(by: AnsweredBy): string {
  if (!isChatPerson(by)) return BY[by];
  const [user = '', name] = by.slice('telegram:'.length).split(' ');
  return `on Telegram by ${name ?? `user ${user}`}`;
}

/** Allowed on the page. Denied: no answer came in time. */
export function endText({ decision, by }: Pick<ApprovalEnd, 'decision' | 'by'>): string {
  if (decision === null)
    return by === 'withdrawn' ? 'Taken back before an answer came.' : `Left open: ${answeredByText(by)}.`;
  const so = decision === 'allow' ? 'Allowed' : 'Denied';
  const isPerson = by === 'page' || by === 'terminal' || by === 'cli' || by === 'api' || isChatPerson(by);
  return isPerson ? `${so} ${answeredByText(by)}.` : `${so}: ${answeredByText(by)}.`;
}

/**
 * All that a call was given, in lines of at most `columns`: who says yes must have been able to see the second line of a
 * command, and the end of a long one.
 */
export function formatApprovalLines(
  { tool, summary, input }: Pick<ApprovalRequest, 'tool' | 'summary' | 'input'>,
  columns: number,
) {
  const fields = Object.entries(asObject(input) ?? {});
  const main = fields.find(([name, value]) => name === 'command' && typeof value === 'string');
  const first = `${tool ?? '–'} ${main ? main[1] : (summary ?? '')}`;
  const others = fields.filter((field) => field !== main && field[1] !== summary);
  const rest = others.map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [first, ...rest].flatMap((text) => wrapText(text, columns));
}

/** At most so many; how many are left out is said in the last one. */
export function cutLines(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const left = lines.length - most + 1;
  return [...lines.slice(0, most - 1), `… ${plural(left, 'more line')}: see troupe guard asks`];
}

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

function ruleText({ id, name, place }: ExplainedRule): string {
  const where = [...(name === null ? [] : [id]), ...(place === null ? [] : [`${place.file}:${place.line}`])];
  return cleanLine(`${name ?? id}${where.length > 0 ? ` (${where.join(', ')})` : ''}`);
}

export function recordedText({ n, decision, rule, reason }: NonNullable<GuardExplanation['recorded']>): string {
  const by = rule === null ? '' : ` by ${rule}`;
  return cleanLine(`When it was made (${n} in the audit): ${decision}${by}${reason === null ? '' : `. ${reason}`}`);
}

/** No allow beats a deny or an ask. */
export function overridingRuleText(rule: ExplainedRule): string {
  return `Nothing comes of it as long as ${ruleText(rule)} says ${rule.decision}.`;
}

export function useRows({ commands, reads, writes, hosts, unknown }: ExplainedUses) {
  const pathText = ({ path, isFolder, via }: ExplainedPath): string =>
    `${isFolder && path === '/' ? 'some file' : `${path}${isFolder ? '/…' : ''}`} (${via})`;
  const runs = commands.map(({ text, isDynamic, wrappers }) => {
    const notes = [
      ...(wrappers.length > 0 ? [`in ${wrappers.join(', ')}`] : []),
      ...(isDynamic ? ['not all of it is known before it runs'] : []),
    ];
    return `${text}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
  });
  const reaches = hosts.map((host) => (host === '*' ? 'some host' : host));
  const rows = {
    runs,
    reads: reads.map(pathText),
    writes: writes.map(pathText),
    reaches,
    unknown: unknown === null ? [] : [unknown],
  };
  return Object.entries(rows).flatMap(([verb, texts]) => texts.map((text) => ({ verb, text: cleanLine(text) })));
}

/** One for each rule and agent it was asked for (`as`), with what came closest; those that matched first. */
export function trialRows(tried: readonly ExplainedTrial[]) {
  const groups = groupBy(tried, ({ rule, isAncestors, as }) => `${rule.id} ${isAncestors} ${as}`);
  const closeness = ({ outcome }: ExplainedTrial): number => TRIAL_OUTCOMES.indexOf(outcome);
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
