import type { ExportFormat, PlacedTranscript, Transcript } from '../core/index.ts';
import { dropImages, type Redactor } from '../redact/index.ts';
import { compactOne } from './compact.ts';
import type { LookedBefore } from './looked-before.ts';

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
export function createTransform(
  { redactor, withImages, isCompact }: ExportOptions,
  lookedBefore: LookedBefore,
): (one: PlacedTranscript) => Transcript {
  return (read) => {
    // Before the search: megabytes of base64 hold no text.
    const plain = withImages ? read.transcript : dropImages(read.transcript);
    // Nobody has looked at the bytes of images.
    const looked = withImages ? undefined : lookedBefore.recall(read);
    const clean = redactor ? redactor.redactTranscript(plain, looked) : plain;
    return isCompact ? compactOne(clean) : clean;
  };
}
