import { cleanLine, type ExportReport, formatBytes, plural, type RedactionReport } from '../../core/index.ts';

/** What came of an export to a folder. */
export function exportLines({
  folder,
  sessions,
  files,
  bytes,
  removed,
  kept,
  redactions,
  problems,
}: ExportReport): readonly string[] {
  const agents = sessions.reduce((sum, session) => sum + session.agents, 0);
  const skipped = sessions.reduce((sum, session) => sum + session.skipped.length, 0);
  const [first] = sessions;
  const start = sessions.length === 1 && first ? first.start : 'index.html';
  return [
    `${plural(sessions.length, 'session')}, ${plural(agents, 'agent')}: ${plural(files, 'file')}, ${formatBytes(bytes)}.`,
    ...(skipped > 0 ? [`${plural(skipped, 'agent')} without a page; the first page says why.`] : []),
    redactionLine(redactions),
    ...(removed.length > 0 ? [`${plural(removed.length, 'page')} of the last export removed.`] : []),
    ...(kept.length > 0 ? [`Left, because somebody changed them: ${kept.map(cleanLine).join(', ')}.`] : []),
    ...problems.map((problem) => `A fault of troupe, please report it: ${cleanLine(problem)}.`),
    `Read it: ${cleanLine(folder ?? '')}/${start}`,
  ];
}

function redactionLine(redactions: RedactionReport | null): string {
  if (!redactions) return 'Nothing was looked for: secrets of the session stand in what was written.';
  if (redactions.total === 0) return 'Looked for secrets and names: none found.';
  return `Redacted ${plural(redactions.total, 'place')}, ${plural(redactions.secrets, 'different one')}: redactions.json says which.`;
}

/** Everything that was found, with its places, before anything is written. */
export function reviewLines({ total, secrets, findings }: RedactionReport): readonly string[] {
  if (total === 0) return ['Looked for secrets and names: none found.'];
  return [
    `Found in ${plural(total, 'place')}, ${plural(secrets, 'different one')}:`,
    ...findings.flatMap(({ what, placeholder, count, places }) => [
      '',
      `${placeholder}  ${what}, ${plural(count, 'time')}`,
      ...places.map((place) => `  ${cleanLine(place)}`),
      ...(places.length < count ? ['  …'] : []),
    ]),
  ];
}
