import type { PlacedTranscript, TranscriptReader } from '../core/index.ts';
import { dropImages, type RawFinding, type RedactorMemory } from '../redact/index.ts';
import { linksIn } from './check-export.ts';
import { compactOne } from './compact.ts';
import type { ExportOptions } from './export-options.ts';
import type { Chunks } from './in-batches.ts';
import type { LookedBefore } from './looked-before.ts';
import type { ManifestFile } from './manifest.ts';
import type { PackedLinks } from './pages/check-links.ts';
import type { Outline } from './pages/outline.ts';
import { planPages } from './pages/page-plan.ts';
import type { SharedSession } from './pages/shapes.ts';
import { pagesOf } from './pages-of.ts';
import { type SurveyedAgent, surveyConversation } from './survey-conversation.ts';
import { writeFile } from './write-file.ts';

/** What is done for one agent at a time, by its number: in this thread, or in another one. All of it is plain data. */
export interface AgentWork {
  /** Whom to look for, before the first look; undefined: nobody. Gives what it has seen of the session before it was opened. */
  prepareSurvey(memory: RedactorMemory | undefined): Promise<ReadonlyMap<number, SurveyedAgent>>;
  survey(agent: number, scan: boolean): Promise<SurveyedAgent>;
  prepareWriting(pages: PagesToWrite): Promise<void>;
  /** Undefined where something in it has no name yet: then nothing of it is written. */
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
}

export interface WrittenAgent {
  readonly files: readonly WrittenFile[];
  readonly findings: readonly RawFinding[];
}

export interface WrittenFile extends ManifestFile {
  readonly links: PackedLinks;
}

export interface AgentWorkOptions {
  /** Of the redactor of the options. */
  readonly lookedBefore: LookedBefore;
  /** What was surveyed before the session was opened. */
  readonly ahead?: ReadonlyMap<number, SurveyedAgent>;
}

/** Its own redactor is that of `options`. */
export function createAgentWork(
  reader: TranscriptReader,
  options: ExportOptions,
  { lookedBefore, ahead }: AgentWorkOptions,
): AgentWork {
  const { redactor, isCompact, withImages } = options;
  let writing: (PagesToWrite & { readonly plan: ReturnType<typeof planPages> }) | undefined;
  return {
    async prepareSurvey(memory) {
      if (memory) redactor?.adopt(memory);
      const holds = new Map<number, SurveyedAgent>();
      for (const [agent, surveyed] of ahead ?? []) {
        const { looked, edition } = surveyed;
        const isUpToDate = !looked || redactor?.isUpToDate(looked) === true;
        if (isUpToDate && edition !== undefined && (await reader.editionOf(agent)) === edition)
          holds.set(agent, surveyed);
      }
      return holds;
    },
    async survey(agent, scan) {
      const { node, edition, transcript } = await readOne(reader, agent);
      const surveyed = surveyConversation({ ...transcript, edition }, options, scan);
      lookedBefore.remember(node.id, surveyed);
      return surveyed;
    },
    async prepareWriting(pages) {
      if (pages.memory) redactor?.adopt(pages.memory);
      writing = { ...pages, plan: planPages(pages.shared, pages.outlines) };
    },
    async write(agent) {
      if (!writing) throw new Error('troupe: nobody said where pages go');
      const { place, folder, shared, plan } = writing;
      const read = await readOne(reader, agent);
      const plain = withImages ? read.transcript : dropImages(read.transcript);
      // Nobody has looked at the bytes of images.
      const looked = withImages ? undefined : lookedBefore.recall(read);
      const clean = redactor ? redactor.redactApart(plain, looked) : { transcript: plain, findings: [] };
      if (!clean) return undefined;
      const shown = isCompact ? compactOne(clean.transcript) : clean.transcript;
      const files: WrittenFile[] = [];
      for (const { file, chunks } of pagesOf(shown, shared, plan, options))
        files.push(await writeAndLook(place, folder === '' ? file : `${folder}/${file}`, chunks));
      return { files, findings: clean.findings };
    },
  };
}

/** What the page says of itself is read from the disk, as others will read it. */
async function writeAndLook(place: string, name: string, chunks: Chunks): Promise<WrittenFile> {
  const file = await writeFile(place, name, chunks);
  return { ...file, links: await linksIn(place, name) };
}

export async function readOne(reader: TranscriptReader, agent: number): Promise<PlacedTranscript> {
  for await (const placed of reader.read([agent])) return placed;
  throw new Error(`troupe: there is no agent ${agent}`);
}
