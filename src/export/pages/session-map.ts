import {
  type AgentReport,
  type FlatTranscript,
  formatDuration,
  type LiveSnapshot,
  plural,
  type TimelineReport,
} from '../../core/index.ts';
import { cleanMessage } from '../../core/transcript/index.ts';
import { html, type Markup, NOTHING } from './document.ts';
import {
  amountsOf,
  hueClass,
  nameOf,
  type PageContext,
  reasonOf,
  renderFacts,
  renderStatus,
  typeOf,
  utcText,
  utcTime,
} from './page-context.ts';
import { hrefOfPart, type Outline, type Tick } from './page-plan.ts';

/** Deeper ones are not indented further: a page has an end at the right. */
const DEEPEST = 8;

/** Agents in the order of the tree, and how far each is indented. One whose parent is not there stands at the left. */
export function mapRows(agents: readonly AgentReport[]) {
  const depths = new Map<string, number>();
  return agents.map((agent) => {
    const above = agent.parentId === null ? undefined : depths.get(agent.parentId);
    const depth = above === undefined ? (agent.kind === 'main' ? 0 : 1) : above + 1;
    depths.set(agent.id, depth);
    return { agent, depth };
  });
}

/** Who did what, with outcomes: all of it, for the first screen of the index. */
export function renderWholeMap(context: PageContext): Markup {
  return nest(mapRows(context.shared.agents), 'map', (agent) =>
    renderOutcome(renderName(agent, context), agent, context.plan.find(agent.id)?.outline),
  );
}

/** More agents than this, and other pages show only the neighbours. */
const MOST = 40;

/** Who stands where, for a page of one agent. */
export function renderSmallMap(context: PageContext): Markup {
  const { shared, pages } = context;
  const isLarge = shared.agents.length > MOST;
  const rows = mapRows(isLarge ? neighboursOf(pages.agent, shared.agents) : shared.agents);
  const list = nest(
    rows,
    'map small',
    (agent) => html`${renderName(agent, context)} ${renderStatus(agent, { isShort: true })}`,
  );
  const whole = isLarge && html`<p class="note"><a href="index.html#map">All ${shared.agents.length} agents</a></p>`;
  const summary = html`<summary>Map: ${plural(shared.agents.length, 'agent')}</summary>`;
  return html`<details class="around"${rows.length <= 12 && html` open`}>${summary}${list}${whole}</details>`;
}

/** Its ancestors, its brothers next to it, its children. */
function neighboursOf(own: AgentReport, agents: readonly AgentReport[]): readonly AgentReport[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const kept = new Set<string>([own.id]);
  for (let above = own.parentId; above !== null && !kept.has(above); above = byId.get(above)?.parentId ?? null)
    kept.add(above);
  const siblings = agents.filter(({ parentId }) => parentId === own.parentId);
  const at = siblings.findIndex(({ id }) => id === own.id);
  for (const { id } of siblings.slice(Math.max(0, at - 5), at + 6)) kept.add(id);
  for (const { id } of agents.filter(({ parentId }) => parentId === own.id).slice(0, 12)) kept.add(id);
  return agents.filter(({ id }) => kept.has(id));
}

function renderOutcome(name: Markup, agent: AgentReport, outline: Outline | undefined): Markup {
  const [type, reason, said] = [typeOf(agent), reasonOf(agent), outline?.answered];
  return html`${name} ${type !== '' && type !== nameOf(agent) && html`<span class="type">${type}</span> `}${renderStatus(agent)} <span class="nums">${renderFacts(amountsOf(agent))}</span>${
    agent.kind !== 'main' &&
    outline?.asked !== undefined &&
    outline.asked !== nameOf(agent) &&
    html`<p class="ask">${outline.asked}</p>`
  }${reason !== undefined ? html`<p class="${agent.status === 'failed' ? 'said bad' : 'said'}">${reason}</p>` : said !== undefined && html`<p class="said">${said}</p>`}`;
}

function renderName(agent: AgentReport, { plan, pages }: PageContext): Markup {
  const target = plan.find(agent.id);
  const name = nameOf(agent);
  const current = target === pages && html` aria-current="page"`;
  const link = target
    ? html`<a class="name" href="${hrefOfPart(target, 0, 'html')}"${current}>${name}</a>`
    : html`<span class="name">${name}</span> <span class="note">no page: ${plan.whyNot(agent.id)}</span>`;
  return html`<span class="${hueClass(agent.hue)}">${link}</span>`;
}

/** Who did what for a page that has no others beside it: nothing to click. */
export function renderPlainMap(
  agents: readonly AgentReport[],
  outlineOf: (agent: string) => Outline | undefined,
): Markup {
  return nest(mapRows(agents), 'map', (agent) => {
    const name = html`<span class="${hueClass(agent.hue)}"><span class="name">${nameOf(agent)}</span></span>`;
    return renderOutcome(name, agent, outlineOf(agent.id));
  });
}

/** Rows in the order of a tree become lists in lists. */
function nest(rows: ReturnType<typeof mapRows>, name: string, render: (agent: AgentReport) => Markup): Markup {
  const parts: Markup[] = [];
  let depth = -1;
  for (const { agent, depth: wanted } of rows) {
    const to = Math.min(wanted, depth + 1, DEEPEST);
    if (to > depth) parts.push(depth === -1 ? html`<ul class="${name}">` : html`<ul>`);
    else parts.push(html`</li>`);
    for (; depth > to; depth--) parts.push(html`</ul></li>`);
    depth = to;
    parts.push(html`<li>${render(agent)}`);
  }
  for (; depth >= 0; depth--) parts.push(html`</li></ul>`);
  return html`${parts}`;
}

/** Of a row, in units of its own; the browser stretches it. */
const WIDTH = 1000;
const HEIGHT = 20;
const MOST_ROWS = 60;
const DEEPEST_ROW = 6;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** One row for each agent: bars are runs, ticks are tool calls. */
export function renderTimeline(context: PageContext): Markup {
  const { agents, timeline } = context.shared;
  const span = spanOf(agents);
  if (!span) return NOTHING;
  const callsOf = new Map(timeline?.agents.map(({ id, calls }) => [id, calls]));
  const rows = mapRows(agents).map(({ agent, depth }) =>
    renderRow(agent, depth, callsOf.get(agent.id) ?? [], span, context),
  );
  const hasFailed = timeline?.agents.some(({ calls }) => calls.some(({ outcome }) => outcome === 'error'));
  const [shown, hidden] = [rows.slice(0, MOST_ROWS), rows.slice(MOST_ROWS)];
  const [from, to] = [new Date(span.from).toISOString(), new Date(span.to).toISOString()];
  return html`<section id="when" aria-labelledby="when-head"><h2 id="when-head">When</h2>
<p class="axis"><time datetime="${from}">${utcText(from)} UTC</time><span>${formatDuration(span.to - span.from)}</span><time datetime="${to}">${utcTime(to)}</time></p>
<ul class="rows">${shown}</ul>${
    hidden.length > 0 &&
    html`<details class="more"><summary>${plural(hidden.length, 'agent')} more</summary><ul class="rows">${hidden}</ul></details>`
  }
<p class="note">Bars are the times at work, ticks are tool calls${hasFailed && '; the thick red ones failed'}.</p></section>`;
}

function renderRow(
  agent: AgentReport,
  depth: number,
  calls: readonly Tick[],
  span: Span,
  { plan }: PageContext,
): Markup {
  const name = nameOf(agent);
  const pages = plan.find(agent.id);
  const bars = runsOf(agent).map((run) => {
    const [x, width] = [at(run.from, span), Math.max(3, at(run.to, span) - at(run.from, span))];
    return html`<rect x="${Math.min(x, WIDTH - width)}" y="5" width="${width}" height="10"/>`;
  });
  const failed = calls.filter(({ outcome }) => outcome === 'error');
  const others = calls.filter(({ outcome }) => outcome !== 'error');
  const said = `${runsOf(agent)
    .map(({ from, to }) => `${clock(from)} to ${clock(to)}`)
    .join(', ')}; ${plural(calls.length, 'tool call')}`;
  return html`<li class="${hueClass(agent.hue)}"><span class="${`name d${Math.min(depth, DEEPEST_ROW)}`}">${
    pages ? html`<a href="${hrefOfPart(pages, 0, 'html')}">${name}</a>` : name
  }</span><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${said}">${bars}${ticks(others, 'tick', span)}${ticks(failed, 'tick failed', span)}</svg></li>
`;
}

function ticks(calls: readonly Tick[], name: string, span: Span): Markup | false {
  const places = new Set(calls.flatMap(({ startedAt }) => (startedAt === null ? [] : at(Date.parse(startedAt), span))));
  return places.size > 0 && html`<path class="${name}" d="${[...places].map((x) => `M${x} 2v16`).join('')}"/>`;
}

/** Without an end it is drawn up to its last sign of life. */
function runsOf({ runs, startedAt, lastActivityAt, completedAt }: AgentReport): readonly Span[] {
  const whole = [{ startedAt, endedAt: completedAt }];
  return (runs.length > 0 ? runs : whole).flatMap((run) => {
    const from = Date.parse(run.startedAt ?? startedAt ?? '');
    const to = Date.parse(run.endedAt ?? lastActivityAt ?? '');
    return Number.isNaN(from) ? [] : [{ from, to: Number.isNaN(to) ? from : Math.max(from, to) }];
  });
}

function spanOf(agents: readonly AgentReport[]): Span | undefined {
  const spans = agents.flatMap(runsOf);
  if (spans.length === 0) return undefined;
  return {
    from: spans.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY),
    to: spans.reduce((most, { to }) => Math.max(most, to), Number.NEGATIVE_INFINITY),
  };
}

function at(time: number, { from, to }: Span): number {
  const share = to === from ? 0 : (time - from) / (to - from);
  return Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
}

function clock(time: number): string {
  return utcTime(new Date(time).toISOString());
}

/** What the page of one file is made of: the live page, with a snapshot in the place of a server. */
interface SinglePage {
  readonly session: string;
  readonly title: string;
  readonly snapshot: LiveSnapshot;
  /** By session. */
  readonly timelines: Readonly<Record<string, TimelineReport>>;
  /** One after the other: all of them need not be there at once. */
  readonly transcripts: AsyncIterable<FlatTranscript> | Iterable<FlatTranscript>;
  /** In the order of the tree, for those without script. */
  readonly agents: readonly AgentReport[];
  readonly outlines: readonly Outline[];
}

/** Places in the built page that are filled in here. The build puts them there (`scripts/build-single-page.mjs`). */
const SLOTS = ['<!--troupe:title-->', '<!--troupe:fallback-->', '<!--troupe:data-->'] as const;

/** One file with everything in it: tree, race, replay, transcripts. `template` is the built page. */
export async function* renderSinglePage(template: string, page: SinglePage): AsyncGenerator<string> {
  const [beforeTitle, beforeFallback, beforeData, rest] = cutTemplate(template);
  yield `${beforeTitle}${html`${page.title}`.text}${beforeFallback}${renderFallback(page).text}${beforeData}`;
  const { session, snapshot, timelines } = page;
  yield `{"snapshot":${scriptJson(snapshot)},"timelines":${scriptJson(timelines)},"transcripts":{`;
  let comma = '';
  for await (const { transcript } of page.transcripts) {
    yield `${comma}${scriptJson(`${session} ${transcript.session_id}`)}:{"title":${scriptJson(transcript.title)},"messages":[`;
    for (const [index, message] of transcript.messages.entries())
      yield `${index === 0 ? '' : ','}${scriptJson(cleanMessage(message))}`;
    yield ']}';
    comma = ',';
  }
  yield `}}${rest}`;
}

/** Without script nothing moves: who did what, and what to do. */
function renderFallback({ title, agents, outlines }: SinglePage): Markup {
  const byAgent = new Map(outlines.map((outline) => [outline.agent, outline]));
  return html`<main><h1>${title}</h1><p>The tree, the race and the conversations of this page need JavaScript. Pages that need none are made by <code>troupe export --format html</code>.</p>${renderPlainMap(agents, (agent) => byAgent.get(agent))}</main>`;
}

function cutTemplate(template: string): readonly [string, string, string, string] {
  const pieces: string[] = [];
  let rest = template;
  for (const slot of SLOTS) {
    const at = rest.indexOf(slot);
    if (at === -1) throw new Error(`troupe: the built page has no place ${slot}`);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at + slot.length);
  }
  return [pieces[0] ?? '', pieces[1] ?? '', pieces[2] ?? '', rest];
}

/**
 * JSON that cannot end the script element it stands in, nor begin a comment there: in JSON, `<` only stands in strings,
 * and may be spelled out. So may the two line breaks of Unicode, which some readers take for the end of a line.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
