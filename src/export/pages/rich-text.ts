import { splitsCharacter } from '../../core/index.ts';
import { highlightCode } from '../../core/transcript/highlight-code.ts';
import {
  type FoldLimits,
  MAX_COLOURED,
  MAX_MARKDOWN,
  parseMarkdown,
  type RichElement,
  type RichNode,
  sizeText,
  splitLinks,
} from '../../core/transcript/index.ts';
import { type Content, html, lineItems, type Markup, NOTHING, text } from './document.ts';

/** What somebody said, as Markdown. The end of a long text is folded away, between two of its paragraphs. */
export function renderProse(body: string, rows: FoldLimits): Markup {
  if (body.length > MAX_MARKDOWN) return renderFolded(body, { rows });
  const nodes = parseMarkdown(body);
  const { head, hidden } = foldText(body, { head: rows.head, tail: 0 });
  const shown = hidden === '' || nodes.length < 2 ? nodes.length : countUpTo(nodes, head.length);
  if (shown === nodes.length) return prose(nodes);
  return html`${prose(nodes.slice(0, shown))}${renderHidden(hidden, prose(nodes.slice(shown)))}`;
}

function prose(nodes: readonly RichNode[]): Markup {
  return html`<div class="prose" dir="auto">${renderRich(nodes)}</div>`;
}

/** How many of the blocks make up so many characters; one at least. */
function countUpTo(nodes: readonly RichNode[], characters: number): number {
  let sum = 0;
  const last = nodes.findIndex((node) => {
    sum += lengthOf(node);
    return sum > characters;
  });
  return last === -1 ? nodes.length : Math.max(1, last);
}

function lengthOf(node: RichNode): number {
  return typeof node === 'string' ? node.length : node.children.reduce((sum, child) => sum + lengthOf(child), 2);
}

function renderRich(nodes: readonly RichNode[]): readonly Content[] {
  return nodes.map((node) => (typeof node === 'string' ? text(node) : renderElement(node)));
}

function renderElement({ tag, children, target = '', level = 1, start = 1, language }: RichElement): Markup {
  switch (tag) {
    case 'code-block':
      return renderCode(children.join(''), language);
    case 'picture':
      return html`<span class="ref">[picture: ${children.join('') || target}]</span>`;
    case 'rule':
      return html`<hr>`;
    case 'break':
      return html`<br>`;
  }
  const inner = renderRich(children);
  switch (tag) {
    case 'heading':
      // Not a heading of this page: transcripts hold any order of them.
      return html`<p class="${level <= 2 ? 'hd big' : 'hd'}">${inner}</p>`;
    case 'link':
      return renderWebLink(target, inner);
    case 'reference':
      return html`${inner}${!isSaid(children, target) && html`<span class="ref"> (${target.slice(0, 200)})</span>`}`;
    case 'numbers':
      return html`<ol start="${start}">${inner}</ol>`;
    default:
      return SIMPLE[tag](inner);
  }
}

/** Elements that are no more than a tag around what is in them. */
const SIMPLE = {
  paragraph: (inner: Content) => html`<p>${inner}</p>`,
  strong: (inner: Content) => html`<strong>${inner}</strong>`,
  emphasis: (inner: Content) => html`<em>${inner}</em>`,
  struck: (inner: Content) => html`<s>${inner}</s>`,
  code: (inner: Content) => html`<code>${inner}</code>`,
  bullets: (inner: Content) => html`<ul>${inner}</ul>`,
  item: (inner: Content) => html`<li>${inner}</li>`,
  quote: (inner: Content) => html`<blockquote>${inner}</blockquote>`,
  table: (inner: Content) =>
    html`<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${inner}</table></div>`,
  head: (inner: Content) => html`<thead>${inner}</thead>`,
  body: (inner: Content) => html`<tbody>${inner}</tbody>`,
  row: (inner: Content) => html`<tr>${inner}</tr>`,
  'head-cell': (inner: Content) => html`<th scope="col">${inner}</th>`,
  cell: (inner: Content) => html`<td>${inner}</td>`,
};

function renderCode(code: string, language: string | undefined): Markup {
  const pieces = language !== undefined && code.length <= MAX_COLOURED ? highlightCode(code, language) : undefined;
  const inner = pieces
    ? pieces.map(({ text: one, tone }) =>
        tone === undefined ? text(one) : html`<span class="${`t-${tone}`}">${text(one)}</span>`,
      )
    : text(code);
  return html`<pre class="code">
<code>${inner}</code></pre>`;
}

/** The text itself names where it points. */
function isSaid(children: readonly RichNode[], target: string): boolean {
  return target === '' || plainText(children).includes(target);
}

function plainText(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : plainText(node.children))).join('');
}

/** Text as it is: every line a line, long ones wrapped, the middle of long texts folded away. `hasLinks`: addresses of the web are links. */
export function renderFolded(
  body: string,
  { rows, class: name = '', hasLinks }: { rows: FoldLimits; class?: string; hasLinks?: true },
): Markup {
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

// Long texts of a page without script: their beginning (and end) at once, the rest one click away.

const ROW = 100;
/** Folding must hide more than it takes to say so. */
const SLACK_ROWS = 5;

/** Looks at the shown rows only, however long the text. `hidden` is empty where nothing is folded. */
export function foldText(text: string, { head, tail }: FoldLimits) {
  const whole = { head: text, hidden: '', tail: '' };
  if (advance(text, 0, head + tail + SLACK_ROWS) >= text.length) return whole;
  const upTo = advance(text, 0, head);
  const from = tail === 0 ? text.length : retreat(text, text.length, tail);
  if (from <= upTo) return whole;
  return { head: text.slice(0, upTo), hidden: text.slice(upTo, from), tail: text.slice(from) };
}

function advance(text: string, from: number, rows: number): number {
  let at = from;
  for (let left = rows; left > 0 && at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const taken = Math.max(1, Math.ceil((next - at) / ROW));
    // Of a line without end, as much as there is room for.
    if (taken > left) return wholeCharacter(text, at + left * ROW);
    at = next;
    left -= taken;
  }
  return at;
}

function retreat(text: string, to: number, rows: number): number {
  let at = to;
  for (let left = rows; left > 0 && at > 0; ) {
    const start = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
    const taken = Math.max(1, Math.ceil((at - start) / ROW));
    if (taken > left) return wholeCharacter(text, at - left * ROW);
    at = start;
    left -= taken;
  }
  return at;
}

function wholeCharacter(text: string, at: number): number {
  return splitsCharacter(text, at) ? at - 1 : at;
}
