import {
  computeDetail,
  computeTimeline,
  type DocumentHead,
  type ExportedSession,
  type FlatTranscript,
  NO_SESSIONS,
  type OpenedTranscripts,
  type PlacedTranscript,
  type TimelineReport,
  type Transcript,
} from '../core/index.ts';
import type { Finding, Redactor, ScanResult } from '../redact/index.ts';
import {
  type AgentWork,
  createAgentWork,
  createTransform,
  type ExportOptions,
  type PagesToWrite,
  pageFormats,
  readAgent,
  renderFormats,
  type WrittenAgent,
} from './agent-work.ts';
import { formatDocument } from './document-json.ts';
import { type RenderedPage, sessionTitle } from './pages/page-context.ts';
import {
  type Counted,
  type Outline,
  planPages,
  type SharedSession,
  type Tick,
  type TimelineTicks,
} from './pages/page-plan.ts';
import { renderSinglePage } from './pages/session-map.ts';
import type { StagedFolder } from './staged-folder.ts';
import type { Survey } from './survey-session.ts';
import { assignTasks, taskWorkersOf, type WorkerPool } from './worker-pool.ts';
import type { Chunks } from './write-file.ts';

/** Where pages go. */
export interface PageSink {
  write(name: string, chunks: Chunks): Promise<void>;
  /** Where others may write pages, too. */
  readonly shared?: Pick<StagedFolder, 'place' | 'adopt' | 'explain'>;
}

export interface SessionPlace {
  /** Of its pages; empty where they lie at the top. */
  readonly folder: string;
  /** The index over all sessions, seen from there, without its ending. */
  readonly overview?: string;
  /** Only the page of the main agent: there is no place for others. Says why, of those. */
  readonly mainOnly?: string;
}

/** Writes all pages of a session that was surveyed; the redactor has no findings of another one. The first page is written last. */
export async function exportSession(
  opened: OpenedTranscripts,
  survey: Survey,
  options: ExportOptions,
  place: SessionPlace,
  sink: PageSink,
  onAgent: () => void,
): Promise<{ readonly exported: ExportedSession; readonly shared: SharedSession; readonly asked: string | undefined }> {
  const found = countBy(options.redactor);
  const redact = <Value>(value: Value, looked?: ScanResult): Value =>
    options.redactor ? options.redactor.redactValue(value, looked) : value;
  const head = redact(survey.head, survey.headLooked);
  const shared = describeSession(head, survey, place);
  // Only on the main agent's page.
  const timeline = once(() => ticksOf(computeTimeline(opened), redact));
  const outlines = survey.outlines.map((one) => (options.redactor ? redactOutline(one, options.redactor) : one));
  const plan = planPages(shared, place.mainOnly === undefined ? outlines : outlines.slice(0, 1));
  const [main] = outlines;
  const title = sessionTitle(head.session.session, main?.asked);
  const inFolder = (name: string): string => (place.folder === '' ? name : `${place.folder}/${name}`);
  const { formats, singlePage } = options;
  const readers: ((transcripts: AsyncIterable<FlatTranscript>) => Promise<void>)[] = [];
  const pages = {
    of: (transcript: Transcript) => renderFormats(transcript, shared, plan, options),
    // The main agent's page lists what was redacted, which is known when all others are written.
    ofMain: (transcript: Transcript) => {
      const handling = { ...shared.handling, redacted: found() };
      return renderFormats(transcript, { ...shared, timeline: timeline(), handling }, plan, options);
    },
    write: ({ file, chunks }: RenderedPage) => sink.write(inFolder(file), chunks),
  };
  const kinds = pageFormats(options);
  const { pool, scanCache } = survey;
  const transform = createTransform(options, scanCache);
  const isShared = pool !== undefined && sink.shared !== undefined && kinds.length === formats.length;
  if (kinds.length > 0 && !isShared) readers.push((transcripts) => writePages(transcripts, pages));
  if (formats.includes('html') && singlePage !== undefined) {
    const { id } = shared.session;
    const detail = redact(computeDetail(opened.tree, { internal: false }));
    const snapshot = { ...NO_SESSIONS, sessions: [detail], isComplete: true };
    const timelines = { [id]: redact(computeTimeline(opened)) };
    const page = { session: id, title, snapshot, timelines, agents: shared.agents, outlines };
    readers.push((transcripts) =>
      sink.write(inFolder('index.html'), renderSinglePage(singlePage, { ...page, transcripts })),
    );
  }
  if (formats.includes('json'))
    readers.push((transcripts) => sink.write(inFolder('index.json'), formatDocument(head, transcripts)));
  const transcripts = readInStep(transformed(opened, transform, onAgent), readers.length);
  await Promise.all(readers.map((reader) => reader(transcripts)));
  if (isShared && sink.shared) {
    const memory = options.redactor?.memory();
    const scans = scanCache.all();
    const toWrite = { place: sink.shared.place, folder: place.folder, shared, outlines, memory, scans };
    const own = createAgentWork(opened, options, scanCache);
    await writeWithPool(opened, options.redactor, {
      ...{ own, pool, toWrite, pages, transform, sink: sink.shared, onAgent },
      meanwhile: timeline,
    });
  }
  return {
    exported: {
      id: head.session.session.id,
      title: head.session.session.title ?? main?.asked ?? null,
      start: inFolder(formats.includes('html') ? 'index.html' : formats.includes('md') ? 'index.md' : 'index.json'),
      agents: plan.pages.length,
      skipped: head.skipped.map(({ agent_id, reason }) => ({ agentId: agent_id, reason })),
    },
    shared,
    asked: main?.asked,
  };
}

async function* transformed(
  opened: OpenedTranscripts,
  transform: (one: PlacedTranscript) => Transcript,
  onAgent: () => void,
): AsyncGenerator<FlatTranscript> {
  for await (const read of opened.read()) {
    yield { depth: read.depth, transcript: transform(read) };
    onAgent();
  }
}

function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function describeSession(
  { session: { session, agents }, skipped }: DocumentHead,
  { leftOut, shortened }: Survey,
  { overview, mainOnly }: SessionPlace,
): SharedSession {
  const without =
    mainOnly === undefined
      ? []
      : agents.slice(1).map(({ id }) => ({ agent_id: id, kind: 'empty' as const, reason: mainOnly }));
  return {
    session,
    agents,
    timeline: undefined,
    skipped: [...skipped, ...without],
    handling: { redacted: undefined, leftOut, shortened },
    overview,
  };
}

/** What was found by now, by what it is. */
function countBy(redactor: Redactor | undefined): () => readonly Counted[] | undefined {
  return () => redactor && [...countByKind(redactor.findings())].map(([what, count]) => ({ what, count }));
}

function countByKind(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { what, count } of findings) counts.set(what, (counts.get(what) ?? 0) + count);
  return counts;
}

/** Times and outcomes are of our own making: in hundreds of thousands of them nobody has to look for secrets. */
function ticksOf({ agents }: TimelineReport, redact: (id: string) => string): TimelineTicks {
  const toTick = ({ startedAt, outcome }: Tick): Tick => ({ startedAt, outcome });
  return { agents: agents.map(({ id, calls }) => ({ id: redact(id), calls: calls.map(toTick) })) };
}

/** How conversations become pages, and where those go. */
interface Pages {
  of(transcript: Transcript): Iterable<RenderedPage>;
  /** Of the main agent, when all others are written. */
  ofMain(transcript: Transcript): Iterable<RenderedPage>;
  write(page: RenderedPage): Promise<void>;
}

/** The first one is kept until all others are written. */
async function writePages(transcripts: AsyncIterable<FlatTranscript>, pages: Pages): Promise<void> {
  let main: Transcript | undefined;
  for await (const { transcript } of transcripts) {
    if (main) for (const page of pages.of(transcript)) await pages.write(page);
    else main = transcript;
  }
  if (main) await writeMain(main, pages);
}

async function writeMain(main: Transcript, pages: Pages): Promise<void> {
  const [first, ...parts] = [...pages.ofMain(main)];
  for (const page of [...parts, first]) if (page) await pages.write(page);
}

interface SharedWriting {
  readonly own: AgentWork;
  readonly pool: WorkerPool;
  readonly toWrite: PagesToWrite;
  readonly pages: Pages;
  readonly transform: (read: PlacedTranscript) => Transcript;
  readonly sink: Pick<StagedFolder, 'adopt' | 'explain'>;
  readonly onAgent: () => void;
  /** Done in this thread before its first page, while the others work. */
  readonly meanwhile: () => void;
}

/** The same with a pool. The pages are those that one alone would write, to the byte, and so is what is counted. */
async function writeWithPool(
  opened: OpenedTranscripts,
  redactor: Redactor | undefined,
  { own, pool, toWrite, pages, transform, sink, onAgent, meanwhile }: SharedWriting,
): Promise<void> {
  // This thread has the redactor's memory already.
  await own.prepareWriting({ ...toWrite, memory: undefined });
  const main = readAgent(opened, 0).then((read) => {
    meanwhile();
    return transform(read);
  });
  const write = async (work: AgentWork, agent: number): Promise<WrittenAgent | undefined> => {
    if (work === own) await main;
    const written = await work.write(agent);
    onAgent();
    return written;
  };
  const workers = taskWorkersOf(own, pool, write, (worker) => worker.prepareWriting(toWrite));
  const others = [...opened.agents.keys()].slice(1);
  const [{ results }, shown] = await Promise.all([sink.explain(() => assignTasks(others, workers, pool.owners)), main]);
  for (const agent of others) {
    const written = results.get(agent);
    if (written) {
      sink.adopt(written.files);
      redactor?.addFindings(written.findings);
    } else {
      // It holds a secret without a placeholder. Those are assigned here, in order.
      const transcript = transform(await readAgent(opened, agent));
      for (const page of pages.of(transcript)) await pages.write(page);
    }
  }
  onAgent();
  await writeMain(shown, pages);
}

/**
 * One reading for several readers: each gets everything, and the next thing is fetched when all of them are done with the
 * one before. A reader that stops early holds nobody up.
 */
function readInStep<T>(source: AsyncIterable<T>, readers: number): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  let active = readers;
  let waiting: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  const fetchNext = async (): Promise<void> => {
    const ready = waiting;
    waiting = [];
    try {
      const result = await iterator.next();
      for (const { resolve } of ready) resolve(result);
    } catch (error) {
      for (const { reject } of ready) reject(error);
    }
  };
  const proceed = (): void => {
    if (active > 0 && waiting.length === active) void fetchNext();
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          waiting.push({ resolve, reject });
          proceed();
        }),
      return: async () => {
        active--;
        proceed();
        return { done: true, value: undefined };
      },
    }),
  };
}

/**
 * An outline that was made before everything was searched, as it would have been after. What it quotes stands on a page,
 * and is counted there.
 */
function redactOutline(outline: Outline, { replaceOnly }: Redactor): Outline {
  const { agent, calls, asked, answered } = outline;
  const ids = [agent, ...calls.keys()].join('\n');
  const words = {
    asked: asked === undefined ? undefined : replaceOnly(asked),
    answered: answered === undefined ? undefined : replaceOnly(answered),
  };
  // Ids are links: one that holds a secret is replaced wherever it stands. Nearly always there is none.
  if (replaceOnly(ids) === ids) return { ...outline, ...words };
  const renamed = <Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map([...map].map(([id, value]) => [replaceOnly(id), value]));
  return { ...outline, ...words, agent: replaceOnly(agent), calls: renamed(calls) };
}
