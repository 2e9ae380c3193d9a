import type { ExplanationReport } from '../reports/compute-explanation.ts';
import { cleanLine } from './clean-text.ts';
import type { Paint } from './paint.ts';

/** `troupe tree --explain` for people: each fact with the place it was read at. */
export function formatExplanation(report: ExplanationReport, paint: Paint): readonly string[] {
  const { link } = report;
  const parent =
    link.parentId === null
      ? 'no parent known'
      : `asked for by ${link.parentId}${link.toolUseId ? ` with call ${link.toolUseId}` : ''}`;
  return [
    paint.bold(`${cleanLine(report.id)}: ${report.status}`),
    '',
    paint.bold(`Link: ${parent} (${link.rank}${link.source ? `, ${link.source}` : ''})`),
    ...link.claims.map(
      (claim) =>
        `  ${claim.source} (${claim.rank}): ${claim.text}${claim.toolUseId ? `, call ${claim.toolUseId}` : ''}${claim.parentId ? `, parent ${claim.parentId}` : ''}`,
    ),
    ...(link.candidates.length > 0 ? [`  candidates: ${link.candidates.join(', ')}`] : []),
    '',
    paint.bold('Runs'),
    ...report.runs.map(
      (run) =>
        `  ${run.toolUseId ?? '–'}: ${run.status} by ${run.signal}${run.reason ? `, «${cleanLine(run.reason)}»` : ''}`,
    ),
    ...report.ends.map(
      (end) =>
        `  ${end.believed ? '✓' : ' '} ${end.signal} said ${end.outcome} at ${end.at ?? 'no time'}  ${paint.dim(placeText(end.place))}`,
    ),
    '',
    paint.bold('Facts'),
    ...report.facts.map(
      (fact) => `  ${fact.field} ${cleanLine(String(fact.value))}  ${paint.dim(placeText(fact.place))}`,
    ),
    '',
    paint.bold('Messages and their output tokens'),
    ...report.messages.map((message) => {
      const notes = [
        message.isPlaceholder ? 'only a placeholder' : undefined,
        message.alsoIn.length > 0 ? `also in ${message.alsoIn.join(', ')}` : undefined,
      ];
      return `  ${message.id} ${message.output}${notes
        .flatMap((note) => note ?? [])
        .map((note) => `, ${note}`)
        .join('')}  ${paint.dim(placeText(message.place))}`;
    }),
  ];
}

function placeText({ source, offset }: { readonly source: string; readonly offset: number }): string {
  return `${cleanLine(source)} @ ${offset}`;
}
