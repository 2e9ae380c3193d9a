import type { Transcript, TranscriptBlock } from '../core/index.ts';
import { dropImages, type Gathered, type LookedThrough } from '../redact/index.ts';
import { compactOne } from './compact.ts';
import type { ExportOptions } from './export-options.ts';
import { type Outline, outlineTranscript, PAGE_SIZE } from './pages/outline.ts';

/** What a conversation says by itself, without what a tree knows of it. */
export interface Spoken extends Pick<Transcript, 'session_id' | 'messages' | 'left_out'> {
  /** As `PlacedTranscript` has it. */
  readonly edition: string | undefined;
}

/** Plain data. */
export interface SurveyedAgent {
  readonly outline: Outline;
  readonly gathered: Gathered | undefined;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly shortened: ReadonlyMap<string, number>;
  /** Where something was found, in which state of its files. */
  readonly looked: LookedThrough | undefined;
  readonly edition: string | undefined;
}

/** Of a transcript that has more, the rest does not count: it must not matter who surveys it, and when. */
export function surveyConversation(
  { session_id, messages, left_out, edition }: Spoken,
  { redactor, isCompact, messagesPerPage }: ExportOptions,
  scan: boolean,
): SurveyedAgent {
  const size = messagesPerPage === undefined ? PAGE_SIZE : { ...PAGE_SIZE, messages: messagesPerPage };
  const plain = dropImages({ session_id, messages, left_out });
  const shown = isCompact ? compactOne(plain) : plain;
  const found = scan ? redactor?.gather(plain) : undefined;
  return {
    outline: outlineTranscript(shown, size),
    gathered: found?.gathered,
    leftOut: left_out,
    shortened: isCompact ? countShortened(plain, shown) : new Map(),
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
