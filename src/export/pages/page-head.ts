import {
  type AgentReport,
  cleanLine,
  costText,
  formatCount,
  formatDuration,
  plural,
  type Transcript,
} from '../../core/index.ts';
import { renderFacts } from './facts.ts';
import { type Content, html, type Markup } from './markup.ts';
import { ancestorsOf, hueClass, type PageContext } from './page-context.ts';
import { hrefOfCall, hrefOfMessage, hrefOfPart } from './page-plan.ts';
import {
  amountsOf,
  endKnownBy,
  linkDoubt,
  nameOf,
  reasonOf,
  sessionTitle,
  typeOf,
  utcText,
  utcTime,
} from './page-texts.ts';
import { renderStatus } from './status-mark.ts';

/** On top of the index: what was asked, when, with how many, at what cost. */
export function renderSessionHead({ shared, pages }: PageContext, { author }: Transcript): Markup {
  const { session, agents } = shared;
  const title = sessionTitle(session, pages.outline.asked);
  const lasted = lastedOf(session.startedAt, session.lastActivityAt);
  const calls = agents.reduce((sum, { toolCallCount }) => sum + (toolCallCount ?? 0), 0);
  const cost = costText(session.cost);
  const facts: readonly Content[] = [
    renderStatus({ ...session, stalled: false }),
    renderTime(session.startedAt),
    lasted,
    plural(agents.length, 'agent'),
    plural(calls, 'tool call'),
    `${session.usageIsLowerBound ? '≥ ' : ''}${formatCount(session.usage.output)} tokens written`,
    cost !== 'not known' && cost,
  ];
  const place = [cleanLine(session.project ?? ''), cleanLine(session.branch ?? ''), hostText(shared)];
  const by = cleanLine(author?.name ?? author?.email ?? '');
  return html`<header class="top">${shared.overview !== undefined && html`<nav class="crumbs" aria-label="Above"><a href="${`${shared.overview}.html`}">All sessions</a></nav>`}<p class="note">${[...place, by === '' ? '' : `by ${by}`].filter((one) => one !== '').join(' · ')}</p>
<h1 dir="auto">${title}</h1>
<p class="facts">${renderFacts(facts)}</p></header>`;
}

/** On top of an agent's page: the way back, what it was asked by whom, how it ended. */
export function renderAgentHead(context: PageContext, transcript: Transcript): Markup {
  const { agent, outline } = context.pages;
  const type = typeOf(agent);
  const reason = reasonOf(agent);
  const known = endKnownBy(agent);
  return html`<header class="${`top ${hueClass(agent.hue)}`}">${renderCrumbs(context)}
<h1 dir="auto">${nameOf(agent)}${type !== '' && type !== nameOf(agent) && html` <span class="type">${type}</span>`}</h1>
<p class="facts">${renderFacts([renderTime(agent.startedAt), ...amountsOf(agent), agent.model !== null && cleanLine(agent.model)])}</p>
<dl class="gist"><div><dt>Asked</dt><dd>by ${renderAskedBy(context)}${outline.asked !== undefined && html`<p><a href="${hrefOfMessage(context.pages, outline.askedIn, 'html')}" class="quiet">${outline.asked}</a></p>`}</dd></div>
<div><dt>Ended</dt><dd>${renderStatus(agent)}${known !== undefined && html` <span class="note">${known}</span>`}${
    reason !== undefined && html`<p class="bad">${reason}</p>`
  }${outline.answered !== undefined && html`<p><a href="${hrefOfMessage(context.pages, outline.answeredIn, 'html')}" class="quiet">${outline.answered}</a></p>`}</dd></div>${
    agent.runs.length > 1 && html`<div><dt>Runs</dt><dd>${renderRuns(agent)}</dd></div>`
  }${renderChanges(transcript)}</dl>${renderGone(transcript)}</header>`;
}

/** From the main agent down to this one. */
export function renderCrumbs(context: PageContext): Markup {
  const { pages, plan } = context;
  const path = ancestorsOf(context);
  // One whose parent is not known is below the session all the same.
  const first = path[0]?.kind === 'main' ? [] : [html`<li><a href="index.html">main</a></li>`];
  const steps = path.map((agent) => {
    const target = plan.find(agent.id);
    return html`<li class="${hueClass(agent.hue)}">${target ? html`<a href="${hrefOfPart(target, 0, 'html')}">${nameOf(agent)}</a>` : nameOf(agent)}</li>`;
  });
  return html`<nav class="crumbs" aria-label="Who asked whom"><ol>${first}${steps}<li aria-current="page">${nameOf(pages.agent)}</li></ol></nav>`;
}

/** To the very call, where it is known; a guess is called one. */
function renderAskedBy({ pages, plan, agent: find, speakers }: PageContext): Markup {
  const spawn = plan.spawnOf(pages.agent);
  const { parentId } = pages.agent;
  const parent = spawn?.pages.agent ?? (parentId === null ? undefined : find(parentId));
  const doubt = linkDoubt(pages.agent);
  const name = parent ? nameOf(parent) : speakers.parent.name;
  const hue = hueClass(parent?.hue ?? null);
  return html`<span class="${hue}">${spawn ? html`<a href="${hrefOfCall(spawn, 'html')}">${name}</a>` : name}</span>${
    doubt !== undefined && html` <span class="note">? ${doubt}</span>`
  }`;
}

function renderRuns({ runs }: AgentReport): Markup {
  return html`<ol>${runs.map(
    (run) =>
      html`<li>${renderTime(run.startedAt)} – ${utcTime(run.endedAt) || '?'} ${renderStatus({ ...run, waitingOn: null, stalled: false })}${run.reason !== null && html` <span class="note">${cleanLine(run.reason)}</span>`}</li>`,
  )}</ol>`;
}

const MOST_FILES = 50;

/** What its calls changed, file by file. */
export function renderChanges({ diff_stats: stats }: Transcript): Markup | false {
  if (stats === null || stats.files.length === 0) return false;
  const more = stats.files.length - MOST_FILES;
  return html`<div><dt>Changed</dt><dd><details class="more"><summary><span class="plus">+${stats.added}</span> <span class="minus">−${stats.removed}</span> in ${plural(stats.files.length, 'file')}</summary><ul class="files">${stats.files
    .slice(0, MOST_FILES)
    .map(
      ({ path, added, removed }) =>
        html`<li><code>${cleanLine(path)}</code> <span class="plus">+${added ?? '?'}</span> <span class="minus">−${removed ?? '?'}</span></li>`,
    )}${more > 0 && html`<li>${plural(more, 'file')} more</li>`}</ul></details></dd></div>`;
}

function renderGone({ known_from }: Transcript): Markup | false {
  if (known_from === 'transcript') return false;
  const said =
    known_from === 'parent'
      ? 'Its own transcript is gone. What stands here is what the call of its parent holds.'
      : 'Its own transcript is gone, and nothing else tells what it said.';
  return html`<p class="warn">${said}</p>`;
}

export function renderTime(iso: string | null): Content {
  return iso !== null && html`<time datetime="${iso}">${utcText(iso)} UTC</time>`;
}

function lastedOf(from: string | null, to: string | null): string | false {
  return from !== null && to !== null && formatDuration(Date.parse(to) - Date.parse(from));
}

function hostText({ session }: PageContext['shared']): string {
  return cleanLine(`${session.hostTitle} ${session.hostVersion ?? ''}`);
}
