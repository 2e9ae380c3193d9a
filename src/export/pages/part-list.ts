import { type Content, html, type Markup } from './markup.ts';
import { type AgentPages, hrefOfPart } from './page-plan.ts';

/** So many on both sides of the one that is read; the others are reached step by step. */
const AROUND = 3;

/** Parts worth a link: the first, the last, and those around. */
export function partsAround(part: number, total: number): readonly number[] {
  const isNear = (at: number): boolean => at === 0 || at === total - 1 || Math.abs(at - part) <= AROUND;
  return Array.from({ length: total }, (_one, at) => at).filter(isNear);
}

/** The way through a conversation that was too long for one page. */
export function renderPartList(pages: AgentPages, part: number, label: string): Markup | false {
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
