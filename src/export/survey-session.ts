import type { OpenedTranscripts } from '../model/ports.ts';
import type { Transcript, TranscriptBlock } from '../model/transcript.ts';
import { type Outline, outlineTranscript, PAGE_SIZE } from '../render/pages/outline.ts';
import type { Counted } from '../render/pages/shapes.ts';
import { computeDocumentHead } from '../reports/compute-document.ts';
import { computeTimeline } from '../reports/compute-timeline.ts';
import { compactOne } from '../transforms/compact.ts';
import { dropImages } from '../transforms/redact/drop-images.ts';
import type { ExportOptions } from './export-options.ts';

/** What has to be known of a session before its first page can be drawn. Holds words of it: not yet redacted. */
export interface Survey {
  readonly outlines: readonly Outline[];
  readonly leftOut: readonly Counted[];
  readonly shortened: readonly Counted[] | undefined;
}

/** Reads the whole session once. `scan` for a session that was not looked through for secrets before. */
export async function surveySession(
  opened: OpenedTranscripts,
  { redactor, isCompact, messagesPerPage }: ExportOptions,
  { scan, onAgent }: { readonly scan: boolean; readonly onAgent: () => void },
): Promise<Survey> {
  const outlines: Outline[] = [];
  const leftOut = new Map<string, number>();
  const shortened = new Map<string, number>();
  const size = messagesPerPage === undefined ? PAGE_SIZE : { ...PAGE_SIZE, messages: messagesPerPage };
  if (scan) redactor?.scan({ ...computeDocumentHead(opened), timeline: computeTimeline(opened) });
  for await (const { transcript: read } of opened.read()) {
    const transcript = dropImages(read);
    if (scan) redactor?.scan(transcript);
    const shown = isCompact ? compactOne(transcript) : transcript;
    if (isCompact) countShortened(transcript, shown, shortened);
    outlines.push(outlineTranscript(shown, size));
    for (const [kind, count] of Object.entries(transcript.left_out))
      leftOut.set(kind, (leftOut.get(kind) ?? 0) + count);
    onAgent();
  }
  return { outlines, leftOut: toCounted(leftOut), shortened: isCompact ? toCounted(shortened) : undefined };
}

function countShortened(before: Transcript, after: Transcript, counts: Map<string, number>): void {
  for (const [at, { content }] of before.messages.entries())
    for (const [index, block] of content.entries()) {
      const shown = after.messages[at]?.content[index];
      if (!shown || JSON.stringify(shown) === JSON.stringify(block)) continue;
      const what = BLOCK_WORDS[block.type];
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
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

function toCounted(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => ({ what, count }));
}
