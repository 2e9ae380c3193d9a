import {
  type AgentReport,
  cleanLine,
  type NoticeBlock,
  originTexts,
  plural,
  type Transcript,
  type TranscriptMessage,
} from '../../core/index.ts';
import {
  cleanMessage,
  isProse,
  type MessagePart,
  partsOf,
  sizeText,
  titleOf,
  type Voice,
  voiceOf,
} from '../../core/transcript/index.ts';
import { groupBy } from '../../lib/group.ts';
import { renderCall, renderMedia, renderOutput, renderSpawnCall } from './call.ts';
import { type Content, DOCUMENT_END, html, type Markup, openDocument } from './document.ts';
import {
  amountsOf,
  ancestorsOf,
  endKnownBy,
  hueClass,
  linkDoubt,
  nameOf,
  notKnownTexts,
  type PageContext,
  type RenderedPage,
  reasonOf,
  renderFacts,
  renderParts,
  renderStatus,
  sessionAmounts,
  sessionTitle,
  typeOf,
  utcText,
  utcTime,
} from './page-context.ts';
import {
  type AgentPages,
  type Counted,
  hrefOfCall,
  hrefOfMessage,
  hrefOfPart,
  messageAnchor,
  type PagePlan,
  partAnchor,
  type SharedSession,
} from './page-plan.ts';
import { renderFolded, renderProse } from './rich-text.ts';
import { renderSmallMap, renderTimeline, renderWholeMap } from './session-map.ts';

/** `index.html` and `agent-<id>.html`. */
export function renderAgentPages(
  shared: SharedSession,
  plan: PagePlan,
  transcript: Transcript,
): Generator<RenderedPage> {
  return renderParts(shared, plan, transcript, 'html', renderPage);
}

function* renderPage(context: PageContext, transcript: Transcript, part: number, title: string): Generator<string> {
  const { pages } = context;
  const isMain = pages.agent.kind === 'main';
  yield openDocument(title).text;
  if (part > 0) yield renderPartHead(context, part, title).text;
  else yield (isMain ? renderIndexHead(context, transcript) : renderAgentHead(context, transcript)).text;
  const isIndex = isMain && part === 0;
  if (!isIndex)
    yield html`<nav class="side" aria-label="Agents of the session">${renderSmallMap(context)}</nav>\n`.text;
  yield html`<main id="content">${isIndex && renderTimeline(context)}
<h2>${isMain ? 'Conversation of main' : 'Its conversation'} <span class="note">${plural(pages.outline.messages, 'message')}</span></h2>
${renderPartList(pages, part, 'Parts')}`.text;
  if (pages.outline.messages === 0) yield html`<p class="note">No message of it is recorded.</p>`.text;
  yield* renderMessages(context, transcript, part);
  yield html`${renderPartList(pages, part, 'Parts, again')}</main>\n${isIndex ? renderWholeFooter(context) : renderFooter()}${DOCUMENT_END}`
    .text;
}

/** The first screen: who did what. */
function renderIndexHead(context: PageContext, transcript: Transcript) {
  const changes = renderChanges(transcript);
  return html`${renderSessionHead(context, transcript)}<nav id="map" class="whole" aria-labelledby="map-head"><h2 id="map-head">Who did what</h2>${renderWholeMap(context)}</nav>${changes && html`<dl class="gist">${changes}</dl>`}${renderNotKnown(context)}`;
}

function renderNotKnown({ shared }: PageContext): Markup | false {
  const texts = notKnownTexts(shared);
  return (
    texts.length > 0 &&
    html`<section id="not-known" class="note" aria-labelledby="not-known-head"><h2 id="not-known-head">Not recorded</h2><ul>${texts.map((one) => html`<li>${one}</li>`)}</ul></section>`
  );
}

function renderPartHead(context: PageContext, part: number, title: string) {
  const crumbs = renderCrumbs(context, context.pages.agent.kind === 'main' ? `part ${part + 1}` : undefined);
  return html`<header class="top">${crumbs}<h1 dir="auto">${title}</h1></header>`;
}

function* renderMessages(context: PageContext, { messages }: Transcript, part: number): Generator<string> {
  const { parts, messages: total } = context.pages.outline;
  let before: MessageBefore | undefined;
  for (let index = parts[part] ?? 0; index < (parts[part + 1] ?? total); index++) {
    const message = messages[index];
    if (message) before = yield* renderMessage(message, index, before, context);
  }
}

/** On top of the index: what was asked, when, with how many, at what cost. */
function renderSessionHead({ shared, pages }: PageContext, { author }: Transcript): Markup {
  const { session } = shared;
  const title = sessionTitle(session, pages.outline.asked);
  const facts: readonly Content[] = [
    renderStatus({ ...session, stalled: false }),
    renderTime(session.startedAt),
    ...sessionAmounts(session),
    ...originTexts(session),
  ];
  const place = [cleanLine(session.project ?? ''), cleanLine(session.branch ?? '')];
  const host = cleanLine(`${session.hostTitle} ${session.hostVersion ?? ''}`);
  const by = cleanLine(author?.name ?? author?.email ?? '');
  return html`<header class="top">${shared.overview !== undefined && html`<nav class="crumbs" aria-label="Above"><a href="${`${shared.overview}.html`}">All sessions</a></nav>`}<p class="note">${[...place, host, by === '' ? '' : `by ${by}`].filter((one) => one !== '').join(' · ')}</p>
<h1 dir="auto">${title}</h1>
<p class="facts">${renderFacts(facts)}</p></header>`;
}

/** On top of an agent's page: the way back, what it was asked by whom, how it ended. */
function renderAgentHead(context: PageContext, transcript: Transcript): Markup {
  const { agent, outline } = context.pages;
  const type = typeOf(agent);
  const reason = reasonOf(agent);
  const known = endKnownBy(agent);
  return html`<header class="${`top ${hueClass(agent.hue)}`}">${renderCrumbs(context)}
<h1 dir="auto">${nameOf(agent)}${type !== '' && type !== nameOf(agent) && html` <span class="type">${type}</span>`}</h1>
<p class="facts">${renderFacts([renderTime(agent.startedAt), ...amountsOf(agent), agent.model !== null && cleanLine(agent.model)])}</p>
<dl class="gist"><div><dt>Asked</dt><dd>by ${renderAskedBy(context)}${outline.asked !== undefined && html`<p><a href="${hrefOfMessage(context.pages, outline.askedIn, 'html')}" class="quiet">${outline.asked}</a></p>`}</dd></div>
<div><dt>Ended</dt><dd>${renderStatus(agent)}${
    agent.status === 'unknown'
      ? html` <a class="note" href="index.html#not-known">why</a>`
      : known !== undefined && html` <span class="note">${known}</span>`
  }${reason !== undefined && html`<p${agent.status === 'failed' && html` class="bad"`}>${reason}</p>`}${outline.answered !== undefined && html`<p><a href="${hrefOfMessage(context.pages, outline.answeredIn, 'html')}" class="quiet">${outline.answered}</a></p>`}</dd></div>${
    agent.runs.length > 1 && html`<div><dt>Runs</dt><dd>${renderRuns(agent)}</dd></div>`
  }${renderChanges(transcript)}</dl>${renderGone(transcript)}</header>`;
}

/** From the main agent down to this one. */
function renderCrumbs(context: PageContext, here = nameOf(context.pages.agent)): Markup {
  const path = ancestorsOf(context);
  // One whose parent is not known is below the session all the same.
  const first = path[0]?.kind === 'main' ? [] : [html`<li><a href="index.html">main</a></li>`];
  const steps = path.map((agent) => {
    const target = context.plan.find(agent.id);
    return html`<li class="${hueClass(agent.hue)}">${target ? html`<a href="${hrefOfPart(target, 0, 'html')}">${nameOf(agent)}</a>` : nameOf(agent)}</li>`;
  });
  return html`<nav class="crumbs" aria-label="Who asked whom"><ol>${first}${steps}<li aria-current="page">${here}</li></ol></nav>`;
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
    doubt !== undefined && html` <a class="note" href="index.html#not-known">not for certain</a>`
  }`;
}

function renderRuns({ runs }: AgentReport): Markup {
  return html`<ol>${runs.map(
    (run) =>
      html`<li>${renderTime(run.startedAt)} – ${utcTime(run.endedAt) || '?'} ${renderStatus({ ...run, waitingOn: null, stalled: false })}${run.reason !== null && run.status !== 'unknown' && html` <span class="note">${cleanLine(run.reason)}</span>`}</li>`,
  )}</ol>`;
}

const MOST_FILES = 50;

/** What its calls changed, file by file. */
function renderChanges({ diff_stats: stats }: Transcript): Markup | false {
  if (stats === null || stats.files.length === 0) return false;
  const more = stats.files.length - MOST_FILES;
  return html`<div><dt>Changed</dt><dd><details class="more"><summary>${renderAmount(stats, ' in ')}${plural(stats.files.length, 'file')}</summary><ul class="files">${stats.files
    .slice(0, MOST_FILES)
    .map(
      (file) => html`<li><code>${cleanLine(file.path)}</code> ${renderAmount(file)}</li>`,
    )}${more > 0 && html`<li>${plural(more, 'file')} more</li>`}</ul></details></dd></div>`;
}

/** Nothing if no lines were counted. */
function renderAmount(
  { added, removed }: { readonly added: number | null; readonly removed: number | null },
  after = '',
): Markup | false {
  if (!added && !removed) return false;
  return html`<span class="plus">+${added ?? '?'}</span> <span class="minus">−${removed ?? '?'}</span>${after}`;
}

function renderGone({ known_from }: Transcript): Markup | false {
  if (known_from === 'transcript') return false;
  const said =
    known_from === 'parent'
      ? 'Its own transcript is gone. This page shows what the call of its parent holds.'
      : 'Its own transcript is gone, and what it said is not recorded anywhere else.';
  return html`<p class="note">${said}</p>`;
}

export function renderTime(iso: string | null): Content {
  return iso !== null && html`<time datetime="${iso}">${utcText(iso)} UTC</time>`;
}

export const MADE_BY = html`<p>Made by troupe. Times are UTC.</p>`;

/** What a reader has to know of how the pages were made: what is not here, and what is not as it was. */
function renderWholeFooter({ shared }: PageContext): Markup {
  return html`<footer><h2>About these pages</h2><ul>${handlingTexts(shared).map((one) => html`<li>${one}</li>`)}</ul>${
    shared.skipped.length > 0 &&
    html`<details class="more"><summary>${plural(shared.skipped.length, 'agent')} without a page</summary><ul>${shared.skipped.map(
      ({ agent_id, reason }) => html`<li><code>${cleanLine(agent_id)}</code> ${reason}</li>`,
    )}</ul></details>`
  }${MADE_BY}</footer>`;
}

function renderFooter(): Markup {
  return html`<footer><p><a href="index.html">Back to the session</a></p>${MADE_BY}</footer>`;
}

export function handlingTexts({ session, handling, skipped }: SharedSession): readonly string[] {
  const { redacted, shortened, leftOut } = handling;
  return [
    redacted === undefined
      ? 'Nothing was redacted: secrets that were in the session are in these pages.'
      : redacted.length === 0
        ? 'Looked for secrets: none found.'
        : `Redacted: ${countsText(redacted)}.`,
    ...(shortened === undefined ? [] : [`Shortened: ${countsText(shortened) || 'nothing'}.`]),
    skipped.length === 0 ? 'No agent was left out.' : `Without a page: ${countsText(byReason(skipped))}.`,
    ...(leftOut.length === 0 ? [] : [`Left out, because this version does not know them: ${countsText(leftOut)}.`]),
    ...(session.problems === 0 ? [] : [`${plural(session.problems, 'problem')} while reading the session.`]),
  ];
}

function countsText(counts: readonly Counted[]): string {
  return counts.map(({ what, count }) => `${count} × ${cleanLine(what)}`).join(', ');
}

function byReason(skipped: SharedSession['skipped']): readonly Counted[] {
  return [...groupBy(skipped, ({ reason }) => reason.replace(/\.$/, ''))].map(([what, { length: count }]) => ({
    what,
    count,
  }));
}

/** So many on both sides of the one that is read; the others are reached step by step. */
const AROUND = 3;

/** Parts worth a link: the first, the last, and those around. */
export function partsAround(part: number, total: number): readonly number[] {
  const isNear = (at: number): boolean => at === 0 || at === total - 1 || Math.abs(at - part) <= AROUND;
  return Array.from({ length: total }, (_one, at) => at).filter(isNear);
}

/** The way through a conversation that was too long for one page. */
function renderPartList(pages: AgentPages, part: number, label: string): Markup | false {
  const { files } = pages;
  if (files.length < 2) return false;
  const step = (at: number, rel: string, said: Content): Markup | false =>
    at >= 0 && at < files.length && html`<a rel="${rel}" href="${hrefOfPart(pages, at, 'html')}">${said}</a> `;
  const items = partsAround(part, files.length).map((at, index, all) => {
    const gap = index > 0 && all[index - 1] !== at - 1 && html`<li>…</li> `;
    const range = rangeOf(pages, at);
    return at === part
      ? html`${gap}<li><b aria-current="page">${range}</b></li> `
      : html`${gap}<li><a href="${hrefOfPart(pages, at, 'html')}" aria-label="${`Messages ${range}`}">${range}</a></li> `;
  });
  return html`<nav class="parts" aria-label="${label}">${step(part - 1, 'prev', html`<span aria-hidden="true">← </span>previous`)}<ol>${items}</ol>${step(part + 1, 'next', html`next<span aria-hidden="true"> →</span>`)}</nav>`;
}

function rangeOf({ outline }: AgentPages, part: number): string {
  const first = (outline.parts[part] ?? 0) + 1;
  const last = outline.parts[part + 1] ?? outline.messages;
  return first === last ? `${first}` : `${first}–${last}`;
}

/** What the message before it leaves open: its voice goes on, its day still is. */
interface MessageBefore {
  readonly voice: Voice | undefined;
  readonly day: string | undefined;
}

/** In pieces: a message may hold megabytes. Returns what the next one has to know. */
export function* renderMessage(
  given: TranscriptMessage,
  index: number,
  before: MessageBefore | undefined,
  context: PageContext,
): Generator<string, MessageBefore> {
  const message = cleanMessage(given);
  const voice = voiceOf(message, context.pages.agent.kind !== 'main');
  const iso = message.timestamp === null ? undefined : isoOf(message.timestamp);
  const day = iso === undefined ? before?.day : iso.slice(0, 10);
  const { name, hue } = context.speakers[voice];
  const goesOn = before?.voice === voice && before?.day === day;
  const anchor = messageAnchor(index);
  const classes = `${voice} ${hueClass(hue)}${goesOn ? ' on' : ''}`;
  const otherModel = voice === 'agent' && message.model !== context.pages.agent.model ? message.model : null;
  yield html`${before?.day !== day && day !== undefined && html`<p class="day">${day}</p>\n`}<article class="${classes}" id="${anchor}" aria-label="${`${name}, message ${index + 1}`}"><p class="who">${
    !goesOn && html`<b>${name}</b> `
  }${otherModel !== null && html`<span class="note">${otherModel}</span> `}${
    iso !== undefined && html`<time datetime="${iso}">${utcTime(iso)}</time> `
  }<a class="perma" href="${`#${anchor}`}" aria-label="${`Link to message ${index + 1}`}">#${index + 1}</a></p>\n`.text;
  for (const [part, one] of partsOf(message).entries())
    yield renderPart(one, voice, partAnchor({ message: index, part }), context).text;
  yield '</article>\n';
  return { voice, day };
}

/** Times of transcripts are anybody's: only what is one becomes one. */
function isoOf(timestamp: string): string | undefined {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

const PROSE: Readonly<Record<Voice, number>> = { person: 60, parent: 60, agent: 160, host: 24 };

function renderPart(part: MessagePart, voice: Voice, anchor: string, context: PageContext): Markup {
  switch (part.kind) {
    case 'text':
      return renderProse(part.text, { head: PROSE[voice], tail: 0 });
    case 'thinking':
      return html`<details class="thinking"><summary><b>thinking</b> <span class="about">${part.text.trim().slice(0, 160)}</span> <span class="size">${sizeText(part.text)}</span></summary>${renderFolded(part.text.trim(), { rows: { head: 400, tail: 0 } })}</details>`;
    case 'call':
      return part.call.refs.length > 0 ? renderSpawnCall(part, anchor, context) : renderCall(part, anchor);
    case 'result':
      return renderOutput(part.result.text, part.result.isError ? 'bad' : '');
    case 'notice':
      return renderNotice(part.notice, context);
    case 'summary':
      return html`<p class="notice">Continued after compaction</p>${renderAside(part.text)}`;
    case 'media':
      return renderMedia(part.media);
  }
}

/** The program speaks: in a line what it is, and what it hands over. */
function renderNotice(notice: NoticeBlock, { plan, agent: find }: PageContext): Markup {
  const body = notice.text.trim();
  const about = notice.agent_id === null ? undefined : plan.find(notice.agent_id);
  const agent = about && find(about.agent.id);
  return html`<p class="notice">${titleOf(notice)}${
    about && agent && html` <a href="${hrefOfPart(about, 0, 'html')}">${nameOf(agent)}</a>`
  }</p>${body !== '' && (isProse(notice) ? renderProse(body, { head: 24, tail: 0 }) : renderAside(body))}`;
}

function renderAside(body: string): Markup {
  return html`<details class="more"><summary>${sizeText(body)}</summary>${renderFolded(body, { rows: { head: 400, tail: 0 }, class: 'aside' })}</details>`;
}
