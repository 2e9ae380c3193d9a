import type { RedactionFinding, RedactionReport } from '../core/index.ts';
import type { Finding } from '../redact/index.ts';

const MAX_PLACES = 20;

/** One entry for each secret, with the places of the first few. Nothing of what was found is in it. */
export function reportRedactions(findings: readonly Finding[]): RedactionReport {
  const byPlaceholder = new Map<string, { -readonly [K in keyof RedactionFinding]: RedactionFinding[K] }>();
  let total = 0;
  for (const finding of findings) {
    const { rule, what, placeholder, count } = finding;
    total += count;
    const key = `${placeholder} ${rule}`;
    const known = byPlaceholder.get(key) ?? { kind: rule, what, placeholder, count: 0, places: [] };
    known.count += count;
    if (known.places.length < MAX_PLACES) known.places = [...known.places, placeText(finding)];
    byPlaceholder.set(key, known);
  }
  const placeholders = new Set(findings.map(({ placeholder }) => placeholder));
  return { total, secrets: placeholders.size, findings: [...byPlaceholder.values()] };
}

/** Where in the transcripts, from the outside in. */
function placeText({ agent, message, field, line }: Finding): string {
  const parts = [agent && `agent ${agent}`, message && `message ${message}`, field, line > 1 && `line ${line}`];
  return parts.filter(Boolean).join(', ');
}

/** What lies beside the pages. */
export function formatReport(report: RedactionReport): string {
  return `${JSON.stringify({ format: 'troupe-redactions', version: 1, ...report }, null, 1)}\n`;
}
