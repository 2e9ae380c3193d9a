import type { Transcript } from '../model/transcript.ts';
import type { ExportFormat } from '../reports/export-shapes.ts';
import { compactOne } from '../transforms/compact.ts';
import type { Redactor } from '../transforms/redact/create-redactor.ts';
import { dropImages } from '../transforms/redact/drop-images.ts';

/** How sessions become pages. */
export interface ExportOptions {
  readonly formats: readonly ExportFormat[];
  /** HTML as one page that holds everything. Its built frame, where it is wished for. */
  readonly singlePage?: string;
  readonly isCompact: boolean;
  readonly withImages: boolean;
  readonly messagesPerPage?: number;
  /** Undefined: nothing is looked for. */
  readonly redactor?: Redactor;
}

/**
 * What happens to every conversation before anybody sees it. Secrets go first: half of one, left by a cut, would not be
 * known any more.
 */
export function createTransform({ redactor, withImages, isCompact }: ExportOptions): (one: Transcript) => Transcript {
  return (transcript) => {
    // Before the search: megabytes of base64 hold no text.
    const plain = withImages ? transcript : dropImages(transcript);
    const clean = redactor ? redactor.redactTranscript(plain) : plain;
    return isCompact ? compactOne(clean) : clean;
  };
}
