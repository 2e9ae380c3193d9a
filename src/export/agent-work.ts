import type { TranscriptReader } from '../model/ports.ts';
import type { Transcript, TranscriptBlock } from '../model/transcript.ts';
import type { PageLinks } from '../render/pages/check-links.ts';
import { type Outline, outlineTranscript, PAGE_SIZE } from '../render/pages/outline.ts';
import { planPages } from '../render/pages/page-plan.ts';
import type { SharedSession } from '../render/pages/shapes.ts';
import { compactOne } from '../transforms/compact.ts';
import type { Gathered, RedactorMemory } from '../transforms/redact/create-redactor.ts';
import { dropImages } from '../transforms/redact/drop-images.ts';
import type { RawFinding } from '../transforms/redact/finding.ts';
import { linksIn } from './check-export.ts';
import type { ExportOptions } from './export-options.ts';
import type { Chunks } from './in-batches.ts';
import type { ManifestFile } from './manifest.ts';
import { pagesOf } from './pages-of.ts';
import { writeFile } from './write-file.ts';

/** What is done for one agent at a time, by its number: in this thread, or in another one. All of it is plain data. */
export interface AgentWork {
  /** Whom to look for, before the first look. */
  prepareSurvey(memory: RedactorMemory): Promise<void>;
  survey(agent: number, scan: boolean): Promise<SurveyedAgent>;
  prepareWriting(pages: PagesToWrite): Promise<void>;
  /** Undefined where something in it has no name yet: then nothing of it is written. */
  write(agent: number): Promise<WrittenAgent | undefined>;
}

export interface SurveyedAgent {
  readonly outline: Outline;
  readonly gathered: Gathered | undefined;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly shortened: ReadonlyMap<string, number>;
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
  readonly links: PageLinks;
}

/** Its own redactor is that of `options`. */
export function createAgentWork(reader: TranscriptReader, options: ExportOptions): AgentWork {
  const { redactor, isCompact, withImages, messagesPerPage } = options;
  const size = messagesPerPage === undefined ? PAGE_SIZE : { ...PAGE_SIZE, messages: messagesPerPage };
  let writing: (PagesToWrite & { readonly plan: ReturnType<typeof planPages> }) | undefined;
  return {
    async prepareSurvey(memory) {
      redactor?.adopt(memory);
    },
    async survey(agent, scan) {
      const transcript = dropImages(await readOne(reader, agent));
      const shown = isCompact ? compactOne(transcript) : transcript;
      return {
        outline: outlineTranscript(shown, size),
        gathered: scan ? redactor?.gather(transcript) : undefined,
        leftOut: transcript.left_out,
        shortened: isCompact ? countShortened(transcript, shown) : new Map(),
      };
    },
    async prepareWriting(pages) {
      if (pages.memory) redactor?.adopt(pages.memory);
      writing = { ...pages, plan: planPages(pages.shared, pages.outlines) };
    },
    async write(agent) {
      if (!writing) throw new Error('troupe: nobody said where pages go');
      const { place, folder, shared, plan } = writing;
      const read = await readOne(reader, agent);
      const plain = withImages ? read : dropImages(read);
      const clean = redactor ? redactor.redactApart(plain) : { transcript: plain, findings: [] };
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

export async function readOne(reader: TranscriptReader, agent: number): Promise<Transcript> {
  for await (const { transcript } of reader.read([agent])) return transcript;
  throw new Error(`troupe: there is no agent ${agent}`);
}

function countShortened(before: Transcript, after: Transcript): ReadonlyMap<string, number> {
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
