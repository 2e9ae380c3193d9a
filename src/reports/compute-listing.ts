import { hostOf, nativeId } from '../model/ids.ts';
import type { LiveListing } from '../model/ports.ts';
import { isoTime } from './json-values.ts';
import type { ListingChange } from './live-shapes.ts';

export function computeListing({ older, ignoredFiles, isComplete }: LiveListing): ListingChange {
  return {
    older: older.map(({ id, modifiedAt, files }) => ({
      id: nativeId(id),
      host: hostOf(id),
      modifiedAt: isoTime(modifiedAt),
      files,
    })),
    ignoredFiles,
    isComplete,
  };
}
