import type { AgentReport } from '../../core/index.ts';
import { html, type Markup } from './markup.ts';
import { statusTexts } from './page-texts.ts';

type Standing = Pick<AgentReport, 'status' | 'waitingOn' | 'stalled'>;

/** Shape and word first, colour last. */
export function renderStatus(agent: Standing): Markup {
  const [mark, word] = statusTexts(agent);
  return html`<span class="${classOf(agent)}"><span aria-hidden="true">${mark}</span> ${word}</span>`;
}

/** The shape alone, where there is no room: its word is for those who do not see it. */
export function renderMark(agent: Standing): Markup {
  const [mark, word] = statusTexts(agent);
  return html`<span class="${classOf(agent)}"><span aria-hidden="true">${mark}</span><span class="hide">${word}</span></span>`;
}

function classOf({ status, stalled }: Standing): string {
  return `st st-${stalled ? 'stalled' : status}`;
}
