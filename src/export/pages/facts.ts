import { type Content, html, join } from './markup.ts';

/** Side by side; none is broken in two. */
export function renderFacts(facts: readonly Content[]): Content {
  return join(
    facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`),
    ' · ',
  );
}
