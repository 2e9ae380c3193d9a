import {
  type AgentReport,
  type CostReport,
  cleanLine,
  costText,
  explainChange,
  formatCount,
  formatMark,
  formatStatus,
  outputText,
  PLAIN,
  plural,
  type SessionReport,
  sessionTimeText,
  type Transcript,
  timeText,
  typeText,
} from '../../core/index.ts';
import type { Voice } from '../../core/transcript/index.ts';
import { groupBy } from '../../lib/group.ts';
import { type Content, html, join, type Markup } from './document.ts';
import {
  type AgentPages,
  type PageEnding,
  type PagePlan,
  type SharedSession,
  withoutEnvelope,
  withoutJson,
} from './page-plan.ts';

/** What is known while the pages of one agent are drawn. */
export interface PageContext {
  readonly shared: SharedSession;
  readonly plan: PagePlan;
  readonly pages: AgentPages;
  /** With their colours; the main agent and everybody who is none are neutral. */
  readonly speakers: Readonly<Record<Voice, { readonly name: string; readonly hue: number | null }>>;
  agent(id: string): AgentReport | undefined;
}

function createContext(shared: SharedSession, plan: PagePlan, pages: AgentPages): PageContext {
  const byId = new Map(shared.agents.map((agent) => [agent.id, agent]));
  const { agent } = pages;
  const parent = agent.parentId === null ? undefined : byId.get(agent.parentId);
  return {
    shared,
    plan,
    pages,
    agent: (id) => byId.get(id),
    speakers: {
      person: { name: 'user', hue: null },
      parent: { name: parent ? nameOf(parent) : 'whoever asked', hue: parent?.hue ?? null },
      agent: { name: nameOf(agent), hue: agent.hue },
      host: { name: cleanLine(agent.host === shared.session.host ? shared.session.hostTitle : agent.host), hue: null },
    },
  };
}

/** One file. Its text is made piece by piece, as it is read. */
export interface RenderedPage {
  readonly file: string;
  readonly chunks: Iterable<string>;
}

/** The pages of one agent, those of the main agent beginning with the index. None if the plan has no place for it. */
export function* renderParts(
  shared: SharedSession,
  plan: PagePlan,
  transcript: Transcript,
  ending: PageEnding,
  render: (context: PageContext, transcript: Transcript, part: number, title: string) => Iterable<string>,
): Generator<RenderedPage> {
  const pages = plan.find(transcript.session_id);
  if (!pages) return;
  const context = createContext(shared, plan, pages);
  for (const [part, file] of pages.files.entries())
    yield { file: `${file}.${ending}`, chunks: render(context, transcript, part, pageTitle(context, part)) };
}

/** The class that gives an element an agent's colour. */
export function hueClass(hue: number | null): string {
  return hue === null ? 'h' : `h h${hue % 12}`;
}

/** From the main agent down to the one that asked for this one. */
export function ancestorsOf({ pages, agent: find }: PageContext): readonly AgentReport[] {
  const path: AgentReport[] = [];
  for (let above = pages.agent.parentId; above !== null; ) {
    const parent = find(above);
    // What asks for itself, over however many steps, asks for ever.
    if (!parent || path.includes(parent)) break;
    path.unshift(parent);
    above = parent.parentId;
  }
  return path;
}

/** Of the whole page: what was asked. */
function pageTitle({ shared, plan, pages }: PageContext, part: number): string {
  const main = plan.pages.find(({ agent }) => agent.kind === 'main');
  const session = sessionTitle(shared.session, main?.outline.asked);
  const name = nameAndType(pages.agent);
  const isAlone = plan.pages.every(({ agent }) => agent === pages.agent || nameAndType(agent) !== name);
  // Tabs and bookmarks have nothing else to tell pages apart.
  const whole = shared.overview === undefined ? session : `${session} · ${cleanLine(shared.session.id).slice(0, 8)}`;
  const own = pages === main ? whole : `${isAlone ? name : `${name} ${cleanLine(pages.agent.id)}`} · ${whole}`;
  return pages.files.length < 2 ? own : `${own} (part ${part + 1} of ${pages.files.length})`;
}

export function nameOf({ kind, label, id }: AgentReport): string {
  return kind === 'main' ? 'main' : cleanLine(withoutJson(withoutEnvelope(label))) || cleanLine(id);
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
export function statusTexts(agent: Standing): readonly [string, string] {
  return [
    formatMark(agent.status, agent.stalled, PLAIN),
    agent.status === 'unknown' ? 'end not known' : formatStatus(agent),
  ];
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
    agent.usage === null || isHardlyCounted(agent) ? '' : `${writtenText(agent)}${copiedText(agent)}`,
    costText(agent.cost).startsWith('no price') || isHardlyCounted(agent) ? '' : knownCost(agent.cost),
  ].filter((one) => one !== '');
}

/** To call a tool takes more tokens than these: fewer were never counted (Claude Code 2.0.76 to 2.1.5x notes 1 to 3 for each reply). */
const LEAST_FOR_CALL = 25;

type Written = Pick<AgentReport, 'usage' | 'usageIsLowerBound' | 'toolCallCount'>;

export function isHardlyCounted({ usage, usageIsLowerBound, toolCallCount }: Written): boolean {
  return usageIsLowerBound && usage !== null && usage.output < LEAST_FOR_CALL * Math.max(1, toolCallCount ?? 0);
}

function writtenText(agent: Written): string {
  return isHardlyCounted(agent) ? 'tokens not fully recorded' : `${outputText(agent)} tokens written`;
}

/** Of an agent in a fork: the cost beside it is without these. */
function copiedText({ inheritedUsage }: AgentReport): string {
  return inheritedUsage === null || inheritedUsage.output === 0
    ? ''
    : ` (${formatCount(inheritedUsage.output)} copied)`;
}

/** The same of a whole session. */
export function sessionAmounts(session: SessionReport): readonly string[] {
  const lasted = sessionTimeText({ ...session, running: 0 }, 0);
  return [
    lasted === '–' ? '' : lasted,
    plural(session.agents, 'agent'),
    session.toolCallCount === null ? '' : plural(session.toolCallCount, 'tool call'),
    writtenText(session),
    knownCost(session.cost),
  ].filter((one) => one !== '');
}

/** Empty where nothing of it is known. */
function knownCost(cost: CostReport | null): string {
  const said = costText(cost);
  return said === 'not known' ? '' : said;
}

/** Why it failed or was stopped, in its host's words. Why an end is not known is said once, in `notKnownTexts`. */
export function reasonOf({ status, runs }: AgentReport): string | undefined {
  const reason = status === 'completed' || status === 'unknown' ? null : (runs.at(-1)?.reason ?? null);
  return reason === null ? undefined : cleanLine(reason);
}

/** What the session does not hold, each thing once for all agents. */
export function notKnownTexts({ session, agents }: SharedSession): readonly string[] {
  const texts: string[] = [];
  const ends = groupBy(
    agents.filter(({ status }) => status === 'unknown'),
    ({ runs }) => cleanLine(runs.at(-1)?.reason ?? ''),
  );
  for (const [reason, lost] of ends) {
    const why = reason === '' || /not recorded/.test(reason) ? '' : `: ${reason}`;
    texts.push(`How ${someOf(lost, agents)} ended is not recorded${why}.`);
  }
  const links = groupBy(
    agents.filter((agent) => linkDoubt(agent) !== undefined),
    (agent) => linkDoubt(agent) ?? '',
  );
  for (const [doubt, guessed] of links)
    texts.push(
      `Who asked for ${someOf(guessed, agents)} is not recorded${doubt === UNASKED ? '' : `; ${doubt.replace(/^most likely:/, 'the most likely one is shown:').replace(/^a guess:/, 'the one shown is a guess:')}`}.`,
    );
  if (agents.some(isHardlyCounted) || isHardlyCounted(session))
    texts.push('The program did not record all tokens, so the costs are higher than shown.');
  else if (session.usageIsLowerBound) texts.push('≥ means “at least”: not every reply was recorded to its end.');
  return texts;
}

function someOf(some: readonly AgentReport[], all: readonly AgentReport[]): string {
  if (some.length === all.length && all.length > 2) return `all ${all.length} agents`;
  const names = some.slice(0, 3).map(nameOf);
  const more = some.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ');
}

const UNASKED = 'who asked for it is not known';

/** How its end is known. */
export function endKnownBy({ runs }: AgentReport): string | undefined {
  const last = runs.at(-1);
  return last && explainChange(last).how;
}

/** Exact links need no word; everything weaker says so. */
export function linkDoubt({ evidence, kind }: AgentReport): string | undefined {
  if (kind === 'main' || evidence === null || evidence.rank === 'exact') return undefined;
  if (evidence.rank === 'none') return UNASKED;
  const how = cleanLine(evidence.text);
  return evidence.rank === 'guess' ? `a guess: ${how}` : `most likely: ${how}`;
}

/** What was asked, as a title. */
export function sessionTitle({ title, project, id }: SessionReport, asked: string | undefined): string {
  return cleanLine(withoutJson(withoutEnvelope(title ?? ''))) || asked || `Session ${cleanLine(project ?? id)}`;
}

/** Side by side; none is broken in two. */
export function renderFacts(facts: readonly Content[]): Content {
  return join(
    facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`),
    ' · ',
  );
}

type Standing = Pick<AgentReport, 'status' | 'waitingOn' | 'stalled'>;

/** Shape and word first, colour last. `isShort`: the shape alone, where there is no room; its word is for those who do not see it. */
export function renderStatus(agent: Standing, { isShort = false } = {}): Markup {
  const [mark, word] = statusTexts(agent);
  const said = isShort ? html`<span class="hide">${word}</span>` : html` ${word}`;
  return html`<span class="${`st st-${agent.stalled ? 'stalled' : agent.status}`}"><span aria-hidden="true">${mark}</span>${said}</span>`;
}
