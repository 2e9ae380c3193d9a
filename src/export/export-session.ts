import {
  computeDetail,
  computeTimeline,
  type DocumentHead,
  type ExportedSession,
  type FlatTranscript,
  type OpenedTranscripts,
  type PlacedTranscript,
  type SessionDetail,
  type TimelineReport,
  type Transcript,
} from '../core/index.ts';
import type { Finding, LookedThrough, Redactor } from '../redact/index.ts';
import { createAgentWork } from './agent-work.ts';
import { formatDocument } from './document-json.ts';
import { createTransform, type ExportOptions } from './export-options.ts';
import type { Chunks } from './in-batches.ts';
import { inStep } from './in-step.ts';
import { planPages } from './pages/page-plan.ts';
import { sessionTitle } from './pages/page-texts.ts';
import type { RenderedPage } from './pages/render-pages.ts';
import type { Counted, SharedSession, Tick, TimelineTicks } from './pages/shapes.ts';
import { renderSinglePage } from './pages/single-page.ts';
import { pageKinds, pagesOf } from './pages-of.ts';
import { redactOutline } from './redact-outline.ts';
import type { StagedFolder } from './staged-folder.ts';
import type { Survey } from './survey-session.ts';
import { writePages, writeTogether } from './write-pages.ts';

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

/** Writes all pages of a session that was surveyed. The first one is written last. */
export async function exportSession(
  opened: OpenedTranscripts,
  survey: Survey,
  options: ExportOptions,
  place: SessionPlace,
  sink: PageSink,
  onAgent: () => void,
): Promise<{ readonly exported: ExportedSession; readonly shared: SharedSession; readonly asked: string | undefined }> {
  const found = countFrom(options.redactor);
  const redact = <Value>(value: Value, looked?: LookedThrough): Value =>
    options.redactor ? options.redactor.redactValue(value, looked) : value;
  const head = redact(survey.head, survey.headLooked);
  const shared = describeSession(head, survey, place);
  // Only the main agent's page has it; others need not wait for it.
  const timeline = once(() => ticksOf(computeTimeline(opened), redact));
  const outlines = survey.outlines.map((one) => (options.redactor ? redactOutline(one, options.redactor) : one));
  const plan = planPages(shared, place.mainOnly === undefined ? outlines : outlines.slice(0, 1));
  const [main] = outlines;
  const title = sessionTitle(head.session.session, main?.asked);
  const inFolder = (name: string): string => (place.folder === '' ? name : `${place.folder}/${name}`);
  const { formats, singlePage } = options;
  const readers: ((transcripts: AsyncIterable<FlatTranscript>) => Promise<void>)[] = [];
  const pages = {
    of: (transcript: Transcript) => pagesOf(transcript, shared, plan, options),
    // What was found is known when the last conversation was searched: the main agent's page, which tells, comes last.
    ofMain: (transcript: Transcript) => {
      const withTimeline = { ...shared, timeline: timeline() };
      return pagesOf(
        transcript,
        { ...withTimeline, handling: { ...shared.handling, redacted: found() } },
        plan,
        options,
      );
    },
    write: ({ file, chunks }: Pick<RenderedPage, 'file' | 'chunks'>) => sink.write(inFolder(file), chunks),
  };
  const kinds = pageKinds(options);
  const { crew, lookedBefore } = survey;
  const transform = createTransform(options, lookedBefore);
  const isShared = crew !== undefined && sink.shared !== undefined && kinds.length === formats.length;
  if (kinds.length > 0 && !isShared) readers.push((transcripts) => writePages(transcripts, pages));
  if (formats.includes('html') && singlePage !== undefined) {
    const page = { title, agents: shared.agents, outlines, ...describeSinglePage(opened, shared, redact) };
    readers.push((transcripts) =>
      sink.write(
        inFolder('index.html'),
        renderSinglePage(singlePage, { ...page, transcripts: ofSession(head.session.session.id, transcripts) }),
      ),
    );
  }
  if (formats.includes('json'))
    readers.push((transcripts) => sink.write(inFolder('index.json'), formatDocument(head, transcripts)));
  const streams = inStep(transformed(opened, transform, onAgent), readers.length);
  await Promise.all(readers.map((reader, index) => streams[index] && reader(streams[index])));
  if (isShared && sink.shared) {
    const { place: staged } = sink.shared;
    const memory = options.redactor?.memory();
    const toWrite = { place: staged, folder: place.folder, shared, outlines, memory };
    const own = createAgentWork(opened, options, { lookedBefore });
    const together = { own, crew, toWrite, pages, transform, sink: sink.shared, onAgent, meanwhile: timeline };
    await writeTogether(opened, options.redactor, together);
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

async function* ofSession(session: string, transcripts: AsyncIterable<FlatTranscript>) {
  for await (const { transcript } of transcripts) yield { session, transcript };
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

/** What is found from now on, by what it is: another session may have come before. */
function countFrom(redactor: Redactor | undefined): () => readonly Counted[] | undefined {
  const before = countByKind(redactor?.findings() ?? []);
  return () => {
    if (!redactor) return undefined;
    const counts = [...countByKind(redactor.findings())];
    return counts.flatMap(([what, all]) => {
      const count = all - (before.get(what) ?? 0);
      return count > 0 ? [{ what, count }] : [];
    });
  };
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

function describeSinglePage(
  opened: OpenedTranscripts,
  { session }: SharedSession,
  redact: <Value>(value: Value) => Value,
) {
  const detail: SessionDetail = redact(computeDetail(opened.tree, { internal: false }));
  return {
    snapshot: {
      sessions: [detail],
      older: [],
      olderTotal: 0,
      ignoredFiles: 0,
      places: [],
      isComplete: true,
      notices: [],
      asks: [],
    },
    timelines: { [session.id]: redact(computeTimeline(opened)) },
  };
}
