import type { ExportedSession, OpenedTranscripts, RedactionReport, SessionTranscripts } from '../core/index.ts';
import type { HireCrew, HiredCrew } from './crew.ts';
import type { ExportOptions } from './export-options.ts';
import { exportSession, type PageSink } from './export-session.ts';
import { createLookedBefore, type LookedBefore } from './looked-before.ts';
import { type ListedSession, planFolders, renderSessionsPage } from './pages/sessions-page.ts';
import { reportRedactions } from './redaction-report.ts';
import { type Survey, surveySession } from './survey-session.ts';

export interface ExportProgress {
  /** Conversations that were searched, or written. */
  readonly done: number;
  readonly doing: 'searching' | 'writing';
}

export interface ExportJob {
  readonly transcripts: SessionTranscripts;
  /** In the order in which they are exported; `undefined` is the newest. */
  readonly sessions: readonly (string | undefined)[];
  /** A folder for each, and an index over them. */
  readonly isMany: boolean;
  readonly options: ExportOptions;
  /** Of agents that cannot have a page, where there is room for one only. */
  readonly mainOnly?: string;
  /** For a large session; left out: this thread does everything. */
  readonly hireCrew?: HireCrew | undefined;
  onProgress(progress: ExportProgress): void;
}

export interface ExportResult {
  readonly sessions: readonly ExportedSession[];
  readonly redactions: RedactionReport | null;
}

/**
 * Two readings: secrets are looked for in everything first, so that what is known of one place is found in all others. The
 * sessions of one export share their placeholders.
 */
export async function exportSessions(job: ExportJob, sink: PageSink): Promise<ExportResult> {
  const crews: HiredCrew[] = [];
  try {
    return await exportWith(job, sink, crews);
  } finally {
    for (const crew of crews) await crew.close();
  }
}

async function exportWith(job: ExportJob, sink: PageSink, crews: HiredCrew[]): Promise<ExportResult> {
  const { transcripts, sessions, options, isMany } = job;
  const lookedBefore = createLookedBefore();
  const searched = await searchSessions(job, lookedBefore, crews);
  const folders = isMany ? planFolders(sessions.map((id) => id ?? '')) : undefined;
  const onAgent = counter(job, 'writing');
  const exported: ExportedSession[] = [];
  const listed: ListedSession[] = [];
  for (const id of sessions) {
    const opened = searched?.opened ?? (await transcripts.open(id));
    const survey =
      searched?.survey ?? (await surveySession(opened, options, { scan: false, lookedBefore, onAgent: () => {} }));
    const folder = folders?.get(id ?? '') ?? '';
    const place = {
      folder,
      ...(isMany && { overview: '../index' }),
      ...(job.mainOnly !== undefined && { mainOnly: job.mainOnly }),
    };
    const done = await exportSession(opened, survey, options, place, sink, onAgent);
    exported.push(done.exported);
    listed.push({ session: done.shared.session, asked: done.asked, folder });
  }
  if (isMany)
    for (const ending of ['html', 'md'] as const) {
      if (!options.formats.includes(ending)) continue;
      const { file, chunks } = renderSessionsPage(listed, ending);
      await sink.write(file, chunks);
    }
  return { sessions: exported, redactions: options.redactor ? reportRedactions(options.redactor.findings()) : null };
}

/** Finds what would be redacted, and writes nothing. */
export async function reviewSessions(job: ExportJob): Promise<RedactionReport> {
  const { redactor } = job.options;
  if (!redactor) return { total: 0, secrets: 0, findings: [] };
  await exportSessions(job, { write: drainChunks });
  return reportRedactions(redactor.findings());
}

async function drainChunks(_name: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  for await (const _chunk of chunks);
}

/** What was learned of a session on the way; of several nothing is kept: there may be thousands. */
interface Searched {
  readonly opened: OpenedTranscripts;
  readonly survey: Survey;
}

async function searchSessions(
  job: ExportJob,
  lookedBefore: LookedBefore,
  crews: HiredCrew[],
): Promise<Searched | undefined> {
  const { transcripts, sessions, options } = job;
  const onAgent = counter(job, 'searching');
  const isOne = sessions.length === 1;
  if (!isOne && !options.redactor) return undefined;
  let last: Searched | undefined;
  for (const id of sessions) {
    const opened = await transcripts.open(id, (found) => {
      const hired = isOne ? job.hireCrew?.(found) : undefined;
      if (hired) crews.push(hired);
    });
    const survey = await surveySession(opened, options, { scan: true, lookedBefore, hired: crews[0], onAgent });
    last = { opened, survey };
  }
  return isOne ? last : undefined;
}

function counter({ onProgress }: ExportJob, doing: ExportProgress['doing']): () => void {
  let done = 0;
  return () => onProgress({ done: ++done, doing });
}
