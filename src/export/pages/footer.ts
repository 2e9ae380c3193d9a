import { cleanLine, plural } from '../../core/index.ts';
import { html, type Markup } from './markup.ts';
import type { PageContext } from './page-context.ts';
import type { Counted, SharedSession } from './shapes.ts';

const MADE_BY = html`<p>Made by troupe. Times are UTC.</p>`;

/** What a reader has to know of how the pages were made: what is not here, and what is not as it was. */
export function renderWholeFooter({ shared }: PageContext): Markup {
  return html`<footer><h2>About these pages</h2><ul>${handlingTexts(shared).map((one) => html`<li>${one}</li>`)}</ul>${
    shared.skipped.length > 0 &&
    html`<details class="more"><summary>${plural(shared.skipped.length, 'agent')} without a page</summary><ul>${shared.skipped.map(
      ({ agent_id, reason }) => html`<li><code>${cleanLine(agent_id)}</code> ${reason}</li>`,
    )}</ul></details>`
  }${MADE_BY}</footer>`;
}

export function renderFooter(): Markup {
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
  const counts = new Map<string, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([what, count]) => ({ what, count }));
}
