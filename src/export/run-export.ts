import { constants } from 'node:os';
import path from 'node:path';
import { createGuardLog } from '../audit/index.ts';
import {
  type AppliedDecision,
  type ExportedSession,
  type ExportReport,
  nativeId,
  type OnFound,
  plural,
  type RedactionReport,
  type Review,
  type ReviewChoice,
  type ReviewItem,
  type Sessions,
  type SessionTranscripts,
  type SessionTree,
} from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { packageFolder } from '../lib/package.ts';
import { readText } from '../lib/regular-file.ts';
import { compileLess } from '../lib/stay-small.ts';
import { UserError } from '../lib/user-error.ts';
import {
  type AuthorOf,
  createSessions,
  createSessionTranscripts,
  dataFoldersFor,
  drainFirst,
  readOwnSettings,
  type SessionScope,
  SessionSnapshot,
} from '../sessions/index.ts';
import { type ExportOptions, ScanCache } from './agent-work.ts';
import {
  type DecidedValues,
  decidedIn,
  digestValue,
  digestWhole,
  type KeptDecisions,
  keepDecisions,
  keepSalt,
  planChoices,
  readKept,
  ValueDecisions,
} from './decisions.ts';
import { exportSession, type PageSink } from './export-session.ts';
import { type ListedSession, planFolders, renderSessionsPage } from './pages/sessions-page.ts';
import { createUserRedactor, type RedactorUse } from './redact-input.ts';
import { checkPages, placeText, RedactionTotals, SessionParts, summariseFindings } from './session-parts.ts';
import { stageFolder } from './staged-folder.ts';
import { surveySession } from './survey-session.ts';
import { type StartingPool, startPool, type WorkerOrder } from './worker-pool.ts';
import { inBatches } from './write-file.ts';

/** What stands beside the pages where something was looked for. */
const REPORT_NAME = 'redactions.json';

const NEEDS_FOLDER = 'only in an export to a folder';

/** Loads the reader of git settings when the first author is looked up. */
function createAuthors(): AuthorOf {
  let authors: Promise<AuthorOf> | undefined;
  return async (folder) => {
    authors ??= import('../lib/git-author.ts').then(({ createGitAuthors }) => createGitAuthors());
    return (await authors)(folder);
  };
}

/** Sessions as pages, through the same readers as everything else. */
export async function runExport(request: ExportRequest): Promise<ExportOutcome> {
  compileLess();
  const { where, outDir, write } = request;
  const places = dataFoldersFor(where);
  const snapshot = request.selection && new SessionSnapshot(places);
  const createReader = (): Sessions =>
    drainFirst(
      createSessions(places, { clock: systemClock, named: where.roots.length > 0, ...known({ snapshot }) }),
      () => createGuardLog(where).drain(),
    );
  const authorOf = createAuthors();
  const isMany = request.selection !== undefined;
  const chosen = isMany ? await selectSessions(request, createReader()) : [];
  const ids = isMany ? chosen.map(({ id }) => nativeId(id)) : [request.session];
  const scope: DecisionScope = {
    kept: await readKept(),
    projects: new Set(chosen.map(({ cwd }) => cwd)),
    now: request.options.redact?.decided,
  };
  if (request.options.redact && scope.kept.problem !== null) request.onNotice?.(scope.kept.problem);
  const job = async (isReviewed = false): Promise<ExportJob> => {
    const decisions = new ValueDecisions();
    const how = isReviewed ? { isReviewed } : { decisions };
    return {
      transcripts: createSessionTranscripts(places, createReader(), authorOf, snapshot),
      sessions: ids,
      isMany,
      options: await optionsOf(request, how),
      ...(outDir === undefined && { mainOnly: NEEDS_FOLDER }),
      order: {
        options: workerOptions(request.options),
        redact: request.options.redact && { pii: request.options.redact.pii },
      },
      decisions,
      scope,
      onProgress: request.onProgress,
    };
  };
  let applied: readonly AppliedDecision[] = [];
  if (request.approve) {
    const found = await reviewSessions(await job(true));
    const choices = await request.approve(found);
    if (!choices) return { isWritten: false, redactions: found.report };
    if (choices.size > 0) applied = await applyChoices(scope, found, choices);
  }
  if (outDir === undefined) {
    const { sessions: exported, redactions } = await exportSessions(await job(), applied, {
      async write(_name, chunks) {
        for await (const batch of inBatches(chunks)) await write(batch);
      },
    });
    return { isWritten: true, report: { ...NOTHING_WRITTEN, sessions: exported, redactions } };
  }
  const salt = isMany ? await keepSalt() : undefined;
  const sign = salt === undefined ? undefined : (text: string) => digestWhole(salt, text);
  const staged = await stageFolder(outDir, { force: request.force, sign });
  const parts = isMany ? new SessionParts(staged, request, sign) : undefined;
  const signals = onDeadlySignal(async () => {
    await staged.close();
    if (parts && parts.count > 0)
      request.onNotice?.(
        `${plural(parts.count, 'session is', 'sessions are')} written. Run it again to write the others.`,
      );
  });
  try {
    const { sessions: exported, redactions } = await exportSessions(await job(), applied, {
      write: staged.write,
      shared: staged,
      ...known({ parts }),
    });
    if (parts && parts.kept > 0)
      request.onNotice?.(
        `${plural(parts.kept, 'session')} of an earlier run did not change, and were not written again.`,
      );
    const report = { format: 'troupe-redactions', version: 1, ...redactions };
    if (redactions) await staged.write(REPORT_NAME, [`${JSON.stringify(report, null, 1)}\n`]);
    const problems = parts ? await parts.checkAll() : await checkPages(staged, request.options.isSingleFile, []);
    const { files, removed, kept } = await staged.publish();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      isWritten: true,
      report: { folder: outDir, sessions: exported, files: files.length, bytes, removed, kept, redactions, problems },
    };
  } catch (error) {
    if (signals.isEnding()) await new Promise<never>(() => {});
    throw error;
  } finally {
    signals.close();
    await staged.close();
  }
}

/** Cleans up, then ends with the status that shells give to this signal. */
function onDeadlySignal(clean: () => Promise<void>) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let isEnding = false;
  const end = (signal: (typeof signals)[number]): void => {
    isEnding = true;
    void clean()
      .catch(() => undefined)
      .finally(() => process.exit(128 + constants.signals[signal]));
  };
  for (const signal of signals) process.once(signal, end);
  return {
    /** What fails because everything is taken away is no failure. */
    isEnding: () => isEnding,
    close() {
      for (const signal of signals) process.off(signal, end);
    },
  };
}

const NOTHING_WRITTEN = { folder: null, files: 0, bytes: 0, removed: [], kept: [], problems: [] };

async function selectSessions({ selection }: ExportRequest, sessions: Sessions): Promise<readonly SessionTree[]> {
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
  return chosen;
}

function isChosen({ cwd, lastActivityAt }: SessionTree, { project, since }: ExportRequest['selection'] = {}): boolean {
  if (since !== undefined && (lastActivityAt ?? 0) < since) return false;
  if (project === undefined) return true;
  if (cwd === undefined) return false;
  const folder = path.resolve(project);
  return cwd === folder || cwd.startsWith(`${folder}${path.sep}`) || `/${cwd}/`.includes(`/${project}/`);
}

async function optionsOf({ options }: ExportRequest, how: RedactorUse): Promise<ExportOptions> {
  const { isSingleFile, redact } = options;
  return {
    ...workerOptions(options),
    ...(isSingleFile && { singlePage: await readText(path.join(packageFolder, 'dist', 'single-page.html')) }),
    ...(redact && { redactor: await createUserRedactor(redact.pii, how) }),
  };
}

function workerOptions(options: ExportRequest['options']): WorkerOrder['options'] {
  const { isSingleFile: _isSingleFile, redact: _redact, ...rest } = options;
  return rest;
}

interface ExportJob {
  readonly transcripts: SessionTranscripts;
  /** In the order in which they are exported; `undefined` is the newest. */
  readonly sessions: readonly (string | undefined)[];
  /** A folder for each, and an index over them. */
  readonly isMany: boolean;
  readonly options: ExportOptions;
  /** Of agents that cannot have a page, where there is room for one only. */
  readonly mainOnly?: string;
  /** For a large session. */
  readonly order: WorkerOrder;
  /** What the redactor knows of the person's decisions: nothing before a session is opened. */
  readonly decisions: ValueDecisions;
  readonly scope: DecisionScope;
  readonly onProgress: ExportRequest['onProgress'];
}

/** Which decisions hold for an export. */
interface DecisionScope {
  kept: KeptDecisions;
  /** Working folders of its sessions; undefined: one has none. */
  readonly projects: Set<string | undefined>;
  /** For this export only. */
  now: DecidedValues | undefined;
}

function layersOf({ kept, projects, now }: DecisionScope): readonly DecidedValues[] {
  return [...(now ? [now] : []), decidedIn(kept, projects)];
}

/** Keeps what is to be kept, and gives what holds for this export only. */
async function applyChoices(
  scope: DecisionScope,
  { items, projects, salt }: Review,
  choices: ReadonlyMap<string, ReviewChoice>,
): Promise<readonly AppliedDecision[]> {
  const { keeping, now, applied } = planChoices(items, choices);
  await keepDecisions(projects, salt, keeping);
  if (keeping.length > 0) scope.kept = await readKept();
  scope.now = { salt, choices: now };
  return applied;
}

/**
 * Two passes: everything is searched for secrets first, so that what is known from one place is found in all others. The
 * sessions of one export share their placeholders.
 */
async function exportSessions(
  job: ExportJob,
  applied: readonly AppliedDecision[],
  sink: PageSink & { readonly parts?: SessionParts },
) {
  const { transcripts, sessions, options, isMany, mainOnly } = job;
  const scanCache = new ScanCache();
  let pool: StartingPool | undefined;
  const start: OnFound = (found) => {
    if (sessions.length === 1) pool = startPool(found, job.order);
  };
  try {
    const searched = await searchSessions(job, scanCache, start, () => pool);
    const folders = isMany ? planFolders(sessions.map((id) => id ?? '')) : undefined;
    const { onSession, onAgent } = counter(job, 'writing');
    const totals = new RedactionTotals();
    const exported: ExportedSession[] = [];
    const listed: ListedSession[] = [];
    // What a page depends on beside its session.
    const { redact: settings } = await readOwnSettings();
    const around = JSON.stringify([job.order, options.singlePage !== undefined, job.decisions.layers(), settings]);
    for (const id of sessions) {
      onSession();
      const folder = folders?.get(id ?? '') ?? '';
      let opened = searched.opened;
      const memory = JSON.stringify(options.redactor?.memory());
      let edition = searched.editions.get(id);
      if (sink.parts && edition === undefined && !options.redactor) {
        opened = await transcripts.open(id);
        edition = await opened.edition();
      }
      let part = edition && (await sink.parts?.find([id, folder, edition, around, memory]));
      if (!part) {
        opened ??= await transcripts.open(id);
        enter(job, opened);
        edition = await opened.edition();
        const survey =
          searched.survey ?? (await surveySession(opened, options, { scan: false, scanCache, onAgent: () => {} }));
        const place = { folder, ...(isMany && { overview: '../index' }), ...known({ mainOnly }) };
        const done = await exportSession(opened, survey, options, place, sink, onAgent);
        const { session } = done.shared;
        const found = summariseFindings(options.redactor?.takeFindings() ?? []);
        part = { exported: done.exported, listed: { session, asked: done.asked, folder }, found };
        // What it alone has named is not known to a run that leaves it out.
        const isAlone = memory === JSON.stringify(options.redactor?.memory());
        await sink.parts?.add(edition && isAlone ? [id, folder, edition, around, memory] : undefined, part);
      }
      exported.push(part.exported);
      listed.push(part.listed);
      totals.add(part.found);
    }
    for (const ending of ['html', 'md'] as const)
      if (isMany && options.formats.includes(ending)) {
        const { file, chunks } = renderSessionsPage(listed, ending);
        await sink.write(file, chunks);
      }
    const { kept, projects } = job.scope;
    const here = kept.decisions.filter(({ project }) => projects.has(project));
    const decisions = [...here.map(({ decision, kind, what }) => ({ decision, kind, what, kept: true })), ...applied];
    return {
      sessions: exported,
      redactions: options.redactor ? { ...totals.report(), decisions } : null,
    };
  } finally {
    await pool?.close();
  }
}

/** Before anything of it is searched. */
function enter({ decisions, scope }: ExportJob, { tree }: { readonly tree: Pick<SessionTree, 'cwd'> }): void {
  scope.projects.add(tree.cwd);
  decisions.adopt(layersOf(scope));
}

/** Finds what would be redacted if nothing was decided, and writes nothing. */
async function reviewSessions(job: ExportJob): Promise<Review> {
  const { redactor } = job.options;
  const { redactions } = await exportSessions(job, [], {
    async write(_name, chunks) {
      for await (const _chunk of chunks);
    },
  });
  const { kept, projects } = job.scope;
  const before = new ValueDecisions();
  before.adopt([decidedIn(kept, projects)]);
  const items = (redactor?.reviewed() ?? []).map(({ rule, forms, places, ...rest }): ReviewItem => {
    const decision = forms.map(before.decide).find((one) => one !== undefined);
    return {
      ...{ ...rest, kind: rule, value: shorten(rest.value), match: shorten(rest.match) },
      places: places.map((place) => placeText({ ...place, line: 1 })),
      digests: forms.map((form) => digestValue(kept.salt, form)),
      choice: decision === undefined ? 'redact' : `always-${decision}`,
    };
  });
  const folders = [...projects].filter((one) => one !== undefined);
  return {
    report: redactions ?? { total: 0, secrets: 0, findings: [], decisions: [] },
    salt: kept.salt,
    items,
    projects: folders.length === projects.size ? folders : [],
    problem: kept.problem,
  };
}

const MAX_SHOWN = 400;

function shorten(value: string): string {
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
}

/** What was learned of a session on the way; of several nothing is kept: there may be thousands. */
async function searchSessions(
  job: ExportJob,
  scanCache: ScanCache,
  onFound: OnFound,
  pool: () => StartingPool | undefined,
) {
  const { transcripts, sessions, options } = job;
  const { onSession, onAgent } = counter(job, 'searching');
  const isOne = sessions.length === 1;
  const editions = new Map<string | undefined, string | undefined>();
  if (!isOne && !options.redactor) return { editions };
  for (const id of sessions) {
    onSession();
    const opened = await transcripts.open(id, onFound);
    enter(job, opened);
    const survey = await surveySession(opened, options, {
      scan: true,
      scanCache,
      starting: pool(),
      layers: job.decisions.layers(),
      onAgent,
    });
    if (job.isMany) editions.set(id, await opened.edition());
    if (isOne) return { opened, survey, editions };
  }
  return { editions };
}

function counter({ onProgress, sessions }: ExportJob, doing: ExportProgress['doing']) {
  let [agents, session] = [0, 0];
  return {
    onSession: () => session++,
    onAgent: () => onProgress({ doing, session, sessions: sessions.length, agents: ++agents }),
  };
}

export interface ExportProgress {
  readonly doing: 'searching' | 'writing';
  /** Which one, from 1. */
  readonly session: number;
  readonly sessions: number;
  /** Done so far, in all sessions. */
  readonly agents: number;
}

export interface ExportRequest {
  readonly where: SessionScope;
  /** By the beginning of its id; the newest where none is given. */
  readonly session?: string;
  /** Every session that fits, instead of one. */
  readonly selection?: {
    readonly project?: string;
    /** Epoch milliseconds. */
    readonly since?: number;
  };
  /** Left out: the one format goes to `write`. */
  readonly outDir?: string;
  readonly force: boolean;
  /** Of this program: another one may write the same session in another way. */
  readonly build?: string;
  readonly options: WorkerOrder['options'] & {
    readonly isSingleFile: boolean;
    /** Left out: nothing is looked for. */
    readonly redact?: { readonly pii: boolean; readonly decided?: DecidedValues | undefined };
  };
  write(text: string): void | Promise<void>;
  onProgress(progress: ExportProgress): void;
  /** Something that the person should know, and that does not stop the export. */
  onNotice?(text: string): void;
  /** Asked before anything is written, with all that was found. Choices by placeholder; undefined: nothing is written. */
  readonly approve?: (review: Review) => Promise<ReadonlyMap<string, ReviewChoice> | undefined>;
}

export type ExportOutcome =
  | { readonly isWritten: false; readonly redactions: RedactionReport }
  | { readonly isWritten: true; readonly report: ExportReport };
