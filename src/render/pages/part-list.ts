import { html, type Markup } from './markup.ts';
import { type AgentPages, hrefOfPart } from './page-plan.ts';

/** The way through a conversation that was too long for one page. */
export function renderPartList(pages: AgentPages, part: number, label: string): Markup | false {
  const { files, outline } = pages;
  if (files.length < 2) return false;
  const range = (at: number): string => {
    const first = (outline.parts[at] ?? 0) + 1;
    const last = outline.parts[at + 1] ?? outline.messages;
    return first === last ? `${first}` : `${first}–${last}`;
  };
  const step = (at: number, rel: string, said: string): Markup | false =>
    at >= 0 && at < files.length && html`<a rel="${rel}" href="${hrefOfPart(pages, at, 'html')}">${said}</a> `;
  return html`<nav class="parts" aria-label="${label}">${step(part - 1, 'prev', '← previous part')}<ol>${files.map(
    (_file, at) =>
      at === part
        ? html`<li><b aria-current="page">${range(at)}</b></li> `
        : html`<li><a href="${hrefOfPart(pages, at, 'html')}" aria-label="${`Messages ${range(at)}`}">${range(at)}</a></li> `,
  )}</ol>${step(part + 1, 'next', 'next part →')}</nav>`;
}
