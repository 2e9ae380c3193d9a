// `troupe export`: HTML with a page for each agent, and JSON.
import { nameOf } from './tree.mjs';

export function checkExport({ truth, matches }) {
  return truth.flatMap((expected) => {
    const shown = matches.get(expected);
    if (!shown) return [];
    if (shown.exportProblem) return [`${nameOf(expected)}: ${shown.exportProblem}`];
    const skipped = new Set(shown.document.skipped.map(({ agent_id }) => agent_id));
    const wanted = shown.tree.agents.filter(({ id, kind }) => kind !== 'main' && !skipped.has(id));
    const missing = wanted.filter(({ id }) => !shown.pages.some((page) => page.includes(id)));
    const hasIndex = shown.pages.includes('index.html');
    return [
      ...(hasIndex ? [] : [`${nameOf(expected)}: the export has no index.html`]),
      ...missing.map(({ label, id }) => `${nameOf(expected)}: the export has no page for "${label}" (${id})`),
    ];
  });
}
