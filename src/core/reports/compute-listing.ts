import { hostOf, nativeId } from '../ids.ts';
import type { LiveListing } from '../ports.ts';
import { isoTime } from './json-values.ts';
import type { ListingChange } from './live-shapes.ts';

/** The list goes to every client whenever it changes: of thousands, the newest. */
const SHOWN = 300;

export function computeListing({ older, ignoredFiles, isComplete, notices }: LiveListing): ListingChange {
  return {
    older: older.slice(0, SHOWN).map(({ id, modifiedAt, files }) => ({
      id: nativeId(id),
      host: hostOf(id),
      modifiedAt: isoTime(modifiedAt),
      files,
    })),
    olderTotal: older.length,
    ignoredFiles,
    isComplete,
    notices,
  };
}
