import type {
  AgentId,
  ExportFormat,
  PlacedTranscript,
  Transcript,
  TranscriptBlock,
  TranscriptReader,
} from '../core/index.ts';
import { dropImages, type RawFinding, type Redactor, type RedactorMemory, type ScanResult } from '../redact/index.ts';
import { linksIn, type PageLinks } from './check-export.ts';
import { compact } from './compact.ts';
import { renderMarkdownPages } from './markdown/render-markdown.ts';
import type { RenderedPage } from './pages/page-context.ts';
import {
  type Outline,
  outlineTranscript,
  PAGE_SIZE,
  type PagePlan,
  planPages,
  type SharedSession,
} from './pages/page-plan.ts';
import { renderAgentPages } from './pages/render-pages.ts';
import { type ManifestFile, writeFile } from './write-file.ts';

/** What is done for one agent at a time, by its number, in this thread or in another one. All values are plain data. */
export interface AgentWork {
  /** Whom to look for, before the first survey; undefined: nobody. */
  prepareSurvey(memory: RedactorMemory | undefined): Promise<void>;
  survey(agent: number, scan: boolean): Promise<SurveyedAgent>;
  prepareWriting(pages: PagesToWrite): Promise<void>;
  /** Undefined if it holds a secret without a placeholder yet: then nothing of it is written. */
  write(agent: number): Promise<WrittenAgent | undefined>;
}

/** All that a page needs that is not in its own conversation. */
export interface PagesToWrite {
  /** Where pages are until all of them are there. */
  readonly place: string;
  /** Of the session's pages within it; empty where they lie at the top. */
  readonly folder: string;
  readonly shared: SharedSession;
  readonly outlines: readonly Outline[];
  readonly memory: RedactorMemory | undefined;
  /** What the survey found where: who writes an agent may not be who surveyed it. */
  readonly scans: ReadonlyMap<AgentId, CachedScan>;
}

export interface WrittenAgent {
  readonly files: readonly WrittenFile[];
  readonly findings: readonly RawFinding[];
}

interface WrittenFile extends ManifestFile {
  readonly links: PageLinks;
}

/** `scanCache` belongs to the redactor of the options. */
export function createAgentWork(reader: TranscriptReader, options: ExportOptions, scanCache: ScanCache): AgentWork {
  const { redactor, isCompact } = options;
  let writing: (PagesToWrite & { readonly plan: ReturnType<typeof planPages> }) | undefined;
  return {
    async prepareSurvey(memory) {
      if (memory) redactor?.adopt(memory);
    },
    async survey(agent, scan) {
      const read = await readAgent(reader, agent);
      const surveyed = surveyAgent(read, options, scan);
      scanCache.remember(read.node.id, surveyed);
      return surveyed;
    },
    async prepareWriting(pages) {
      if (pages.memory) redactor?.adopt(pages.memory);
      scanCache.adopt(pages.scans);
      writing = { ...pages, plan: planPages(pages.shared, pages.outlines) };
    },
    async write(agent) {
      if (!writing) throw new Error('troupe: write() before prepareWriting()');
      const { place, folder, shared, plan } = writing;
      const read = await readAgent(reader, agent);
      const { plain, looked } = prepareSearch(read, options, scanCache);
      const clean = redactor ? redactor.redactApart(plain, looked) : { transcript: plain, findings: [] };
      if (!clean) return undefined;
      const shown = isCompact ? compact(clean.transcript) : clean.transcript;
      const files: WrittenFile[] = [];
      for (const { file, chunks } of renderFormats(shown, shared, plan, options)) {
        const name = folder === '' ? file : `${folder}/${file}`;
        // The links are read from the disk, as readers will find them.
        files.push({ ...(await writeFile(place, name, chunks)), links: await linksIn(place, name) });
      }
      return { files, findings: clean.findings };
    },
  };
}

export async function readAgent(reader: TranscriptReader, agent: number): Promise<PlacedTranscript> {
  for await (const placed of reader.read([agent])) return placed;
  throw new Error(`troupe: there is no agent ${agent}`);
}

/** How sessions become pages. */
export interface ExportOptions {
  readonly formats: readonly ExportFormat[];
  /** The built frame of the page that holds everything, for HTML as a single file. */
  readonly singlePage?: string;
  readonly isCompact: boolean;
  readonly withImages: boolean;
  readonly messagesPerPage?: number;
  /** Undefined: no redaction. */
  readonly redactor?: Redactor;
}

/**
 * What happens to every transcript before it is written. Secrets go first: a cut could leave half of one, which no rule
 * would find any more.
 */
export function createTransform(options: ExportOptions, scanCache: ScanCache): (one: PlacedTranscript) => Transcript {
  const { redactor, isCompact } = options;
  return (read) => {
    const { plain, looked } = prepareSearch(read, options, scanCache);
    const clean = redactor ? redactor.redactTranscript(plain, looked) : plain;
    return isCompact ? compact(clean) : clean;
  };
}

/** Images go first: megabytes of base64 hold no text, and the scan of the survey was done without them. */
function prepareSearch(read: PlacedTranscript, { withImages }: ExportOptions, scanCache: ScanCache) {
  const { transcript } = read;
  return withImages
    ? { plain: transcript, looked: undefined }
    : { plain: dropImages(transcript), looked: scanCache.recall(read) };
}

/** Plain data. */
export type SurveyedAgent = ReturnType<typeof surveyAgent>;

/** Without the head of the transcript, which `surveySession` searches itself: placeholders are numbered in its order. */
function surveyAgent(
  { transcript: { session_id, messages, left_out }, edition }: PlacedTranscript,
  { redactor, isCompact, messagesPerPage }: ExportOptions,
  scan: boolean,
) {
  const size = messagesPerPage === undefined ? PAGE_SIZE : { ...PAGE_SIZE, messages: messagesPerPage };
  const plain = dropImages({ session_id, messages, left_out });
  const shown = isCompact ? compact(plain) : plain;
  const found = scan ? redactor?.gather(plain) : undefined;
  return {
    outline: outlineTranscript(shown, size),
    gathered: found?.gathered,
    leftOut: left_out,
    shortened: isCompact ? countShortened(plain, shown) : new Map<string, number>(),
    // Where something was found, in which state of its files.
    looked: found?.looked,
    edition,
  };
}

function countShortened(
  before: Pick<Transcript, 'messages'>,
  after: Pick<Transcript, 'messages'>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [at, { content }] of before.messages.entries())
    for (const [index, block] of content.entries()) {
      const shown = after.messages[at]?.content[index];
      if (!shown || JSON.stringify(shown) === JSON.stringify(block)) continue;
      const what = BLOCK_WORDS[block.type];
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  return counts;
}

const BLOCK_WORDS: { readonly [type in TranscriptBlock['type']]: string } = {
  text: 'text',
  thinking: 'thinking',
  tool_use: 'input of a call',
  tool_result: 'result',
  notice: 'notice',
  summary: 'summary',
  image: 'image',
  attachment: 'attachment',
};

type CachedScan = Pick<SurveyedAgent, 'edition' | 'looked'>;

/** Scan results of the survey, so that unchanged transcripts are not scanned again when they are written. */
export class ScanCache {
  readonly #known = new Map<AgentId, CachedScan>();

  remember(agent: AgentId, { edition, looked }: CachedScan): void {
    if (edition !== undefined && looked) this.#known.set(agent, { edition, looked });
  }

  all(): ReadonlyMap<AgentId, CachedScan> {
    return this.#known;
  }

  adopt(scans: ReadonlyMap<AgentId, CachedScan>): void {
    for (const [agent, scan] of scans) this.remember(agent, scan);
  }

  recall({ node, edition }: PlacedTranscript): ScanResult | undefined {
    const last = this.#known.get(node.id);
    return last?.edition === edition ? last?.looked : undefined;
  }
}

/** Formats that have a page for each agent. */
export function pageFormats({ formats, singlePage }: ExportOptions): readonly ExportFormat[] {
  return formats.filter((format) => format === 'md' || (format === 'html' && singlePage === undefined));
}

/** The pages of one agent, in all formats that have some. */
export function* renderFormats(
  transcript: Transcript,
  shared: SharedSession,
  plan: PagePlan,
  options: ExportOptions,
): Generator<RenderedPage> {
  const kinds = pageFormats(options);
  if (kinds.includes('html')) yield* renderAgentPages(shared, plan, transcript);
  if (kinds.includes('md')) yield* renderMarkdownPages(shared, plan, transcript);
}
