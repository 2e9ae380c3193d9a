import {
  cleanLine,
  type ExportFormat,
  type ExportReport,
  formatBytes,
  plural,
  type RedactionReport,
  type Review,
  type ReviewChoice,
} from '../core/index.ts';
import type { ExportProgress, ExportRequest } from '../export/index.ts';
import { known } from '../lib/json.ts';
import { hasScreen } from '../lib/screen.ts';
import { UserError } from '../lib/user-error.ts';
import type { When } from '../lib/when.ts';
import { type CliContext, createProgress, writeJson, writeLines } from './context.ts';
import { type SharedFlags, whereOf } from './flags.ts';

interface ExportFlags extends SharedFlags {
  readonly outDir?: string;
  readonly format?: readonly ExportFormat[];
  readonly singleFile: boolean;
  readonly allSessions: boolean;
  readonly project?: string;
  readonly since?: When;
  readonly compact: boolean;
  readonly pageSize?: number;
  readonly redact?: 'pii' | 'secrets';
  readonly noRedact: boolean;
  readonly images: boolean;
  readonly review: boolean;
  readonly yes: boolean;
  readonly force: boolean;
}

export async function exportSessions(
  this: CliContext<'exporter' | 'reviewer'>,
  flags: ExportFlags,
  session?: string,
): Promise<void> {
  const { terminal } = this;
  refuseContradictions(flags, session);
  if (flags.noRedact)
    terminal.note(
      'Nothing is redacted: passwords, keys, names and paths of this session will stand in what is written, for everybody who gets it.',
    );
  const progress = createProgress(terminal);
  const outcome = await this.exporter.export({
    ...requestOf(flags, session, this.clock()),
    write: (text) => terminal.send(text),
    onProgress: (made) => progress.show(() => progressText(made)),
    onNotice: (text) => terminal.note(`troupe: ${text}`),
    ...(flags.review && {
      approve: (found) => {
        progress.clear();
        return review(this, flags, found);
      },
    }),
  });
  progress.clear();
  if (!outcome.isWritten) {
    terminal.note('Nothing was written.');
    if (flags.json) writeJson(this, { written: false, redactions: outcome.redactions });
    return;
  }
  const { report } = outcome;
  if (report.problems.length > 0) this.endWith(1);
  if (flags.outDir === undefined) return;
  if (flags.json) return writeJson(this, { written: true, ...report });
  writeLines(this, exportLines(report));
}

function refuseContradictions(flags: ExportFlags, session: string | undefined): void {
  const { outDir, format = ['html'], noRedact, redact, review, json, singleFile, pageSize } = flags;
  const refuse = (what: string, remedy: string): never => {
    throw new UserError('export-flags', what, remedy);
  };
  if (session !== undefined && isMany(flags))
    refuse(
      'One session is named, and many are asked for.',
      'Leave out the session, or --all-sessions, --project and --since.',
    );
  if (noRedact && redact !== undefined)
    refuse('--no-redact and --redact contradict each other.', 'Leave out one of them.');
  if (noRedact && review) refuse('With --no-redact there is nothing to review.', 'Leave out one of them.');
  if (singleFile && !format.includes('html'))
    refuse('--single-file is a page, and no page is asked for.', 'Leave it out, or add --format html.');
  if (singleFile && pageSize !== undefined && !format.includes('md'))
    refuse('--page-size cuts linked pages, and --single-file makes one page.', 'Leave out one of them.');
  if (outDir !== undefined) return;
  if (isMany(flags)) refuse('Many sessions need a folder.', 'Name one with --out-dir.');
  if (format.length > 1) refuse('Only one format goes to standard output.', 'Name a folder with --out-dir.');
  if (json) refuse('Standard output is taken by the export.', 'Name a folder with --out-dir, or leave out --json.');
}

function isMany({ allSessions, project, since }: ExportFlags): boolean {
  return allSessions || project !== undefined || since !== undefined;
}

function requestOf(
  flags: ExportFlags,
  session: string | undefined,
  now: number,
): Omit<ExportRequest, 'write' | 'onProgress'> {
  const { outDir, project, since, noRedact, redact, pageSize } = flags;
  return {
    where: whereOf(flags),
    force: flags.force,
    ...known({ session, outDir }),
    ...(isMany(flags) && { selection: known({ project, since: since?.(now).from }) }),
    options: {
      formats: [...new Set<ExportFormat>(flags.format ?? ['html'])],
      isSingleFile: flags.singleFile,
      isCompact: flags.compact,
      withImages: flags.images,
      ...known({ messagesPerPage: pageSize }),
      ...(!noRedact && { redact: { pii: redact === 'pii' } }),
    },
  };
}

/** On the screen if a person sits in front of one; else a list without values, which --yes accepts. */
async function review(
  { terminal, reviewer }: CliContext<'reviewer'>,
  flags: ExportFlags,
  found: Review,
): Promise<ReadonlyMap<string, ReviewChoice> | undefined> {
  if (!flags.yes && !flags.json && hasScreen(process)) return reviewer.review(found);
  // Standard output may be where the pages go.
  if (!flags.json) terminal.note(reviewLines(found.report).join('\n'));
  if (flags.yes) return new Map();
  terminal.note('Add --yes to write it with all of this redacted, or run it in a terminal to decide about each value.');
  return undefined;
}

function progressText({ doing, session, sessions, agents }: ExportProgress): string {
  const which = sessions === 1 ? '' : `session ${session} of ${sessions}, `;
  return `${doing === 'searching' ? 'Looking for secrets' : 'Writing'}: ${which}${plural(agents, 'agent')}`;
}

/** What came of an export to a folder. */
function exportLines(report: ExportReport): readonly string[] {
  const { folder, sessions, files, bytes, removed, kept, redactions, problems } = report;
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
  const { total, secrets, decisions } = redactions;
  const shown = decisions.filter(({ decision }) => decision === 'show').length;
  const left = shown === 0 ? '' : ` ${plural(shown, 'value')} may be shown, as you decided in reviews.`;
  return `Redacted ${plural(total, 'place')}, ${plural(secrets, 'different one')}: redactions.json says which.${left}`;
}

/** Everything that was found, with its places, before anything is written. */
function reviewLines({ total, secrets, findings }: RedactionReport): readonly string[] {
  if (total === 0) return ['Looked for secrets and names: none found.'];
  return [
    `Found in ${plural(total, 'place')}, ${plural(secrets, 'different one')}:`,
    ...findings.flatMap(({ what, why, placeholder, count, places }) => [
      '',
      `${placeholder}  ${what}, ${plural(count, 'time')}`,
      `  ${cleanLine(why)}`,
      ...places.map((place) => `  ${cleanLine(place)}`),
      ...(places.length < count ? ['  …'] : []),
    ]),
  ];
}
