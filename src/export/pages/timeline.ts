import { type AgentReport, formatDuration, plural } from '../../core/index.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { hueClass, type PageContext } from './page-context.ts';
import { hrefOfPart } from './page-plan.ts';
import { nameOf, utcText, utcTime } from './page-texts.ts';
import type { Tick } from './shapes.ts';
import { mapRows } from './tree-map.ts';

/** Of a row, in units of its own; the browser stretches it. */
const WIDTH = 1000;
const HEIGHT = 20;
const MOST_ROWS = 60;
const DEEPEST = 6;

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
  return html`<li class="${hueClass(agent.hue)}"><span class="${`name d${Math.min(depth, DEEPEST)}`}">${
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
