import type { NoticeBlock, TranscriptMessage } from '../../core/index.ts';
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
import { renderCall, renderMedia, renderOutput, renderSpawnCall } from './call.ts';
import { html, type Markup } from './markup.ts';
import { hueClass, nameOf, type PageContext, utcTime } from './page-context.ts';
import { hrefOfPart, messageAnchor, partAnchor } from './page-plan.ts';
import { renderFolded, renderProse } from './rich-text.ts';

/** What the message before it leaves open: its voice goes on, its day still is. */
export interface MessageBefore {
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
