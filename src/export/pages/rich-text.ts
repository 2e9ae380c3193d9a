import { highlightCode } from '../../core/transcript/highlight-code.ts';
import {
  MAX_COLOURED,
  MAX_MARKDOWN,
  parseMarkdown,
  type RichElement,
  type RichNode,
  sizeText,
} from '../../core/transcript/index.ts';
import { type FoldRows, foldText } from './fold-text.ts';
import { renderFolded, renderWebLink } from './folded.ts';
import { type Content, html, type Markup, text } from './markup.ts';

/** What somebody said, as Markdown. The end of a long text is folded away, between two of its paragraphs. */
export function renderProse(body: string, rows: FoldRows): Markup {
  if (body.length > MAX_MARKDOWN) return renderFolded(body, { rows });
  const nodes = parseMarkdown(body);
  const { head, hidden } = foldText(body, { head: rows.head, tail: 0 });
  if (hidden === '' || nodes.length < 2) return prose(nodes);
  const shown = countUpTo(nodes, head.length);
  const rest = nodes.slice(shown);
  if (rest.length === 0) return prose(nodes);
  return html`${prose(nodes.slice(0, shown))}<details class="more"><summary>${sizeText(hidden)} more</summary>${prose(rest)}</details>`;
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
    case 'paragraph':
      return html`<p>${inner}</p>`;
    case 'heading':
      // Not a heading of this page: transcripts hold any order of them.
      return html`<p class="${level <= 2 ? 'hd big' : 'hd'}">${inner}</p>`;
    case 'strong':
      return html`<strong>${inner}</strong>`;
    case 'emphasis':
      return html`<em>${inner}</em>`;
    case 'struck':
      return html`<s>${inner}</s>`;
    case 'code':
      return html`<code>${inner}</code>`;
    case 'link':
      return renderWebLink(target, inner);
    case 'reference':
      return html`${inner}${!isSaid(children, target) && html`<span class="ref"> (${target.slice(0, 200)})</span>`}`;
    case 'bullets':
      return html`<ul>${inner}</ul>`;
    case 'numbers':
      return html`<ol start="${start}">${inner}</ol>`;
    case 'item':
      return html`<li>${inner}</li>`;
    case 'quote':
      return html`<blockquote>${inner}</blockquote>`;
    case 'table':
      return html`<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${inner}</table></div>`;
    case 'head':
      return html`<thead>${inner}</thead>`;
    case 'body':
      return html`<tbody>${inner}</tbody>`;
    case 'row':
      return html`<tr>${inner}</tr>`;
    case 'head-cell':
      return html`<th scope="col">${inner}</th>`;
    case 'cell':
      return html`<td>${inner}</td>`;
  }
}

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
