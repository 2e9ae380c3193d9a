import { formatBytes, type MediaBlock } from '../index.ts';

/** «image/png, 48 kB». */
export function describeMedia(media: MediaBlock): string {
  const name = media.type === 'attachment' ? media.name : null;
  return [name, media.media_type, media.bytes === null ? null : formatBytes(media.bytes)].filter(Boolean).join(', ');
}
