import { cleanLine, type ExplanationReport, type Paint } from '../../core/index.ts';

type Place = ExplanationReport['facts'][number]['place'];

/** `troupe tree --explain` for people: each fact with the place it was read at; ✓ marks what was believed. */
export function formatExplanation(report: ExplanationReport, paint: Paint): readonly string[] {
  const { link } = report;
  const head = (text: string): string => paint.bold(cleanLine(text));
  const fact = (text: string, place: Place | null, believed = false): string =>
    `${believed ? '✓' : ' '} ${cleanLine(text)}${place ? paint.dim(`  ${cleanLine(placeText(place))}`) : ''}`;
  const parent = link.parentId === null ? 'no parent known' : `asked for by ${link.parentId}`;
  return [
    head(`${report.id}: ${report.status}`),
    '',
    head(
      `Link: ${[parent, link.toolUseId && `call ${link.toolUseId}`, link.rank, link.source].filter(Boolean).join(', ')}`,
    ),
    ...link.claims.map(({ source, rank, text, toolUseId, parentId, place, believed }) =>
      fact(
        [`${source} (${rank}): ${text}`, toolUseId && `call ${toolUseId}`, parentId && `parent ${parentId}`]
          .filter(Boolean)
          .join(', '),
        place,
        believed,
      ),
    ),
    ...(link.candidates.length > 0 ? [fact(`candidates: ${link.candidates.join(', ')}`, null)] : []),
    '',
    head('Runs'),
    ...report.runs.map(({ toolUseId, status, signal, reason }) =>
      fact(`${toolUseId ?? 'no call known'}: ${status} by ${signal}${reason ? `, «${reason}»` : ''}`, null),
    ),
    '',
    head('What was said about its end'),
    ...report.ends.map(({ signal, outcome, at, place, believed }) =>
      fact(`${signal}: ${outcome}, ${at ?? 'no time'}`, place, believed),
    ),
    '',
    head('Facts'),
    ...report.facts.map(({ field, value, place }) => fact(`${field}: ${String(value)}`, place)),
    '',
    head('Messages and their output tokens'),
    ...report.messages.map(({ id, model, output, isPlaceholder, alsoIn, place }) =>
      fact(
        [
          `${id} ${output}`,
          model,
          isPlaceholder && 'only a placeholder',
          alsoIn.length > 0 && `also in ${alsoIn.join(', ')}`,
        ]
          .filter(Boolean)
          .join(', '),
        place,
      ),
    ),
  ];
}

function placeText({ source, offset }: Place): string {
  return `${source} @ ${offset}`;
}
