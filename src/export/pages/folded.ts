import { sizeText, splitLinks } from '../../core/transcript/index.ts';
import { type FoldRows, foldText } from './fold-text.ts';
import { type Content, html, lineItems, type Markup, NOTHING, text } from './markup.ts';

interface FoldedOptions {
  readonly rows: FoldRows;
  readonly class?: string;
  /** Addresses of the web are links. */
  readonly hasLinks?: boolean;
}

/** Text as it is: every line a line, long ones wrapped, the middle of long texts folded away. */
export function renderFolded(body: string, { rows, class: name = '', hasLinks = false }: FoldedOptions): Markup {
  const { head, hidden, tail } = foldText(withoutLastBreaks(body), rows);
  // The first line break behind the tag belongs to the tag.
  const piece = (one: string): Markup => html`<pre class="${name === '' ? 'text' : `text ${name}`}">
${hasLinks ? linked(withoutLastBreaks(one)) : text(withoutLastBreaks(one))}</pre>`;
  return html`${piece(head)}${hidden !== '' && renderHidden(hidden, piece(hidden))}${tail !== '' && piece(tail)}`;
}

function renderHidden(hidden: string, body: Content): Markup {
  return html`<details class="more"><summary>${sizeText(hidden)} more</summary>${body}</details>`;
}

/** By hand: a pattern that looks for the end tries at every line break of the text. */
function withoutLastBreaks(body: string): string {
  let end = body.length;
  while (end > 0 && body.charCodeAt(end - 1) === 10) end--;
  return end === body.length ? body : body.slice(0, end);
}

function linked(body: string): Content {
  return splitLinks(body).map(({ text: one, href }) => (href === undefined ? text(one) : renderWebLink(href, one)));
}

const FILE_ROWS = { head: 40, tail: 0 };

/** Lines behind their numbers, as a list that begins at the first. */
export function renderNumbered(body: string, first: number): Markup {
  if (body === '') return NOTHING;
  const { head, hidden } = foldText(body, FILE_ROWS);
  // Cut inside a line that never ends: what is shown and what is hidden are the same line.
  if (hidden === '' || !head.endsWith('\n')) return numbered(body, first);
  const shown = numbered(head, first);
  return html`${shown}${renderHidden(hidden, numbered(hidden, first + countBreaks(head)))}`;
}

function numbered(body: string, first: number): Markup {
  return html`<ol class="lines" start="${first}">${lineItems(body.endsWith('\n') ? body.slice(0, -1) : body)}</ol>`;
}

const countBreaks = (body: string): number => body.split('\n').length - 1;

/** Opens only when somebody clicks it, and the other side learns nothing of this page. */
export function renderWebLink(target: string, inner: Content): Markup {
  return html`<a href="${target}" rel="noreferrer noopener">${inner}</a>`;
}
