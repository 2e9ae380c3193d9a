import { plural, type Transcript } from '../../core/index.ts';
import { closeDocument, openDocument } from './document.ts';
import { renderFooter, renderWholeFooter } from './footer.ts';
import { html } from './markup.ts';
import { FIRST, type MessageBefore, renderMessage } from './message.ts';
import { createContext, type PageContext, pageTitle } from './page-context.ts';
import { renderAgentHead, renderChanges, renderCrumbs, renderSessionHead } from './page-head.ts';
import { hrefOfPart, type PagePlan } from './page-plan.ts';
import { renderPartList } from './part-list.ts';
import type { SharedSession } from './shapes.ts';
import { renderTimeline } from './timeline.ts';
import { renderSmallMap, renderWholeMap } from './tree-map.ts';

/** One file. Its text comes in pieces, and is made while they are taken. */
export interface RenderedPage {
  readonly file: string;
  readonly title: string;
  readonly chunks: Iterable<string>;
}

/** The pages of one agent; those of the main agent begin with `index.html`. None where the plan has no place for it. */
export function* renderAgentPages(
  shared: SharedSession,
  plan: PagePlan,
  transcript: Transcript,
): Generator<RenderedPage> {
  const pages = plan.find(transcript.session_id);
  if (!pages) return;
  const context = createContext(shared, plan, pages);
  for (const [part] of pages.files.entries()) {
    const title = pageTitle(context, part);
    yield { file: hrefOfPart(pages, part, 'html'), title, chunks: renderPage(context, transcript, part, title) };
  }
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
  if (pages.outline.messages === 0) yield html`<p class="note">Nothing of it was written down.</p>`.text;
  yield* renderMessages(context, transcript, part);
  yield html`${renderPartList(pages, part, 'Parts, again')}</main>\n${isIndex ? renderWholeFooter(context) : renderFooter()}${closeDocument()}`
    .text;
}

/** The first screen: who did what. */
function renderIndexHead(context: PageContext, transcript: Transcript) {
  const changes = renderChanges(transcript);
  return html`${renderSessionHead(context, transcript)}<nav id="map" class="whole" aria-labelledby="map-head"><h2 id="map-head">Who did what</h2>${renderWholeMap(context)}</nav>${changes && html`<dl class="gist">${changes}</dl>`}`;
}

function renderPartHead(context: PageContext, part: number, title: string) {
  const { pages } = context;
  const crumbs =
    pages.agent.kind === 'main'
      ? html`<nav class="crumbs" aria-label="Who asked whom"><ol><li><a href="index.html">main</a></li><li aria-current="page">part ${part + 1}</li></ol></nav>`
      : renderCrumbs(context);
  return html`<header class="top">${crumbs}<h1 dir="auto">${title}</h1></header>`;
}

function* renderMessages(context: PageContext, { messages }: Transcript, part: number): Generator<string> {
  const { parts, messages: total } = context.pages.outline;
  let before: MessageBefore = FIRST;
  for (let index = parts[part] ?? 0; index < (parts[part + 1] ?? total); index++) {
    const message = messages[index];
    if (message) before = yield* renderMessage(message, index, before, context);
  }
}
