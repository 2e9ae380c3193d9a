// Words about agents and moments that are said on every kind of page, in HTML as in Markdown.

import {
  type AgentReport,
  cleanLine,
  costText,
  explainChange,
  formatMark,
  formatStatus,
  outputText,
  PLAIN,
  plural,
  type SessionReport,
  timeText,
  typeText,
} from '../../core/index.ts';

export function nameOf({ kind, label, id }: AgentReport): string {
  return kind === 'main' ? 'main' : cleanLine(label) || cleanLine(id);
}

/** What kind of agent it is, in the words it was asked for by. */
export function typeOf(agent: AgentReport): string {
  return cleanLine(typeText({ ...agent, background: false }));
}

/** researcher (Explore); where both are the same word, once. */
export function nameAndType(agent: AgentReport): string {
  const [name, type] = [nameOf(agent), typeOf(agent)];
  return type === '' || type === name ? name : `${name} (${type})`;
}

/** Shape, then word. */
export function statusTexts(agent: Pick<AgentReport, 'status' | 'waitingOn' | 'stalled'>): readonly [string, string] {
  return [formatMark(agent.status, agent.stalled, PLAIN), formatStatus(agent)];
}

/** 2026-09-27 14:02:31, by universal time: a page is read anywhere. */
export function utcText(iso: string | null): string {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? 'not known' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

export function utcTime(iso: string | null): string {
  return iso === null ? '' : utcText(iso).slice(11);
}

/** How long, how much: what is known of it. */
export function amountsOf(agent: AgentReport): readonly string[] {
  // What was at work when the pages were made is measured up to its last sign of life.
  const lasted = timeText({ ...agent, status: 'completed' }, 0);
  return [
    lasted === '–' ? '' : lasted,
    agent.toolCallCount === null ? '' : plural(agent.toolCallCount, 'tool call'),
    agent.usage === null ? '' : `${outputText(agent)} tokens written`,
    costOf(agent),
  ].filter((one) => one !== '');
}

function costOf({ cost }: AgentReport): string {
  const said = costText(cost);
  return cost === null || said === 'not known' ? '' : said;
}

/** Why it came to no good end, in its host's words. */
export function reasonOf({ status, runs }: AgentReport): string | undefined {
  const reason = status === 'completed' ? null : (runs.at(-1)?.reason ?? null);
  return reason === null ? undefined : cleanLine(reason);
}

/** How its end is known. */
export function endKnownBy({ runs }: AgentReport): string | undefined {
  const last = runs.at(-1);
  return last && explainChange(last).how;
}

/** Exact links need no word; everything weaker says so. */
export function linkDoubt({ evidence, kind }: AgentReport): string | undefined {
  if (kind === 'main' || evidence === null || evidence.rank === 'exact') return undefined;
  if (evidence.rank === 'none') return 'who asked for it is not known';
  const how = cleanLine(evidence.text);
  return evidence.rank === 'guess' ? `a guess: ${how}` : `most likely: ${how}`;
}

/** What was asked, as a title. */
export function sessionTitle({ title, project, id }: SessionReport, asked: string | undefined): string {
  return cleanLine(title ?? '') || asked || `Session ${cleanLine(project ?? id)}`;
}
