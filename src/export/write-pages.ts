import type { FlatTranscript, OpenedTranscripts, PlacedTranscript, Transcript } from '../core/index.ts';
import type { Redactor } from '../redact/index.ts';
import { type AgentWork, type PagesToWrite, readOne, type WrittenAgent } from './agent-work.ts';
import { type Crew, takersOf } from './crew.ts';
import type { RenderedPage } from './pages/render-pages.ts';
import { shareOut } from './share-out.ts';
import type { StagedFolder } from './staged-folder.ts';

type Page = Pick<RenderedPage, 'file' | 'chunks'>;

/** How conversations become pages, and where those go. */
export interface Pages {
  of(transcript: Transcript): Iterable<Page>;
  /** Of the main agent, when all others are written. */
  ofMain(transcript: Transcript): Iterable<Page>;
  write(page: Page): Promise<void>;
}

/** The first one is kept until all others are written. */
export async function writePages(transcripts: AsyncIterable<FlatTranscript>, pages: Pages): Promise<void> {
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

export interface Together {
  readonly own: AgentWork;
  readonly crew: Crew;
  readonly toWrite: PagesToWrite;
  readonly pages: Pages;
  readonly transform: (read: PlacedTranscript) => Transcript;
  readonly sink: Pick<StagedFolder, 'adopt' | 'explain'>;
  readonly onAgent: () => void;
  /** What this one has to do before the last page, when the others have begun. */
  readonly meanwhile: () => void;
}

/** The same with a crew. The pages are those that one alone would write, to the byte, and so is what is counted. */
export async function writeTogether(
  opened: OpenedTranscripts,
  redactor: Redactor | undefined,
  { own, crew, toWrite, pages, transform, sink, onAgent, meanwhile }: Together,
): Promise<void> {
  // What this one knows it need not be told.
  await own.prepareWriting({ ...toWrite, memory: undefined });
  const main = readOne(opened, 0).then((read) => {
    meanwhile();
    return transform(read);
  });
  const write = async (work: AgentWork, agent: number): Promise<WrittenAgent | undefined> => {
    if (work === own) await main;
    const written = await work.write(agent);
    onAgent();
    return written;
  };
  const takers = takersOf(own, crew, write, async (helper) => {
    await helper.prepareWriting(toWrite);
    return new Map();
  });
  const others = [...opened.agents.keys()].slice(1);
  const [{ results }, shown] = await Promise.all([sink.explain(() => shareOut(others, takers, crew.homes)), main]);
  for (const agent of others) {
    const written = results.get(agent);
    if (written) {
      sink.adopt(written.files);
      redactor?.addFindings(written.findings);
    } else {
      // It holds something that has no name yet. Names are given here, in order.
      const transcript = transform(await readOne(opened, agent));
      for (const page of pages.of(transcript)) await pages.write(page);
    }
  }
  onAgent();
  await writeMain(shown, pages);
}
