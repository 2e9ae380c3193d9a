import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { drained } from '../audit/index.ts';
import { nativeId, plural, type Sessions, type SessionTranscripts, type SessionTree } from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { packageFolder } from '../lib/package.ts';
import { readText } from '../lib/regular-file.ts';
import { configFolder } from '../lib/state-folder.ts';
import { compileLess, stayWithinReason } from '../lib/stay-small.ts';
import { UserError } from '../lib/user-error.ts';
import { createRedactor, type Redactor } from '../redact/index.ts';
import {
  type AuthorOf,
  createSessions,
  createSessionTranscripts,
  placesOf,
  readConfig,
  thisMachine,
  type Where,
} from '../sessions/index.ts';
import { checkExport } from './check-export.ts';
import { crewFor, type WorkerOrder } from './export-crew.ts';
import type { ExportOptions } from './export-options.ts';
import { type ExportJob, exportSessions, reviewSessions } from './export-sessions.ts';
import type { ExportOutcome, ExportRequest } from './export-types.ts';
import { inBatches } from './in-batches.ts';
import { formatReport } from './redaction-report.ts';
import { stageFolder } from './staged-folder.ts';

/** What stands beside the pages where something was looked for. */
const REPORT_NAME = 'redactions.json';

const NEEDS_FOLDER = 'only in an export to a folder';

function createReaders(): {
  sessions(where: Where): Sessions;
  sessionTranscripts(where: Where): SessionTranscripts;
} {
  const sessions = (where: Where): Sessions =>
    drained(createSessions(placesOf(where), { clock: systemClock, named: where.roots.length > 0 }), where);
  let authors: Promise<AuthorOf> | undefined;
  const authorOf: AuthorOf = async (folder) => {
    authors ??= import('../lib/git-author.ts').then(({ createGitAuthors }) => createGitAuthors());
    return (await authors)(folder);
  };
  return {
    sessions,
    sessionTranscripts: (where) => createSessionTranscripts(placesOf(where), sessions(where), authorOf),
  };
}

/** Sessions as pages, through the same readers as everything else. */
export async function runExport(request: ExportRequest): Promise<ExportOutcome> {
  const { sessions, sessionTranscripts } = createReaders();
  stayWithinReason();
  compileLess();
  const { where, outDir, write } = request;
  const isMany = request.selection !== undefined;
  const ids = isMany ? await selectSessions(request, sessions(where)) : [request.session];
  const job = async (): Promise<ExportJob> => ({
    transcripts: sessionTranscripts(where),
    sessions: ids,
    isMany,
    options: await optionsOf(request),
    ...(outDir === undefined && { mainOnly: NEEDS_FOLDER }),
    hireCrew: crewFor(where, workerOptions(request), request.options.redact),
    onProgress: request.onProgress,
  });
  if (request.approve && !(await request.approve(await reviewSessions(await job())))) return { isWritten: false };
  if (outDir === undefined) {
    const { sessions: exported, redactions } = await exportSessions(await job(), {
      async write(_name, chunks) {
        for await (const batch of inBatches(chunks)) await write(batch);
      },
    });
    return { isWritten: true, report: { ...NOTHING_WRITTEN, sessions: exported, redactions } };
  }
  const staged = await stageFolder(outDir, { force: request.force });
  try {
    const { sessions: exported, redactions } = await exportSessions(await job(), {
      write: staged.write,
      shared: staged,
    });
    if (redactions) await staged.write(REPORT_NAME, [formatReport(redactions)]);
    const problems = request.options.isSingleFile
      ? []
      : await checkExport(staged.place, staged.names(), staged.links());
    const { files, removed, kept } = await staged.publish();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      isWritten: true,
      report: { folder: outDir, sessions: exported, files: files.length, bytes, removed, kept, redactions, problems },
    };
  } finally {
    await staged.close();
  }
}

const NOTHING_WRITTEN = { folder: null, files: 0, bytes: 0, removed: [], kept: [], problems: [] };

async function selectSessions({ selection }: ExportRequest, sessions: Sessions): Promise<readonly string[]> {
  const { trees, places } = await sessions.list({ limit: Number.MAX_SAFE_INTEGER });
  const chosen = trees.filter((tree) => isChosen(tree, selection));
  if (chosen.length === 0)
    throw new UserError(
      'session-not-found',
      trees.length === 0
        ? `No sessions found (looked in ${places.join(', ')}).`
        : `None of ${plural(trees.length, 'session')} is what was asked for.`,
      'List them with: troupe ls',
    );
  return chosen.map(({ id }) => nativeId(id));
}

function isChosen({ cwd, lastActivityAt }: SessionTree, { project, since }: ExportRequest['selection'] = {}): boolean {
  if (since !== undefined && (lastActivityAt ?? 0) < since) return false;
  if (project === undefined) return true;
  if (cwd === undefined) return false;
  const folder = path.resolve(project);
  return cwd === folder || cwd.startsWith(`${folder}${path.sep}`) || `/${cwd}/`.includes(`/${project}/`);
}

async function optionsOf({ options }: ExportRequest): Promise<ExportOptions> {
  const { isSingleFile, redact, ...rest } = options;
  return {
    ...rest,
    ...(isSingleFile && { singlePage: await readText(path.join(packageFolder, 'dist', 'single-page.html')) }),
    ...(redact && { redactor: await redactorOf(redact.pii) }),
  };
}

function workerOptions({ options }: ExportRequest): WorkerOrder['options'] {
  const { isSingleFile: _isSingleFile, redact: _redact, ...rest } = options;
  return rest;
}

/** By the person's own settings. `pii`: more than they say. */
export async function redactorOf(pii: boolean): Promise<Redactor> {
  const { env, home } = thisMachine();
  const { redact } = await readConfig(configFolder(env, home));
  return createRedactor({
    home,
    users: userNames(),
    hosts: [hostname()],
    pii: pii || (redact?.pii ?? false),
    patterns: redact?.patterns ?? [],
    allow: redact?.allow ?? [],
  });
}

/** A container may have a user without a name. */
function userNames(): readonly string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
